/**
 * `castor sandbox`: `explain` shows what a command could write, read and reach in this folder, `run` runs one inside, and
 * `check` says whether a sandbox works here. `explain` and `check` run nothing of yours.
 */

import { resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { openSandboxBench, SANDBOX_PROFILES } from '@castor/core/program';
import type { SandboxProfile } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { boundsOf } from '../start/sandbox.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const USAGE = `Usage: castor sandbox explain ['<command>'] [--profile <profile>]
       castor sandbox run [--profile <profile>] -- <command> [arguments]
       castor sandbox check
       castor sandbox grants
       castor sandbox allow <host> | --write <path> | --read <path>
       castor sandbox revoke <host or path>

  explain   shows what a command may write, what is hidden and what it reaches
  run       runs one command in the sandbox; its exit code is the command's
  check     says whether a sandbox works on this computer, and if not why
  grants    lists what you opened, and for the commands of which folder
  allow     opens a host or a path for the commands of this folder
  revoke    closes it again, in every folder

Options:
  --profile <profile>   ${SANDBOX_PROFILES.slice(0, 2).join(', ')} or ${SANDBOX_PROFILES[2]}
                        [default: that of a session in this folder]
`;

const GRANTS: ReadonlySet<string> = new Set(['grants', 'allow', 'revoke']);

type Bench = Awaited<ReturnType<typeof openSandboxBench>>;

export async function runSandboxCommand(argv: readonly string[], context: SubcommandContext): Promise<number> {
  const { output } = context;
  const [name = '', ...rest] = argv;
  const profiles = SANDBOX_PROFILES.filter((profile) => profile !== 'off');
  const words = parseWords(rest, {
    command: 'sandbox',
    valued: { '--profile': profiles, '--task': ['worktree'] },
    flags: ['--help', '-h'],
  });
  const isAsked = name === '--help' || name === '-h' || (typeof words !== 'string' && words.flags.size > 0);
  if (GRANTS.has(name) && !rest.includes('--help')) {
    const { runGrantsCommand } = await import('./sandbox-grants.ts');
    return runGrantsCommand(name, rest, context);
  }
  if (isAsked || typeof words === 'string' || !['explain', 'run', 'check'].includes(name)) {
    if (isAsked) await output.answer(USAGE);
    else output.note(`${typeof words === 'string' ? `${words}\n\n` : ''}${USAGE}`);
    return isAsked ? ExitCode.Success : ExitCode.Failure;
  }
  let bench: Bench;
  try {
    bench = await openBench(context, words.values);
  } catch (error) {
    output.note(`castor: no sandbox works here. ${getErrorMessage(error)}`);
    return ExitCode.Sandbox;
  }
  try {
    if (name === 'check') return await check(bench, context);
    if (name === 'explain') return await explain(bench, words.operands.join(' '), context);
    return await run(bench, words.operands, context);
  } finally {
    bench.dispose();
  }
}

/** Without a profile, the one of a session in default mode that may ask about hosts. */
async function openBench(
  { cwd, home, environment }: SubcommandContext,
  values: ReadonlyMap<string, string>,
): Promise<Bench> {
  const profile = values.get('--profile') as SandboxProfile | undefined;
  const installed = await findInstalledExtensions({ home, cwd });
  const { configuration, trust } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
  const { allowedPaths: writable, networkAccess } = boundsOf(configuration.settings, home);
  return openSandboxBench({
    ...{ home, root: resolve(cwd), environment: configuration.environment, profile, writable, networkAccess },
    isTrusted: trust.trusted !== false,
    isAirgapped: configuration.settings.castor.airgap,
    // The check of a batch task.
    borrowsRepository: values.has('--task'),
  });
}

async function check({ warnings, program }: Bench, { output }: SubcommandContext): Promise<number> {
  await output.answer([`bubblewrap works: ${program}`, ...warnings].map((line) => `${line}\n`).join(''));
  return ExitCode.Success;
}

async function explain(bench: Bench, command: string, { output }: SubcommandContext): Promise<number> {
  const { writable, readOnly, hidden, watched, network, profile } = bench.describe();
  const list = (title: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [title, ...paths.map((path) => `  ${path}`)];
  const lines = [
    ...(command === '' ? [] : [`Command: ${command}`]),
    `Profile: ${profile}`,
    ...list('Writable:', writable),
    ...list('Read-only inside what is writable:', readOnly),
    ...list('Hidden:', hidden),
    ...list('Moved to quarantine if a command makes them:', watched),
    `Network: ${network}`,
    'Everything else on this computer is readable and cannot be written.',
    ...bench.warnings.map((warning) => `Warning: ${warning}`),
  ];
  await output.answer(`${lines.join('\n')}\n`);
  return ExitCode.Success;
}

async function run(bench: Bench, words: readonly string[], { output, signal }: SubcommandContext): Promise<number> {
  const [file, ...args] = words;
  if (file === undefined) {
    output.note(`castor sandbox run needs a command: castor sandbox run -- npm test`);
    return ExitCode.Failure;
  }
  try {
    // One word with spaces is a command line.
    const isLine = args.length === 0 && /\s/.test(file);
    const { code, notes } = await bench.run(isLine ? ['bash', '-c', file] : [file, ...args], signal);
    for (const note of notes) output.note(note);
    return code;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    output.note(`castor: ${isMissing ? `the program ${file} was not found.` : getErrorMessage(error)}`);
    // As shells say it.
    return isMissing ? 127 : ExitCode.Failure;
  }
}

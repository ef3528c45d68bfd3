/** Checks the machine for `castor doctor`: programs and modules that make a run faster or safer. Runs nothing but `true`. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { probeBubblewrap, readGrants } from '@castor/core/program';
import { NO_SANDBOX_HINT } from '../start/sandbox.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor-check.ts';

/** `isSandboxWanted`: every run asks for a sandbox for commands. */
export async function checkMachine(
  { cwd, environment, home }: SubcommandContext,
  { isSandboxWanted }: { isSandboxWanted: boolean },
): Promise<Check[]> {
  const ripgrep = await findModule(async () => (await import('@vscode/ripgrep')).rgPath);
  const pty = await findModule(async () => {
    await import('@lydell/node-pty');
    return 'found';
  });
  const onPath = (name: string) => findOnPath(name, environment['PATH'] ?? '');
  return [
    present('ripgrep', ripgrep ?? onPath('rg'), 'search is slower without it'),
    present('git', onPath('git'), 'needed for worktrees and checkpoints'),
    present('pty', pty, 'commands run without a terminal of their own'),
    ...(process.platform === 'linux' ? [await checkSandbox(environment, cwd, isSandboxWanted)] : []),
    ...checkGrants(home),
  ];
}

/** What the user opened for commands in the sandbox, for good. */
function checkGrants(home: string): Check[] {
  const grants = readGrants(home);
  if (grants.length === 0) return [];
  const lines = grants.map(({ kind, what, root }) => `${kind === 'host' ? 'reach' : kind} ${what} (in ${root})`);
  return [{ topic: 'grants', status: 'ok', says: ['commands in the sandbox may:', ...lines].join('\n') }];
}

/** Runs the program `true` in a sandbox: a bubblewrap that is installed may still not be allowed to work. */
async function checkSandbox(
  environment: SubcommandContext['environment'],
  cwd: string,
  isWanted: boolean,
): Promise<Check> {
  const topic = 'bwrap';
  const probe = await probeBubblewrap(environment, [cwd]);
  if (probe.works) {
    const { file, weakness } = probe.bubblewrap;
    return { topic, status: 'ok', says: [file, ...(weakness === undefined ? [] : [weakness])].join('\n') };
  }
  const says = `no sandbox for commands: ${probe.reason}`;
  if (!isWanted) return { topic, status: 'missing', says };
  return { topic, status: 'problem', says, fix: `Castor does not start until this is fixed. ${NO_SANDBOX_HINT}` };
}

function present(topic: string, found: string | undefined, use: string): Check {
  return found === undefined
    ? { topic, status: 'missing', says: `not found; ${use}` }
    : { topic, status: 'ok', says: found };
}

async function findModule(load: () => Promise<string>): Promise<string | undefined> {
  try {
    const path = await load();
    return path === 'found' || existsSync(path) ? path : undefined;
  } catch {
    // Not installed, or built for another machine.
    return undefined;
  }
}

function findOnPath(name: string, path: string): string | undefined {
  const separator = process.platform === 'win32' ? ';' : ':';
  const candidates = path.split(separator).flatMap((folder) => (folder === '' ? [] : join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate) && dirname(candidate) !== process.cwd());
}

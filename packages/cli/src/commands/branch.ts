/**
 * `castor branch`: makes a copy of this folder with a session up to a prompt, lists, compares, merges and drops such
 * copies, and gives one prompt to two of them with two models. It starts other processes of Castor, never an agent here.
 */

import { spawn } from 'node:child_process';
import { SessionError } from '@castor/core';
import { createBranch, findBranch, listBranches, mergeBranch, openSessionUndo, UndoError } from '@castor/core/program';
import type { Branch } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { toJson } from '../to-json.ts';
import { compareBranch, dropChecked } from './compare-branch.ts';
import { describeBranches, describeComparison, describeMerged, describeNew } from './branch-text.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { tellUsage } from './tell-usage.ts';

const USAGE = `Usage: castor branch <name> [--at <prompt>] [--session <session>]
       castor branch list
       castor branch compare <name>
       castor branch merge <name>
       castor branch drop <name> [--yes]
       castor branch pair <name> --models <model>,<model> -p <prompt> [-- <flags>]

  <name>    copies this folder to a folder beside it, with the conversation
            and the files as before the prompt --at, or as they are now
  compare   shows what the branch and this folder changed since, and what each cost
  merge     takes over what the branch changed; what both changed is merged
            line by line, with conflicts marked. castor undo takes it back
  drop      removes the folder of a branch; --yes also with changes
  pair      makes two branches and gives both the prompt, each with its model;
            the flags after -- go to both runs, such as -- --yolo

Options: -o, --output-format text|json. castor undo --list numbers the prompts.
`;

interface Options {
  operands: string[];
  values: ReadonlyMap<string, string>;
  isSure: boolean;
  isJson: boolean;
  rest: readonly string[];
}

type Run = (options: Options, context: SubcommandContext) => Promise<ExitCode>;

const COMMANDS: Readonly<Record<string, Run>> = { list, compare, merge, drop, pair };

export async function runBranchCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const words = parseWords(own, {
    command: 'branch',
    flags: ['--yes', '--json'],
    valued: {
      '--at': [],
      '--session': [],
      '--models': [],
      '-p': [],
      '--prompt': [],
      '-o': FORMATS,
      '--output-format': FORMATS,
    },
  });
  const problem =
    typeof words === 'string' ? words : words.operands.length === 0 ? 'a name or a command is missing.' : undefined;
  if (problem !== undefined || typeof words === 'string') {
    output.note(`castor: ${problem}\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  const { operands, flags, values } = words;
  const run = Object.hasOwn(COMMANDS, operands[0]!) ? COMMANDS[operands[0]!]! : create;
  const isJson = flags.has('--json') || (values.get('-o') ?? values.get('--output-format')) === 'json';
  const rest = end < 0 ? [] : argv.slice(end + 1);
  try {
    return await run(
      { operands: run === create ? operands : operands.slice(1), values, isSure: flags.has('--yes'), isJson, rest },
      context,
    );
  } catch (error) {
    if (!(error instanceof SessionError) && !(error instanceof UndoError)) throw error;
    output.note(`castor: ${describeWithHint(error)}`);
    return ExitCode.Failure;
  }
}

const FORMATS = ['text', 'json'];

async function create({ operands: [name = ''], values, isJson }: Options, { output, cwd, home }: SubcommandContext) {
  const session = values.get('--session') ?? 'latest';
  const branch = await createBranch({ home, root: cwd, name, session, at: values.get('--at') });
  await output.answer(isJson ? json(branch) : `${describeNew(branch)}\n`);
  return ExitCode.Success;
}

async function list({ isJson }: Options, { output, cwd, home }: SubcommandContext): Promise<ExitCode> {
  const branches = await listBranches({ home, root: cwd });
  await output.answer(isJson ? json(branches) : describeBranches(branches));
  return ExitCode.Success;
}

async function compare({ operands: [name = ''], isJson }: Options, { output, cwd, home }: SubcommandContext) {
  const compared = await compareBranch({ home, root: cwd }, name);
  await output.answer(isJson ? json(compared) : describeComparison(compared));
  return ExitCode.Success;
}

async function merge({ operands: [name = ''], isJson }: Options, { output, cwd, home }: SubcommandContext) {
  const project = { home, root: cwd };
  const branch = await findBranch(project, name);
  const opened = await openSessionUndo(branch.from, project, { isWriting: true });
  try {
    const { record, tellModel } = opened;
    const result = await mergeBranch({ ...project, branch, record, tellModel });
    await output.answer(isJson ? json(result) : describeMerged(result));
    return result.isVerified && result.conflicts.length + result.leftAlone.length === 0
      ? ExitCode.Success
      : ExitCode.Failure;
  } finally {
    await opened.close();
  }
}

async function drop({ operands: [name = ''], isSure }: Options, { output, cwd, home }: SubcommandContext) {
  await output.answer(`${await dropChecked({ home, root: cwd }, name, isSure)}\n`);
  return ExitCode.Success;
}

async function pair(
  { operands: [name = ''], values, isJson, rest }: Options,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { output, cwd, home } = context;
  const models = (values.get('--models') ?? '').split(',').filter((model) => model !== '');
  const prompt = values.get('-p') ?? values.get('--prompt');
  if (models.length !== 2 || prompt === undefined)
    throw new UndoError('A pair needs --models <one>,<other> and -p <prompt>.');
  const session = values.get('--session') ?? 'latest';
  const branches: Branch[] = [];
  for (const suffix of ['a', 'b'])
    branches.push(await createBranch({ home, root: cwd, name: `${name}-${suffix}`, session, at: values.get('--at') }));
  const runs = await Promise.all(branches.map((branch, index) => runIn(branch, models[index]!, prompt, rest, context)));
  const results = branches.map((branch, index) => ({ branch, model: models[index], ...runs[index] }));
  const text = results.map(
    ({ branch, model, code, answer }) =>
      `== ${branch.name}, ${model} (exit code ${code})\n${answer}\n${describeNew(branch)}\n`,
  );
  await output.answer(isJson ? json(results) : text.join('\n'));
  return runs.every(({ code }) => code === 0) ? ExitCode.Success : ExitCode.Failure;
}

async function runIn(
  { root, sessionId }: Branch,
  model: string,
  prompt: string,
  flags: readonly string[],
  { environment, signal }: SubcommandContext,
): Promise<{ code: number | null; answer: string }> {
  const program = process.argv[1] ?? '';
  const args = [program, ...flags, '-m', model, '--resume', sessionId, '-p', prompt];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  return { code, answer };
}

function json(value: unknown): string {
  return `${toJson(value, { indent: 2 })}\n`;
}

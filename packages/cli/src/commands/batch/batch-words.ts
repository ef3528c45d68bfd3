/** Parses the words of `castor batch run`, `resume` and `retry` into tasks, limits and ways to run. Throws BatchProblem. */

import { readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { readTaskFile, TaskError, tasksOfRepositories, tasksOver, wrongVariable } from '@castor/batch';
import type { Artifacts, Task, TaskDefaults, TaskLimits } from '@castor/batch';
import { createAnswerFormat } from '@castor/core';
import type { BudgetLimits } from '@castor/core';
import { parseJsonText } from '@castor/core/program';
import { ExitCode, ExitError } from '../../exit-codes.ts';
import { chooseBudget } from '../../start/budget-flags.ts';
import { parseWords } from '../parse-words.ts';
import type { CommandWords } from '../parse-words.ts';
import { BatchProblem } from './batch-problem.ts';

export interface BatchWords {
  operands: string[];
  concurrency: number;
  isKept: boolean;
  apply: ApplyKind | undefined;
  format: 'text' | 'jsonl' | 'json';
  /** Leaves the tasks to the workers of a queue. */
  isDetached: boolean;
}

export type ApplyKind = 'branch' | 'patch' | 'pr-body';

export interface RunWords extends BatchWords {
  tasks: Task[];
  title: string;
  priority: number;
  isInPlace: boolean;
  /** One task for each file. */
  isOver: boolean;
  limits: BudgetLimits;
  /** For castor. */
  flags: string[];
  artifacts: Artifacts | undefined;
}

export interface WorkerWords {
  queue: string;
  concurrency: number;
  labels: string[];
  isKept: boolean;
  isUntilIdle: boolean;
}

const FORMATS = ['text', 'jsonl', 'json'];
export const APPLY = ['branch', 'patch', 'pr-body'];
export const WORKING = { '--concurrency': [], '--apply': APPLY, '-o': FORMATS, '--output-format': FORMATS };
const SUBMITTING = [
  ...[
    '--prompt',
    '--over',
    '--repos',
    '--check',
    '--tries',
    '--model',
    '--schema',
    '--ref',
    '--env',
    '--name',
    '--priority',
    '--artifacts',
  ],
  ...['--max-cost', '--max-tokens', '--max-time', '--task-cost', '--task-tokens', '--task-turns', '--task-time'],
];
const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 256;
/** Folders that no pattern means. */
const LEFT_OUT = ['node_modules', '.git'];

export function parseRun(argv: readonly string[], cwd: string): RunWords {
  const end = argv.indexOf('--');
  const [own, flags] = end === -1 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  const words = parsed(own, {
    command: 'batch run',
    flags: ['--in-place', '--keep', '--detach'],
    valued: { ...WORKING, ...Object.fromEntries(SUBMITTING.map((name) => [name, []])) },
  });
  const defaults = defaultsOf(words, cwd);
  const { tasks, from } = tasksOf(words, defaults, cwd);
  const { values } = words;
  const limits = limitsOf(values, 'max');
  return {
    ...toWorking(words),
    tasks,
    title: values.get('--name') ?? from,
    priority: wholeNumber(values.get('--priority') ?? '0', '--priority', -1000, 1000),
    isInPlace: words.flags.has('--in-place'),
    isOver: values.has('--over'),
    limits,
    flags: [...flags],
    artifacts: artifactsOf(values.get('--artifacts'), cwd),
  };
}

export function artifactsOf(text: string | undefined, cwd: string): Artifacts | undefined {
  if (text === undefined) return undefined;
  return text === 'git' ? { kind: 'git' } : { kind: 'folder', folder: resolve(cwd, text) };
}

export function parseWorker(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): WorkerWords {
  const { queue, rest } = takeQueue(argv, environment);
  const words = parseWords(rest, {
    ...{ command: 'worker', flags: ['--keep', '--until-idle'] },
    valued: { '--concurrency': [], '--labels': [] },
  });
  if (typeof words === 'string') throw new BatchProblem(`${words} castor worker --help lists the options.`);
  const [unknown] = words.operands;
  if (unknown !== undefined) throw new BatchProblem(`"${unknown}" is an unknown word of castor worker.`);
  if (queue === undefined)
    throw new BatchProblem(
      '--queue is missing: castor worker --queue redis://host:6379 or postgres://user@host/database.',
    );
  return {
    queue,
    concurrency: concurrencyOf(words),
    labels: listOf(words.values.get('--labels')),
    isKept: words.flags.has('--keep'),
    isUntilIdle: words.flags.has('--until-idle'),
  };
}

/** `--queue` belongs to every command of batches; what follows `--` belongs to castor. */
export function takeQueue(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): { queue: string | undefined; rest: string[] } {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const at = own.findIndex((word) => word === '--queue' || word.startsWith('--queue='));
  if (at === -1) return { queue: environment['CASTOR_QUEUE'] || undefined, rest: [...argv] };
  const isInline = argv[at] !== '--queue';
  const queue = isInline ? argv[at]?.slice('--queue='.length) : own[at + 1];
  if (!queue) throw new BatchProblem('--queue needs an address: redis://host:6379 or postgres://user@host/database.');
  return { queue, rest: argv.filter((_, index) => index !== at && (isInline || index !== at + 1)) };
}

export function parseWorking(argv: readonly string[], command: string): BatchWords {
  return toWorking(parsed(argv, { command: `batch ${command}`, flags: ['--keep', '--detach'], valued: WORKING }));
}

function parsed(...given: Parameters<typeof parseWords>): CommandWords {
  const words = parseWords(...given);
  const help = 'castor batch --help lists the options.';
  if (typeof words === 'string') throw new BatchProblem(`${words} ${help}`);
  const unknown = words.operands.find((word) => /^-[A-Za-z]/.test(word));
  if (unknown !== undefined)
    throw new BatchProblem(
      `${unknown} is an unknown option of castor ${given[1].command}; flags of castor follow --. ${help}`,
    );
  return words;
}

export function toWorking({ operands, flags, values }: CommandWords): BatchWords {
  return {
    operands,
    concurrency: concurrencyOf({ values }),
    isKept: flags.has('--keep'),
    isDetached: flags.has('--detach'),
    apply: values.get('--apply') as ApplyKind | undefined,
    format: (values.get('-o') ?? values.get('--output-format') ?? 'text') as BatchWords['format'],
  };
}

function concurrencyOf({ values }: Pick<CommandWords, 'values'>): number {
  const text = values.get('--concurrency') ?? String(DEFAULT_CONCURRENCY);
  return wholeNumber(text, '--concurrency', 1, MAX_CONCURRENCY);
}

function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function variablesOf(text: string | undefined): string[] {
  const names = listOf(text);
  const invalid = wrongVariable(names);
  if (invalid !== undefined) throw new BatchProblem(`--env ${invalid}`, ExitCode.Input);
  return names;
}

function defaultsOf({ values }: CommandWords, cwd: string): TaskDefaults {
  const schema = values.get('--schema');
  const tries = values.get('--tries');
  const { cost, tokens, turns, timeMs } = limitsOf(values, 'task');
  const limits: TaskLimits = { cost, tokens, turns, time: timeMs === undefined ? undefined : timeMs / 1000 };
  return {
    directory: cwd,
    prompt: values.get('--prompt'),
    ref: values.get('--ref'),
    model: values.get('--model'),
    check: values.get('--check'),
    schema: schema === undefined ? undefined : resolve(cwd, schema),
    tries: tries === undefined ? undefined : wholeNumber(tries, '--tries', 1, 100),
    environment: variablesOf(values.get('--env')),
    limits,
    checkSchema,
  };
}

/** As `--output-schema` reads it. */
function checkSchema(path: string): void {
  createAnswerFormat(parseJsonText(path, readFileSync(path, 'utf8'), 'schema'));
}

function tasksOf(
  { operands, values }: CommandWords,
  defaults: TaskDefaults,
  cwd: string,
): { tasks: Task[]; from: string } {
  const [over, repos] = [values.get('--over'), values.get('--repos')];
  const file = operands[0];
  if ([over, repos, file].filter((each) => each !== undefined).length !== 1 || operands.length > 1)
    throw new BatchProblem(
      'Give one of: a file of tasks, --over <pattern>, --repos <file>. castor batch --help shows each.',
    );
  try {
    if (file !== undefined) return { tasks: readTaskFile(resolve(cwd, file), defaults), from: basename(file) };
    const prompt = defaults.prompt ?? '';
    if (prompt === '') throw new BatchProblem('--prompt is missing: every task needs one.', ExitCode.Input);
    if (repos !== undefined)
      return { tasks: tasksOfRepositories(resolve(cwd, repos), prompt, defaults), from: basename(repos) };
    const files = filesOf(over ?? '', cwd);
    if (files.length === 0) throw new BatchProblem(`No file matches ${over}.`, ExitCode.Input);
    return { tasks: tasksOver(files, prompt, defaults), from: over ?? '' };
  } catch (error) {
    if (error instanceof BatchProblem) throw error;
    const { code, path } = error as NodeJS.ErrnoException;
    if (!(error instanceof TaskError) && code === undefined) throw error;
    const sentences: Record<string, string> = {
      ENOENT: `${path} does not exist.`,
      EISDIR: `${file ?? repos} is a folder. Give a file of tasks: JSONL or CSV.`,
    };
    const sentence = sentences[code ?? ''] ?? (error as Error).message;
    throw new BatchProblem(sentence, ExitCode.Input);
  }
}

function filesOf(pattern: string, cwd: string): string[] {
  // Not an import: its name would become a part of every start.
  const found = process
    .getBuiltinModule('node:fs')
    .globSync(pattern, { cwd, withFileTypes: true, exclude: (entry) => LEFT_OUT.includes(entry.name) });
  const files = found.filter((entry) => entry.isFile());
  return files.map((entry) => relative(cwd, resolve(entry.parentPath, entry.name))).sort();
}

export function wholeNumber(text: string, name: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BatchProblem(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}

/** As the flags of the same name of a single run. */
export function limitsOf(values: ReadonlyMap<string, string>, prefix: 'max' | 'task'): BudgetLimits {
  const of = (name: string) => values.get(`--${prefix}-${name}`);
  const given = { maxCost: of('cost'), maxTokens: of('tokens'), maxTurns: of('turns'), maxTime: of('time') };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  try {
    return chooseBudget(Object.fromEntries(known)) ?? {};
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    throw new BatchProblem(error.message.replace('--max-', `--${prefix}-`));
  }
}

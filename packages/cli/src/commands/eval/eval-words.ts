/** Parses the words of `castor eval run` and `compare`. Throws BatchProblem. */

import { basename, join, resolve } from 'node:path';
import type { Artifacts, TaskLimits } from '@castor/batch';
import type { BudgetLimits } from '@castor/core';
import { BatchProblem } from '../batch/batch-context.ts';
import { artifactsOf, limitsOf, toWorking, wholeNumber, WORKING } from '../batch/batch-words.ts';
import type { BatchWords } from '../batch/batch-words.ts';
import { parseWords } from '../parse-words.ts';
import type { CommandWords, KnownOptions } from '../parse-words.ts';
import { AMOUNTS } from './compare.ts';
import type { Amount } from './compare.ts';
import { readPrompt, readSuite } from './read-suite.ts';
import type { Suite, SuitePrompt } from './read-suite.ts';

export interface EvalRunWords extends BatchWords {
  suite: Suite;
  limits: BudgetLimits;
  taskLimits: TaskLimits;
  /** Where the files of ended tries go, with a queue. */
  artifacts: Artifacts | undefined;
  /** Where the results go. */
  save: string | undefined;
  /** The share of tries that must pass. */
  least: number | undefined;
}

export interface CompareWords {
  before: ResultsOperand;
  after: ResultsOperand;
  alpha: number;
  failOn: readonly (Amount | 'pass')[];
  isStrict: boolean;
  format: 'text' | 'json';
}

export interface ResultsOperand {
  path: string;
  /** Only this model, or this model and prompt. */
  model?: string;
  prompt?: string;
}

const FORMATS = ['text', 'json'];
const { '--concurrency': concurrency } = WORKING;
const WORKING_ON = { '--concurrency': concurrency, '-o': FORMATS, '--output-format': FORMATS };
const RUN = ['--model', '--prompt', '--task', '--tries', '--save', '--min-pass', '--artifacts'];
const LIMITS = [
  '--max-cost',
  '--max-tokens',
  '--max-time',
  '--task-cost',
  '--task-tokens',
  '--task-turns',
  '--task-time',
];
const DEFAULT_ALPHA = '0.05';

export function parseEvalRun(argv: readonly string[], cwd: string): EvalRunWords {
  const end = argv.indexOf('--');
  const [own, flags] = end === -1 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  const valued = Object.fromEntries([...RUN, ...LIMITS].map((name) => [name, []]));
  const words = parsed(own, { command: 'eval run', flags: ['--keep'], valued: { ...WORKING_ON, ...valued } });
  const { values, operands } = words;
  if (operands.length > 1) throw new BatchProblem('Name one suite: castor eval run <folder>');
  const suite = readSuite(resolve(cwd, operands[0] ?? 'evals'));
  const tries = values.get('--tries');
  const save = values.get('--save');
  const least = values.get('--min-pass');
  const { cost, tokens, turns, timeMs } = limitsOf(values, 'task');
  return {
    ...toWorking(words),
    suite: {
      ...suite,
      tasks: chosen(suite.tasks, listOf(values.get('--task')), '--task', suite.name),
      prompts: promptsOf(suite, listOf(values.get('--prompt')), cwd),
      models: values.has('--model') ? listOf(values.get('--model')) : suite.models,
      tries: tries === undefined ? suite.tries : wholeNumber(tries, '--tries', 1, 100),
      flags: [...suite.flags, ...flags],
    },
    artifacts: artifactsOf(values.get('--artifacts'), cwd),
    limits: limitsOf(values, 'max'),
    taskLimits: { cost, tokens, turns, time: timeMs === undefined ? undefined : timeMs / 1000 },
    save: save === undefined ? undefined : resolve(cwd, save),
    least: least === undefined ? undefined : shareOf(least, '--min-pass'),
  };
}

export function parseEvalWorking(argv: readonly string[], command: string): BatchWords {
  return toWorking(parsed(argv, { command: `eval ${command}`, flags: ['--keep'], valued: WORKING_ON }));
}

export function parseCompare(argv: readonly string[], cwd: string): CompareWords {
  const words = parsed(argv, {
    ...{ command: 'eval compare', flags: ['--strict'] },
    valued: { '-o': FORMATS, '--output-format': FORMATS, '--alpha': [], '--fail-on': [] },
  });
  const { values, operands, flags } = words;
  const [before, after, ...more] = operands;
  if (before === undefined || after === undefined || more.length > 0)
    throw new BatchProblem('Name two files: castor eval compare <before.json> <after.json>');
  const alpha = Number(values.get('--alpha') ?? DEFAULT_ALPHA);
  if (!(alpha > 0 && alpha < 1)) throw new BatchProblem('--alpha must be a number between 0 and 1, such as 0.05.');
  const failOn = listOf(values.get('--fail-on') ?? 'pass');
  const known: readonly string[] = ['pass', ...AMOUNTS];
  const unknown = failOn.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new BatchProblem(`--fail-on takes ${known.join(', ')}, separated by commas, not "${unknown}".`);
  return {
    ...{ before: operandOf(before, cwd), after: operandOf(after, cwd), alpha, isStrict: flags.has('--strict') },
    failOn: failOn as CompareWords['failOn'],
    format: (values.get('-o') ?? values.get('--output-format') ?? 'text') as CompareWords['format'],
  };
}

/** `results.json#model` or `results.json#model#prompt`. */
export function operandOf(word: string, cwd: string): ResultsOperand {
  const [path = '', model, prompt] = word.split('#');
  return { path: resolve(cwd, path), ...(model && { model }), ...(prompt && { prompt }) };
}

function parsed(argv: readonly string[], known: KnownOptions): CommandWords {
  const words = parseWords(argv, known);
  if (typeof words === 'string') throw new BatchProblem(`${words} castor eval --help lists the options.`);
  return words;
}

/** Names of the suite, or files. */
function promptsOf(suite: Suite, wanted: readonly string[], cwd: string): SuitePrompt[] {
  if (wanted.length === 0) return suite.prompts;
  return wanted.map((name) => {
    if (name.includes('/') || name.endsWith('.md')) return readPrompt(resolve(cwd, name));
    const found = suite.prompts.find((each) => each.name === name);
    if (found) return found;
    const names = suite.prompts.map((each) => each.name).join(', ');
    const place = join(basename(suite.directory), 'prompts');
    throw new BatchProblem(`There is no prompt "${name}" in ${place}; it has: ${names}.`);
  });
}

function chosen<T extends { name: string }>(all: readonly T[], wanted: readonly string[], option: string, of: string) {
  const unknown = wanted.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new BatchProblem(`${option}: ${of} has no "${unknown}". castor eval list names them.`);
  return wanted.length === 0 ? [...all] : all.filter(({ name }) => wanted.includes(name));
}

function listOf(text: string | undefined): string[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  return [...new Set(names.filter(Boolean))];
}

/** `90` and `90%` are the same. */
function shareOf(text: string, name: string): number {
  const percent = Number(text.replace(/%$/, ''));
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent / 100;
  throw new BatchProblem(`${name} must be a percentage from 0 to 100, not "${text}".`);
}

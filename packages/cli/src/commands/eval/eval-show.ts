/** `castor eval list`, `show` and `compare`: the tasks of a suite, the figures of a file, the difference of two. */

import { relative, resolve } from 'node:path';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import type { Output } from '../../output.ts';
import { toJson } from '../../to-json.ts';
import { BatchProblem } from '../batch/batch-context.ts';
import { parseWords } from '../parse-words.ts';
import { compareResults } from './compare.ts';
import type { Comparison } from './compare.ts';
import { readResults } from './eval-results.ts';
import type { EvalResults } from './eval-results.ts';
import { countTries, describeComparison, describeSummaries } from './eval-text.ts';
import { operandOf, parseCompare } from './eval-words.ts';
import type { CompareWords, ResultsOperand } from './eval-words.ts';
import { readSuite } from './read-suite.ts';
import { summarise } from './summarise.ts';

export interface ShowContext {
  output: Output;
  cwd: string;
}

const FORMATS = { '-o': ['text', 'json'], '--output-format': ['text', 'json'] };

export async function listTasks(argv: readonly string[], { output, cwd }: ShowContext): Promise<ExitCode> {
  const { operands, isJson } = wordsOf(argv, 'list');
  const suite = readSuite(resolve(cwd, operands[0] ?? 'evals'));
  const { name, models, prompts, tries, tasks } = suite;
  if (isJson) {
    const named = { name, models, tries, prompts: prompts.map((prompt) => prompt.name) };
    const rows = tasks.map(({ name: id, task, fingerprint }) => ({
      id,
      prompt: task.prompt,
      check: task.check,
      fingerprint,
    }));
    await output.answer(`${toJson({ ...named, tasks: rows }, { indent: 2 })}\n`);
    return ExitCode.Success;
  }
  const width = Math.max(...tasks.map(({ name: id }) => id.length));
  const rows = tasks.map(({ name: id, task }) => `${id.padEnd(width)}  ${firstLine(task.prompt)}`);
  const variants = Math.max(1, models.length) * prompts.length;
  const all = tasks.length * variants * tries;
  const factors = [countOf(tasks.length, 'task'), `${variants} of models and prompts`, countTries(tries)].join(' × ');
  const head = `${name}: ${factors} = ${countOf(all, 'run')}`;
  await output.answer(`${[head, ...rows].join('\n')}\n`);
  return ExitCode.Success;
}

export async function showResults(argv: readonly string[], { output, cwd }: ShowContext): Promise<ExitCode> {
  const { operands, isJson } = wordsOf(argv, 'show');
  const [word] = operands;
  if (word === undefined) throw new BatchProblem('Name a file of results: castor eval show <results.json>');
  const results = read(operandOf(word, cwd), cwd);
  const summaries = summarise(results);
  await output.answer(
    isJson ? `${toJson({ ...results, summaries }, { indent: 2 })}\n` : describeSummaries(results, summaries),
  );
  return ExitCode.Success;
}

export async function compareFiles(argv: readonly string[], { output, cwd }: ShowContext): Promise<ExitCode> {
  const words = parseCompare(argv, cwd);
  const [before, after] = [read(words.before, cwd), read(words.after, cwd)];
  const comparisons = compareResults(before, after, words.alpha);
  if (comparisons.length === 0)
    throw new BatchProblem(
      `The files have no model with the same prompt in common. Name one on each side: <file>#<model> (first: ${namesOf(before)}; second: ${namesOf(after)}).`,
      ExitCode.Input,
    );
  if (comparisons.every(({ tasks }) => tasks === 0))
    throw new BatchProblem('The files have no task in common that is the same in both.', ExitCode.Input);
  const regressions = comparisons.flatMap((comparison) => regressionsOf(comparison, words));
  if (words.format === 'json')
    await output.answer(`${toJson({ alpha: words.alpha, comparisons, regressions }, { indent: 2 })}\n`);
  else await output.answer(comparisons.map((each) => describeComparison(each, words.alpha)).join('\n'));
  for (const regression of regressions) output.note(`castor: regression: ${regression}`);
  return regressions.length > 0 ? ExitCode.Failure : ExitCode.Success;
}

/** What makes the command fail, in sentences. */
function regressionsOf(comparison: Comparison, { failOn, isStrict }: CompareWords): string[] {
  const { after, passed, changes, amounts } = comparison;
  const of = `${after.model} with ${after.prompt}`;
  const found: string[] = [];
  if (failOn.includes('pass')) {
    if (passed.direction === 'worse') found.push(`${of} passes less often.`);
    for (const { task, direction, isBeyondNoise, isComplete } of changes)
      if (direction === 'worse' && (isBeyondNoise || (isStrict && isComplete)))
        found.push(`${of} ${isComplete ? 'no longer passes' : 'passes less often'} in ${task}.`);
  }
  for (const [name, { factor, isBeyondNoise }] of Object.entries(amounts))
    if ((failOn as readonly string[]).includes(name) && isBeyondNoise && factor > 1)
      found.push(`${of} needs more ${name}.`);
  return found;
}

function read({ path, model, prompt }: ResultsOperand, cwd: string): EvalResults {
  const results = readResults(path);
  if (model === undefined) return results;
  const runs = results.runs.filter((run) => run.model === model && (prompt === undefined || run.prompt === prompt));
  if (runs.length === 0)
    throw new BatchProblem(
      `${relative(cwd, path)} has no run of ${[model, prompt].filter(Boolean).join(' with ')}; it has: ${namesOf(results)}.`,
      ExitCode.Input,
    );
  return { ...results, runs };
}

function namesOf({ runs }: EvalResults): string {
  return [...new Set(runs.map(({ model, prompt }) => `${model}#${prompt}`))].join(', ');
}

function wordsOf(argv: readonly string[], command: string): { operands: string[]; isJson: boolean } {
  const words = parseWords(argv, { command: `eval ${command}`, valued: FORMATS });
  if (typeof words === 'string') throw new BatchProblem(`${words} castor eval --help lists the options.`);
  const { operands, values } = words;
  if (operands.length > 1) throw new BatchProblem(`castor eval ${command} takes one name.`);
  return { operands, isJson: (values.get('-o') ?? values.get('--output-format')) === 'json' };
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}

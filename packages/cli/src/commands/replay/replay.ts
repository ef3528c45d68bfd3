/** `castor replay`: runs recordings again without a network, and fails on the first difference of each. */

import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';
import { toJson } from '../../to-json.ts';
import { parseWords } from '../parse-words.ts';
import type { CommandWords } from '../parse-words.ts';
import { tellUsage } from '../tell-usage.ts';
import { replayFile } from './replay-run.ts';
import type { Replayed } from './replay-run.ts';

const USAGE = `Usage: castor --record <file> -p "…"
       castor replay [<file or folder> …] [options]

Runs a recording again, without a network and without its commands, in a temporary
folder, and compares every request, the order of the calls, the changed files and the
exit code. It ends at the first difference. Without a name: all of the folder replays.

  --update         takes what happens now for right, and writes it to the file
  --keep [folder]  adds the recordings to a folder of tests (default: replays), if they
                   replay; castor replay then runs them, for example in CI
  --timed          keeps the pauses of the recorded answers
  -o <format>      text or json

Exit codes: 0 the same · 1 a difference · 42 not a recording, or one without an answer
More: docs/replay.md
`;

const DEFAULT_FOLDER = 'replays';

interface Outcome extends Replayed {
  file: string;
}

export async function runReplayCommand(
  argv: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const words = parseWords(spelled(argv), {
    ...{ command: 'replay', flags: ['--update', '--timed'] },
    valued: { '--keep': [], '-o': ['text', 'json'], '--output-format': ['text', 'json'] },
  });
  const cwd = process.cwd();
  const files = typeof words === 'string' ? words : findFiles(words.operands, cwd);
  if (typeof words === 'string' || typeof files === 'string') {
    output.note(`castor: ${String(files)}`);
    return typeof words === 'string' ? ExitCode.Failure : ExitCode.Input;
  }
  const isJson = (words.values.get('-o') ?? words.values.get('--output-format')) === 'json';
  const outcomes: Outcome[] = [];
  const options = { isUpdate: words.flags.has('--update'), isTimed: words.flags.has('--timed') };
  const program: [string, ...string[]] = [process.execPath, process.argv[1] ?? ''];
  const context = { environment: process.env, program, signal: interruption.signal };
  let isUnreadable = false;
  for (const path of files) {
    const file = nameOf(path, cwd);
    try {
      const outcome = { file, ...(await replayFile(path, options, context)) };
      outcomes.push(outcome);
      if (!isJson) await output.answer(describe(outcome, options.isUpdate));
    } catch (error) {
      if (interruption.signal.aborted) return ExitCode.Interrupted;
      isUnreadable = true;
      output.note(`castor: ${getErrorMessage(error)}`);
    }
  }
  const isSame = outcomes.every(({ difference, failure }) => !difference && failure === undefined);
  const kept = isSame && !isUnreadable ? keep(words, files, cwd) : undefined;
  if (isJson) await output.answer(`${toJson({ replays: outcomes, ...(kept && { kept }) }, { indent: 2 })}\n`);
  else if (kept) output.note(`castor: kept in ${kept}. castor replay runs it.`);
  if (isUnreadable) return ExitCode.Input;
  return isSame ? ExitCode.Success : ExitCode.Failure;
}

/** `--keep` alone means the default folder. */
function spelled(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    const next = argv[index + 1];
    const isBare = word === '--keep' && (next === undefined || next.startsWith('-'));
    return isBare ? [word, DEFAULT_FOLDER] : [word];
  });
}

/** A sentence where there is nothing to run. */
function findFiles(operands: readonly string[], cwd: string): string[] | string {
  const named = operands.length > 0 ? operands : [DEFAULT_FOLDER];
  const files: string[] = [];
  for (const name of named) {
    const path = resolve(cwd, name);
    if (!existsSync(path))
      return operands.length > 0
        ? `${name} does not exist.`
        : `There is no folder ${DEFAULT_FOLDER}. Name a recording: castor replay <file>; castor --record <file> -p "…" makes one.`;
    if (!statSync(path).isDirectory()) files.push(path);
    else
      files.push(
        ...readdirSync(path)
          .filter((each) => each.endsWith('.jsonl'))
          .sort()
          .map((each) => join(path, each)),
      );
  }
  return files.length > 0 ? files : `${named.join(', ')} holds no recording.`;
}

function keep({ values }: CommandWords, files: readonly string[], cwd: string): string | undefined {
  const folder = values.get('--keep');
  if (folder === undefined) return undefined;
  mkdirSync(resolve(cwd, folder), { recursive: true });
  for (const file of files) {
    const target = join(resolve(cwd, folder), `${basename(file).replace(/\.\w+$/, '')}.jsonl`);
    if (target !== file) copyFileSync(file, target);
  }
  return folder;
}

function describe(
  { file, difference, failure, requests, calls, changes, isPartial }: Outcome,
  isUpdate: boolean,
): string {
  const facts = [countOf(requests, 'request'), countOf(calls, 'call'), countOf(changes, 'changed file')].join(', ');
  if (failure !== undefined) return `✗ ${file}  the run could not be replayed\n${indented(failure)}`;
  if (!difference) {
    const verdict = isUpdate
      ? 'updated'
      : isPartial
        ? 'the same, up to where the recorded run was interrupted'
        : 'the same';
    return `✓ ${file}  ${verdict} (${facts})\n`;
  }
  const sides = [
    ...(difference.expected === undefined ? [] : [`recorded  ${difference.expected}`]),
    ...(difference.actual === undefined ? [] : [`now       ${difference.actual}`]),
  ];
  const again = difference.kind === 'missing' ? '' : `If this is right: castor replay --update ${file}`;
  const lines = [difference.message, ...sides, `after ${facts}. ${again}`.trim()];
  return `✗ ${file}  differs\n${indented(lines.join('\n'))}`;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');
}

function nameOf(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}

/** Runs one recording again in a process of its own, and reads what it found. */

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecording } from '@castor/core/program';
import type { Recording, ReplayReport } from '@castor/core/program';
import type { ReplayOptions } from '../../recording/open-tape.ts';
import { makePlace } from './replay-place.ts';

export interface ReplayContext {
  environment: Readonly<Record<string, string | undefined>>;
  program: readonly [string, ...string[]];
  signal: AbortSignal;
}

export interface Replayed extends ReplayReport {
  /** What the run wrote, where it ended without a report. */
  failure?: string;
}

const MAX_TEXT = 4_000;

/** Throws an Error that names what is wrong with the file. With `isUpdate` the file is replaced. */
export async function replayFile(path: string, options: ReplayOptions, context: ReplayContext): Promise<Replayed> {
  const recording = parseRecording(readFileSync(path, 'utf8'), path);
  if (!hasAnswer(recording))
    throw new Error(
      `${path} holds no answer of the model: the recorded run was interrupted before the first one. Nothing was compared; record it again.`,
    );
  const place = makePlace(recording, context.environment);
  try {
    const { directory } = place;
    copyFileSync(path, join(directory, 'recording.jsonl'));
    writeFileSync(join(directory, 'options.json'), JSON.stringify(options));
    const [command, ...first] = context.program;
    const words = await run(command, [...first, '--replay-in', directory, ...place.argv], {
      ...{ cwd: place.workspace, env: place.environment, stdin: recording.start.stdin, signal: context.signal },
    });
    const report = join(directory, 'report.json');
    if (!existsSync(report)) return { ...NOTHING, failure: words };
    const replayed = JSON.parse(readFileSync(report, 'utf8')) as ReplayReport;
    const updated = join(directory, 'updated.jsonl');
    if (options.isUpdate && !replayed.difference && existsSync(updated)) writeFileSync(path, readFileSync(updated));
    return replayed;
  } finally {
    place.remove();
  }
}

/** A run that asked the model nothing and ended by itself needs none. */
function hasAnswer({ lines, end }: Recording): boolean {
  if (end && lines.every(({ type }) => type !== 'request')) return true;
  return lines.some((line) => line.type === 'response' && (!line.isOpen || line.chunks.length > 0));
}

const NOTHING: ReplayReport = { requests: 0, calls: 0, changes: 0, isPartial: false };

function run(
  command: string,
  args: readonly string[],
  { cwd, env, stdin, signal }: { cwd: string; env: Record<string, string>; stdin: string; signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'ignore', 'pipe'], signal });
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => (words = `${words}${chunk.toString('utf8')}`.slice(-MAX_TEXT)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    child.once('error', reject);
    child.once('close', () => resolve(words.trim()));
  });
}

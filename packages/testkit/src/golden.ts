/**
 * Compares golden runs: the program's output, without what differs from run to run, with the output that a reviewer
 * accepted. `UPDATE_GOLDEN=1` rewrites the files; it does not decide whether they are right.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Placeholders for what differs, by the text they replace. */
export type Replacements = Readonly<Record<string, string>>;

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<session>'],
  [/("(?:duration_ms|durationMs|totalDurationMs|totalLatencyMs|delay_ms)": ?)\d+/g, '$1"<ms>"'],
  [/(trying again in )[\d.]+ s/g, '$1<seconds> s'],
  [/\b\d+ (tokens)/g, '<count> $1'],
  [/http:\/\/127\.0\.0\.1:\d+/g, '<model>'],
  [/(error: )\S*gemini-client-error\S*/g, '$1<report>'],
];

/** `text` with placeholders for times, ids and durations, and for the given texts first. */
export function normalise(text: string, replacements: Replacements = {}): string {
  let normal = text;
  for (const [found, placeholder] of Object.entries(replacements)) normal = normal.replaceAll(found, placeholder);
  for (const [pattern, placeholder] of CHANGING) normal = normal.replaceAll(pattern, placeholder);
  return normal;
}

/** The content of the golden file; with `UPDATE_GOLDEN=1` that is `actual` from now on. */
export async function readGolden(path: string, actual: string): Promise<string> {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, actual);
  }
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`There is no golden file ${path}. Run the test once with UPDATE_GOLDEN=1 and look at it.`, {
      cause: error,
    });
  });
}

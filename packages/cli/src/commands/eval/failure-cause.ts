/** The cause of a failed try in one line, without what differs from try to try, so that equal causes are counted together. */

import { readFileSync } from 'node:fs';
import type { TaskResult } from '@castor/batch';

const MAX_CAUSE = 160;
const END_BYTES = 4_096;

/** Undefined for a success. */
export function causeOf(result: TaskResult, mask: (text: string) => string): string | undefined {
  const { status, error, check, files } = result;
  if (status === 'success') return undefined;
  if (status === 'check_failed') {
    const said = lastLine(files?.check);
    const code = check?.exit_code ?? null;
    const how = code === null ? 'check: ended by a signal or its time' : `check: exit code ${code}`;
    return shorten(said === '' ? how : `check: ${alike(mask(said))}`);
  }
  if (!error) return status;
  return shorten(`${error.type}: ${alike(mask(error.message.split('\n')[0] ?? ''))}`);
}

/** Folders, ids, times and amounts differ between tries of the same failure. */
function alike(text: string): string {
  return text
    .replaceAll(/(?:\/[\w.@-]+){2,}\/?/g, (path) => `…/${path.split('/').findLast(Boolean) ?? ''}`)
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '#')
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b/g, '#')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function lastLine(path: string | undefined): string {
  if (path === undefined) return '';
  try {
    const lines = readFileSync(path).subarray(-END_BYTES).toString('utf8').trimEnd().split('\n');
    return lines.at(-1)?.trim() ?? '';
  } catch {
    // The output is gone; the exit code says enough.
    return '';
  }
}

function shorten(text: string): string {
  return text.length > MAX_CAUSE ? `${text.slice(0, MAX_CAUSE - 1)}…` : text;
}

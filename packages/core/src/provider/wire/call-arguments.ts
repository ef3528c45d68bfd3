/**
 * Reads the arguments of a call, in every form servers send them. It repairs nothing: arguments that are cut off or
 * malformed must not run, since half a file would be written.
 */

import { isRecord } from '../../util/is-record.ts';
import { isTooDeep } from './nesting.ts';

/** Undefined when they are not a JSON object, or nested too deeply. Absent, empty and null arguments are none. */
export function readArguments(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return toObject(given);
  const trimmed = given.trim();
  if (trimmed === '' || trimmed === 'null') return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    // Some servers encode the JSON text once more.
    return toObject(typeof value === 'string' ? JSON.parse(value) : value);
  } catch {
    // Incomplete for now, or for good: the caller decides.
    return undefined;
  }
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) && !isTooDeep(value) ? value : undefined;
}

/**
 * Reads the arguments of a call, in every form servers send them. It repairs nothing: arguments that are cut off or
 * malformed must not run, since half a file would be written.
 */

import { isRecord } from '../../util/is-record.ts';

/** Undefined when they are not a JSON object. Absent, empty and null arguments are none. */
export function readArguments(given: unknown): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return isRecord(given) ? given : undefined;
  const trimmed = given.trim();
  if (trimmed === '' || trimmed === 'null') return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    // Some servers encode the JSON text once more.
    const inner: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return isRecord(inner) ? inner : undefined;
  } catch {
    // Incomplete for now, or for good: the caller decides.
    return undefined;
  }
}

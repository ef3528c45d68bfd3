/** Reads the errors in what a language server says: bounded, and only errors. Pure. */

import { isRecord } from '../util/is-record.ts';

export interface FileError {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

const ERROR = 1;
const MAX_ERRORS = 1_000;
const MAX_MESSAGE = 500;

/** Diagnostics of the protocol. */
export function readDiagnostics(items: unknown): FileError[] {
  return listOf(items).flatMap((item) => {
    if (item['severity'] !== undefined && item['severity'] !== ERROR) return [];
    const { range, message, source, code } = item;
    const start = isRecord(range) && isRecord(range['start']) ? range['start']['line'] : undefined;
    return [toError(typeof start === 'number' ? start + 1 : 1, message, [source, code])];
  });
}

/** The answer of tsserver to one of its own requests. */
export function readTypeScriptErrors(answer: unknown): FileError[] {
  return listOf(isRecord(answer) ? answer['body'] : undefined).flatMap((item) => {
    const { category, start, text, code } = item;
    if (category !== 'error') return [];
    const line = isRecord(start) ? start['line'] : undefined;
    return [toError(typeof line === 'number' ? line : 1, text, ['typescript', code])];
  });
}

function listOf(items: unknown): Record<string, unknown>[] {
  return Array.isArray(items) ? items.slice(0, MAX_ERRORS).filter((item: unknown) => isRecord(item)) : [];
}

function toError(line: number, message: unknown, origin: readonly unknown[]): FileError {
  const from = origin.filter((each) => typeof each === 'string' || typeof each === 'number').join(' ');
  const words = `${String(message)}${from === '' ? '' : ` (${from})`}`;
  return { line, message: words.slice(0, MAX_MESSAGE).toWellFormed() };
}

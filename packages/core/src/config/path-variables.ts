/**
 * Replaces the variables of an extension's files: `${extensionPath}`, `${workspacePath}`, `${/}`, `${pathSeparator}`, and
 * in its skills and agents the values of its settings.
 */

import { sep } from 'node:path';

export interface VariablePaths {
  readonly extensionPath: string;
  /** The folder the agent works in. */
  readonly workspacePath: string;
}

const VARIABLE = /\$\{(\w+|\/)\}/g;
/** Assigning these would change the prototype of a copy. */
const DROPPED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A copy with every string replaced; keys and unknown variables stay as written. A path precedes a value of its name. */
export function replacePathVariables<T>(
  value: T,
  { extensionPath, workspacePath }: VariablePaths,
  values: Readonly<Record<string, string>> = {},
): T {
  const known = { ...values, extensionPath, workspacePath, '/': sep, pathSeparator: sep };
  return replaceAll(value, known) as T;
}

function replaceAll(value: unknown, known: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return replaceInText(value, known);
  if (Array.isArray(value)) return value.map((item: unknown) => replaceAll(item, known));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, replaceAll(item, known)]));
}

function replaceInText(text: string, known: Readonly<Record<string, string>>): string {
  if (!text.includes('${')) return text;
  return text.replaceAll(VARIABLE, (whole, name: string) => (Object.hasOwn(known, name) ? known[name]! : whole));
}

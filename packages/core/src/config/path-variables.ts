/** Replaces the path variables of an extension's files: `${extensionPath}`, `${workspacePath}`, `${/}`, `${pathSeparator}`. */

import { sep } from 'node:path';

export interface VariablePaths {
  readonly extensionPath: string;
  /** The folder the agent works in. */
  readonly workspacePath: string;
}

const VARIABLE = /\$\{(extensionPath|workspacePath|\/|pathSeparator)\}/g;
/** Assigning these would change the prototype of a copy. */
const DROPPED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A copy with every string replaced; keys stay as written. */
export function replacePathVariables(value: unknown, paths: VariablePaths): unknown {
  if (typeof value === 'string') return replaceInText(value, paths);
  if (Array.isArray(value)) return value.map((item: unknown) => replacePathVariables(item, paths));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, replacePathVariables(item, paths)]));
}

function replaceInText(text: string, { extensionPath, workspacePath }: VariablePaths): string {
  if (!text.includes('${')) return text;
  return text.replaceAll(VARIABLE, (_, name: string) => {
    if (name === 'extensionPath') return extensionPath;
    return name === 'workspacePath' ? workspacePath : sep;
  });
}

/**
 * Finds files below one place by glob pattern. It skips folders that cannot contain a
 * match and aborts a pattern that would run forever.
 */

import { stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import { runGuarded } from '../guarded-regexp.ts';
import type { SearchScope } from './search-scope.ts';
import { walkFiles } from './walk-files.ts';
import type { WalkOptions } from './walk-files.ts';
import type { Workspace } from './workspace.ts';

type Picomatch = (glob: string, options: { dot: boolean; nocase: boolean }) => (file: string) => boolean;

/** The used part of picomatch's scan result. */
interface GlobParts {
  base: string;
  isGlob: boolean;
  negated: boolean;
  input: string;
}

export interface FindOptions extends Omit<WalkOptions, 'enters' | 'select'> {
  pattern: string;
  caseSensitive: boolean;
}

/** Names relative to the scope. A pattern equal to a file's name matches that file, whatever special characters it contains. */
export async function findFiles(
  workspace: Workspace,
  scope: SearchScope,
  { pattern: given, caseSensitive, ...options }: FindOptions,
): Promise<string[]> {
  const pattern = toRelativePattern(given, scope);
  if (pattern === undefined) return [];
  const { default: picomatch } = await import('picomatch');
  const nocase = !caseSensitive;
  const isLiteral = await exists(join(scope.real, pattern));
  const accepts = isLiteral ? equals(pattern, nocase) : compile(picomatch, pattern, nocase);
  const fixed = isLiteral ? pattern.split('/').slice(0, -1) : fixedFolders(picomatch.scan(pattern));
  return walkFiles(workspace, scope, {
    ...options,
    select: (files) => runGuarded(() => files.filter((file) => accepts(file)), given, 'glob_execution_error'),
    enters: (directory) => liesOnTheWay(directory, fixed, nocase),
  });
}

/** The pattern relative to the scope; undefined when it can only match elsewhere. */
function toRelativePattern(pattern: string, scope: SearchScope): string | undefined {
  const plain = sep === '/' ? pattern : pattern.replaceAll(sep, '/');
  if (!isAbsolute(plain)) return plain.replace(/^(\.\/)+/, '');
  for (const base of [scope.named, scope.real]) {
    if (plain.startsWith(`${base}/`)) return relative(base, plain).replaceAll(sep, '/');
  }
  return undefined;
}

/** The folders that contain every match. */
function fixedFolders({ base, isGlob, negated, input }: GlobParts): string[] {
  if (negated || input.includes('\\')) return [];
  const names = base.split('/').filter((name) => name !== '' && name !== '.');
  return isGlob ? names : names.slice(0, -1);
}

function liesOnTheWay(directory: string, fixed: readonly string[], nocase: boolean): boolean {
  const fold = (text: string) => (nocase ? text.toLowerCase() : text);
  return directory
    .split('/')
    .slice(0, fixed.length)
    .every((name, index) => fold(name) === fold(fixed[index] ?? ''));
}

function equals(pattern: string, nocase: boolean): (file: string) => boolean {
  const folded = pattern.toLowerCase();
  return nocase ? (file) => file.toLowerCase() === folded : (file) => file === pattern;
}

function compile(picomatch: Picomatch, pattern: string, nocase: boolean): (file: string) => boolean {
  try {
    return picomatch(pattern, { dot: true, nocase });
  } catch (error) {
    throw new ToolError(`Invalid pattern "${pattern}".`, 'glob_execution_error', { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

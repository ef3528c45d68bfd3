/**
 * FileReferences: resolves the user's `@path` references and reads them, within the
 * workspace and its ignore files. The caller finds `@path` in a text and frames the content.
 * An invalid name from the user never throws.
 */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Part } from '../protocol/content.ts';
import { ToolError } from '../protocol/errors.ts';
import { readUnsaved } from '../tools/files/file-store.ts';
import type { FindOptions } from '../tools/files/find-files.ts';
import { EXCLUDED_DIRECTORIES, openDirectoryScope } from '../tools/files/search-scope.ts';
import type { Workspace } from '../tools/files/workspace.ts';

export type ResolvedReference =
  /** `name` is for the model; `pattern` is the path to read. */
  | { kind: 'file' | 'directory' | 'pattern'; name: string; pattern: string }
  | { kind: 'outside' | 'ignored' | 'missing'; reason: string };

export interface ReferencedFiles {
  /** In order, by display name. */
  files: { name: string; parts: Part[] }[];
  problems: string[];
}

export type ReadReferences = (patterns: readonly string[], signal: AbortSignal) => Promise<ReferencedFiles>;

export interface FileReferences {
  /** Whether a readable file or directory of exactly this name exists. */
  exists(name: string): Promise<boolean>;
  /** `search`: look for a missing name everywhere, which costs a walk through the workspace. Default true. */
  resolve(name: string, signal: AbortSignal, options?: { search?: boolean }): Promise<ResolvedReference>;
  read: ReadReferences;
}

/** Glob characters in a file name are literal. */
const GLOB_CHARACTER = /[\\*?[\]{}()!+@|]/g;

/** `mayGuess`: whether to look for a missing name everywhere. */
export function createFileReferences(workspace: Workspace, read: ReadReferences, mayGuess = true): FileReferences {
  return {
    exists: async (name) => (await look(workspace, name)) !== undefined,
    read,
    async resolve(name, signal, { search: isSearched = true } = {}) {
      try {
        const found = await resolveNamed(workspace, name);
        if (found) return found;
        const matched = isSearched ? await resolvePattern(workspace, name, signal) : undefined;
        if (matched) return matched;
        return isSearched && mayGuess ? await search(workspace, name, signal) : missing(name);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { kind: error.type === 'path_not_in_workspace' ? 'outside' : 'missing', reason: error.message };
      }
    },
  };
}

async function resolveNamed(workspace: Workspace, name: string): Promise<ResolvedReference | undefined> {
  // Check the workspace first: the answer must not reveal whether a file outside exists.
  await workspace.checkPath(name);
  for (const directory of workspace.directories) {
    const absolute = path.resolve(directory, name);
    const kind = (await look(workspace, absolute)) ?? (await lookInEditor(workspace, absolute));
    if (kind === undefined) continue;
    if (kind === 'other') return { kind: 'ignored', reason: `${name} is not a regular file` };
    workspace.ignore.refresh();
    if (absolute !== directory && workspace.ignore.isIgnored(absolute, kind)) {
      return { kind: 'ignored', reason: `${name} is ignored by .gitignore or .geminiignore` };
    }
    return toReference(workspace, { directory, absolute, kind });
  }
  return undefined;
}

/** A name that matches no file may be a pattern: `src/*.ts`. */
async function resolvePattern(
  workspace: Workspace,
  name: string,
  signal: AbortSignal,
): Promise<ResolvedReference | undefined> {
  if (!/[*?[{]/.test(name)) return undefined;
  for (const directory of workspace.directories) {
    const pattern = path.relative(directory, path.resolve(directory, name));
    if (pattern.split(path.sep).includes('..')) continue;
    const found = await find(workspace, directory, { pattern, signal });
    if (found.length > 0) return { kind: 'pattern', name, pattern: path.join(directory, pattern) };
  }
  return undefined;
}

async function find(
  workspace: Workspace,
  directory: string,
  options: Pick<FindOptions, 'pattern' | 'signal'>,
): Promise<string[]> {
  const { findFiles } = await import('../tools/files/find-files.ts');
  const scope = await openDirectoryScope(workspace, directory);
  return findFiles(workspace, scope, { caseSensitive: false, excludedDirectories: EXCLUDED_DIRECTORIES, ...options });
}

interface Found {
  /** The workspace directory it lies in. */
  directory: string;
  absolute: string;
  kind: 'file' | 'directory';
}

function toReference(workspace: Workspace, { directory, absolute, kind }: Found): ResolvedReference {
  const name = workspace.relative(absolute);
  if (kind === 'file') return { kind, name, pattern: absolute };
  const below = path.relative(directory, absolute).replaceAll(GLOB_CHARACTER, String.raw`\$&`);
  return { kind, name: name === '.' ? '**' : `${name}/**`, pattern: path.join(directory, below, '**') };
}

async function look(workspace: Workspace, name: string): Promise<'file' | 'directory' | 'other' | undefined> {
  try {
    const found = await stat(await workspace.checkPath(name));
    if (found.isDirectory()) return 'directory';
    return found.isFile() ? 'file' : 'other';
  } catch {
    // Missing, outside the workspace, or an invalid file name.
    return undefined;
  }
}

/** An editor may have a file that it has not saved yet. */
async function lookInEditor(workspace: Workspace, name: string): Promise<'file' | undefined> {
  const real = await workspace.checkPath(name).catch(() => undefined);
  return real !== undefined && (await readUnsaved(workspace, real)) ? 'file' : undefined;
}

/** The first file in the workspace whose name contains the typed text. */
async function search(workspace: Workspace, name: string, signal: AbortSignal): Promise<ResolvedReference> {
  const wanted = name.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  if (wanted === '' || wanted.split('/').includes('..')) return missing(name);
  const pattern = `**/*${wanted.replaceAll(GLOB_CHARACTER, String.raw`\$&`)}*`;
  for (const directory of workspace.directories) {
    const [first] = (await find(workspace, directory, { pattern, signal })).sort(byDepth);
    if (first !== undefined)
      return toReference(workspace, { directory, absolute: path.join(directory, first), kind: 'file' });
  }
  return missing(name);
}

function missing(name: string): ResolvedReference {
  return { kind: 'missing', reason: `no file matches ${name}` };
}

/** Nearest first, then by name: the same tree always gives the same file. */
function byDepth(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}

/**
 * Finds context files, the instructions of the sources for the model, by name and reports
 * them. Loads the code that reads them only when files were found, so that a folder
 * without any costs a few look-ups. Reads no file of an untrusted source.
 */

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { isProjectTrusted } from '../protocol/source.ts';
import type { Source, SourceKind } from '../protocol/source.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import { findPlaces } from '../util/find-places.ts';
import { joinSentences } from '../util/join-sentences.ts';

/** The settings for context files. */
export interface ContextFileOptions {
  /** The file names to look for, in this order. Default GEMINI.md. */
  fileNames?: readonly string[];
  /** Read AGENTS.md in a directory that has none of the names. Default true. */
  readAgentsFile?: boolean;
  /** Names that mark the top of a project; the search ends at a directory that contains one. Default .git. */
  boundaryMarkers?: readonly string[];
  /** `tree` puts an import in place of its reference, `flat` appends every file once after the first. */
  importFormat?: 'tree' | 'flat' | undefined;
  /** Also read the files of the other workspace directories. */
  loadFromIncludeDirectories?: boolean;
}

export interface LoadContextOptions extends ContextFileOptions {
  home: string;
  /** The workspace directories; the root first. */
  directories: readonly string[];
  sources: readonly Source[];
  hints?: UserHints | undefined;
  /** Whether the user hides a file from the model (.geminiignore). */
  isIgnored?: (file: string) => boolean;
}

export interface ContextFile {
  path: string;
  /** The scope in the frames around it, see context-assembly.ts. */
  scope: 'global' | 'extension' | 'project';
  /** As sent: with imports, without hidden characters. */
  bytes: number;
}

export interface LoadedContext {
  /** For the system instruction, framed; empty without files. */
  global: string;
  /** From extensions and the project, for the first user message, framed; empty without files. */
  project: string;
  files: ContextFile[];
  warnings: string[];
}

/** A file to be read, and the directories its imports may come from. */
export interface FoundContextFile {
  path: string;
  /** The kind of the source it belongs to. */
  kind: SourceKind;
  /** The name shown to users and the model. */
  name: string;
  allowedRoots: readonly string[];
}

export const DEFAULT_CONTEXT_FILE = 'GEMINI.md';
const AGENTS_FILE = 'AGENTS.md';
const DEFAULT_MARKERS: readonly string[] = ['.git'];

/** Never throws: `warnings` lists unreadable files. */
export async function loadContextFiles(options: LoadContextOptions): Promise<LoadedContext> {
  const ofSources = findSourceFiles(options);
  const project = findProjectFiles(options);
  const isTrusted = isProjectTrusted(options.sources);
  const warnings = isTrusted ? [] : describeUnread(project, options.hints);
  const found = [...ofSources, ...(isTrusted ? project : [])];
  if (found.length === 0) return { global: '', project: '', files: [], warnings };
  const { assembleContext } = await import('./context-assembly.ts');
  const context = await assembleContext(found, options.importFormat ?? 'tree');
  return { ...context, warnings: [...warnings, ...context.warnings] };
}

/** The context files in one directory, by the rule for names. */
export function findInDirectory(directory: string, options: ContextFileOptions): string[] {
  const names = wantedNames(options);
  const found = names.map((name) => path.join(directory, name)).filter(isThere);
  if (found.length > 0 || options.readAgentsFile === false || names.includes(AGENTS_FILE)) return found;
  return [path.join(directory, AGENTS_FILE)].filter(isThere);
}

/** The directory that bounds the project around `directory`: the nearest one with a marker, else `directory` itself. */
export function findBoundary(directory: string, { home, boundaryMarkers }: BoundaryOptions): string {
  const markers = (boundaryMarkers ?? DEFAULT_MARKERS).filter((marker) => marker !== '' && !marker.includes('..'));
  for (let current = directory; ; current = path.dirname(current)) {
    if (markers.some((marker) => isThere(path.join(current, marker)))) return current;
    // Without a marker, directories above need not belong to the project.
    if (current === home || path.dirname(current) === current) return directory;
  }
}

export interface BoundaryOptions extends Pick<ContextFileOptions, 'boundaryMarkers'> {
  home: string;
}

/** The files of sources that keep them in their own folder. */
function findSourceFiles(options: LoadContextOptions): FoundContextFile[] {
  return findPlaces(options.sources, 'context').flatMap(({ source, path: directory }) => {
    const { kind, contextFileNames } = source;
    const names = contextFileNames ? { fileNames: contextFileNames, readAgentsFile: false } : options;
    return findInDirectory(directory, names).map((file) => ({
      path: file,
      kind,
      name: describePath(file, options.home),
      allowedRoots: [directory],
    }));
  });
}

function describePath(file: string, home: string): string {
  const relative = path.relative(home, file);
  const isOutside = relative.startsWith('..') || path.isAbsolute(relative);
  return isOutside ? file : path.join('~', relative);
}

/** From the top of the project down to the workspace directory: the nearer file takes precedence. */
function findProjectFiles(options: LoadContextOptions): FoundContextFile[] {
  const { directories, isIgnored, loadFromIncludeDirectories = false } = options;
  const starts = loadFromIncludeDirectories ? directories : directories.slice(0, 1);
  const found = new Map<string, FoundContextFile>();
  for (const start of starts) {
    const boundary = findBoundary(start, options);
    for (const directory of directoriesBetween(boundary, start)) {
      if (directory === userDirectory(options.home)) continue;
      for (const file of findInDirectory(directory, options)) {
        if (isIgnored?.(file)) continue;
        const name = path.relative(directories[0] ?? start, file);
        found.set(file, { path: file, kind: 'project', name, allowedRoots: [boundary, ...directories] });
      }
    }
  }
  return [...found.values()];
}

/** From the outer to the inner directory, both included. */
export function directoriesBetween(outer: string, inner: string): string[] {
  const directories = [inner];
  for (let current = inner; current !== outer && path.dirname(current) !== current;) {
    current = path.dirname(current);
    directories.unshift(current);
  }
  return directories;
}

function describeUnread(files: readonly FoundContextFile[], hints: UserHints | undefined): string[] {
  if (files.length === 0) return [];
  const names = files.map(({ name }) => name).join(', ');
  return [joinSentences(`${names} was skipped, because this folder is not trusted.`, hints?.trustFolder)];
}

/** The files of the user's own memory, existing or not; never other files of that directory that a project names. */
export function globalMemoryFiles(home: string, options: ContextFileOptions = {}): string[] {
  return wantedNames(options)
    .filter((name) => /\.md$/i.test(name))
    .map((name) => path.join(userDirectory(home), name));
}

/** Drops names that contain a path: they could point outside the directory. */
function wantedNames({ fileNames = [DEFAULT_CONTEXT_FILE] }: ContextFileOptions): string[] {
  return [...new Set(fileNames.map((name) => name.trim()))].filter(
    (name) => name !== '' && path.basename(name) === name && name !== '..' && name !== '.',
  );
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // An unreadable directory counts as empty.
    return false;
  }
}

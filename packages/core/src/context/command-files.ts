/**
 * Finds and validates the custom commands of the sources: TOML files below `commands/`, one
 * command each. The surface expands a prompt's placeholders. An invalid file is skipped
 * with a warning.
 */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { isForeign } from '../protocol/source.ts';
import type { Source } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import { readContextFile } from './context-reader.ts';
import { toOneLine } from '../util/short-text.ts';

export interface CommandFile {
  /** Derived from its path: `git/commit.toml` is `git:commit`. */
  name: string;
  source: Source;
  file: string;
  description: string;
  prompt: string;
}

export interface LoadedCommandFiles {
  commands: CommandFile[];
  problems: string[];
}

const MAX_FILES = 1000;
const MAX_DEPTH = 10;
const MAX_SEGMENT = 50;
const MAX_DESCRIPTION = 100;

/** In the order of the sources, by path within each. Two files may define the same name. */
export async function loadCommandFiles(sources: readonly Source[]): Promise<LoadedCommandFiles> {
  const loaded: LoadedCommandFiles = { commands: [], problems: [] };
  for (const { source, path: folder } of findPlaces(sources, 'commands')) {
    const { commands, problems } = await loadFolder(folder, source);
    loaded.commands.push(...commands);
    loaded.problems.push(...problems);
  }
  return loaded;
}

async function loadFolder(folder: string, source: Source): Promise<LoadedCommandFiles> {
  const problems: string[] = [];
  const commands: CommandFile[] = [];
  const files = await findCommandFiles(folder, problems);
  for (const file of files) {
    const command = await loadCommandFile(file, folder, source);
    if (typeof command === 'string') problems.push(`${file}: ${command}`);
    else commands.push(command);
  }
  return { commands, problems };
}

/** Sorted, so that the same files always give the same list. Does not follow links to folders. */
async function findCommandFiles(folder: string, problems: string[], depth = 0): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) files.push(...(await findCommandFiles(file, problems, depth + 1)));
      else if (entry.name.toLowerCase().endsWith('.toml') && !entry.isDirectory()) files.push(file);
    }
    if (files.length <= MAX_FILES) return files;
    problems.push(`${folder}: more than ${MAX_FILES} command files; the rest was skipped.`);
    return files.slice(0, MAX_FILES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push(`${folder}: the commands are not readable: ${getErrorMessage(error)}`);
    return [];
  }
}

/** The command, or the problem with the file. */
async function loadCommandFile(file: string, folder: string, source: Source): Promise<CommandFile | string> {
  const read = await readContextFile(file, isForeign(source.kind) ? [folder] : undefined);
  if ('reason' in read) return `the command was skipped: ${read.reason}.`;
  const { parse, TomlError } = await import('smol-toml');
  let table: Record<string, unknown>;
  try {
    table = parse(read.text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return `line ${error.line}: the command was skipped: ${error.message.split('\n')[0]}.`;
  }
  const { prompt, description } = table;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    return `the command was skipped: prompt must be a string such as prompt = "…"${describeGot(prompt)}.`;
  }
  if (description !== undefined && typeof description !== 'string') {
    return `the command was skipped: description must be a string${describeGot(description)}.`;
  }
  return {
    name: toCommandName(path.relative(folder, file)),
    source,
    file,
    description: shorten(description ?? `Custom command from ${path.basename(file)}`),
    prompt,
  };
}

function describeGot(value: unknown): string {
  return value === undefined || typeof value === 'string' ? '' : `, not ${JSON.stringify(value)}`;
}

function toCommandName(relative: string): string {
  const segments = relative.slice(0, -'.toml'.length).split(path.sep);
  return segments
    .map((segment) => segment.replaceAll(/[^A-Za-z0-9_.-]/g, '_'))
    .map((segment) => (segment.length > MAX_SEGMENT ? `${segment.slice(0, MAX_SEGMENT - 3)}...` : segment))
    .join(':');
}

/** One line, for lists. */
function shorten(description: string): string {
  const line = toOneLine(description);
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 3)}...` : line;
}

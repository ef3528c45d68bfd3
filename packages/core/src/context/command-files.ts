/**
 * Finds and validates the custom commands of the sources: TOML files below `commands/`, one
 * command each, and Markdown files of other agents where the user allows it. The surface
 * expands a prompt's placeholders. An invalid file is skipped with a warning.
 */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { isForeign } from '../protocol/source.ts';
import type { Source, SourceContent } from '../protocol/source.ts';
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
  /** Whose placeholders the prompt has. */
  syntax: 'toml' | 'claude' | 'codex';
  /** The syntax of its arguments, for the user. */
  argumentHint?: string;
  /** The only tools it may use, as its author wrote them. It grants none. */
  allowedTools?: readonly string[];
  /** The model its author wants. */
  model?: string;
}

export interface LoadedCommandFiles {
  commands: CommandFile[];
  problems: string[];
}

const MAX_FILES = 1000;
const MAX_DEPTH = 10;
const MAX_SEGMENT = 50;
const MAX_DESCRIPTION = 100;

interface Kind {
  content: SourceContent;
  syntax: CommandFile['syntax'];
  extension: string;
  maxDepth: number;
  /** Before the name, as users of the other agent type it. */
  prefix?: string;
}

const OWN: Kind = { content: 'commands', syntax: 'toml', extension: '.toml', maxDepth: MAX_DEPTH };
const OTHERS: Readonly<Record<'claude' | 'codex', Kind>> = {
  claude: { content: 'claudeCommands', syntax: 'claude', extension: '.md', maxDepth: MAX_DEPTH },
  codex: { content: 'codexPrompts', syntax: 'codex', extension: '.md', maxDepth: 0, prefix: 'prompts:' },
};

export interface CommandFileOptions {
  /** Other agents whose commands are read. */
  readFilesOf?: readonly (keyof typeof OTHERS)[] | undefined;
}

/** By kind, in the order of the sources, by path within each. Two files may define the same name. */
export async function loadCommandFiles(
  sources: readonly Source[],
  { readFilesOf = [] }: CommandFileOptions = {},
): Promise<LoadedCommandFiles> {
  const loaded: LoadedCommandFiles = { commands: [], problems: [] };
  for (const kind of [OWN, ...readFilesOf.map((agent) => OTHERS[agent])]) {
    for (const { source, path: folder } of findPlaces(sources, kind.content)) {
      await loadFolder(folder, source, kind, loaded);
    }
  }
  return loaded;
}

/** How many command files of other agents the sources hold that are not read; agents without one are left out. */
export async function countUnreadCommands(
  sources: readonly Source[],
  { readFilesOf = [] }: CommandFileOptions = {},
): Promise<{ agent: keyof typeof OTHERS; count: number }[]> {
  const unread: { agent: keyof typeof OTHERS; count: number }[] = [];
  for (const agent of ['claude', 'codex'] as const) {
    if (readFilesOf.includes(agent)) continue;
    const folders = findPlaces(sources, OTHERS[agent].content).map(({ path: folder }) => folder);
    const found = await Promise.all(folders.map((folder) => findCommandFiles(folder, [], OTHERS[agent])));
    const count = found.flat().length;
    if (count > 0) unread.push({ agent, count });
  }
  return unread;
}

async function loadFolder(
  folder: string,
  source: Source,
  kind: Kind,
  { commands, problems }: LoadedCommandFiles,
): Promise<void> {
  const files = await findCommandFiles(folder, problems, kind);
  for (const file of files) {
    const read =
      kind.syntax === 'toml' ? await readToml(file, folder, source) : await readMarkdown(file, folder, source, kind);
    if (typeof read === 'string') problems.push(`${file}: ${read}`);
    else {
      const name = `${kind.prefix ?? ''}${toCommandName(path.relative(folder, file), kind.extension)}`;
      commands.push({ ...read, name, source, file, description: shorten(read.description) });
    }
  }
}

async function readMarkdown(file: string, folder: string, source: Source, { syntax }: Kind) {
  const { readMarkdownCommand } = await import('./markdown-commands.ts');
  return readMarkdownCommand(file, { folder, source, syntax: syntax === 'codex' ? 'codex' : 'claude' });
}

/** Sorted, so that the same files always give the same list. Does not follow links to folders. */
async function findCommandFiles(folder: string, problems: string[], kind: Kind, depth = 0): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && depth < kind.maxDepth)
        files.push(...(await findCommandFiles(file, problems, kind, depth + 1)));
      else if (entry.name.toLowerCase().endsWith(kind.extension) && !entry.isDirectory()) files.push(file);
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

type ReadCommand = Omit<CommandFile, 'name' | 'source' | 'file'>;

/** The command, or the problem with the file. */
async function readToml(file: string, folder: string, source: Source): Promise<ReadCommand | string> {
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
  const { prompt, description, 'argument-hint': hint } = table;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    return `the command was skipped: prompt must be a string such as prompt = "…"${describeGot(prompt)}.`;
  }
  if (description !== undefined && typeof description !== 'string') {
    return `the command was skipped: description must be a string${describeGot(description)}.`;
  }
  return {
    syntax: 'toml',
    description: description ?? `Custom command from ${path.basename(file)}`,
    prompt,
    ...(typeof hint === 'string' && { argumentHint: hint }),
  };
}

function describeGot(value: unknown): string {
  return value === undefined || typeof value === 'string' ? '' : `, not ${JSON.stringify(value)}`;
}

function toCommandName(relative: string, extension: string): string {
  const segments = relative.slice(0, -extension.length).split(path.sep);
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

/** list_directory: lists the names in one directory, without those the project ignores. */

import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolResult } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import type { IgnoreQuery } from '../files/ignore-rules.ts';
import { toFileError } from '../files/opened-file.ts';
import type { Workspace } from '../files/workspace.ts';
import { holdPlace } from '../files/search-scope.ts';
import type { HeldPlace } from '../files/search-scope.ts';
import { matchesWildcard } from '../wildcard.ts';

const DESCRIPTION =
  'Lists the files and subdirectories directly in a directory, with sizes. Entries ignored by .gitignore or .geminiignore are omitted.';

/** How many entries are measured at once. */
const BATCH = 256;

interface Params {
  dir_path: string;
  ignore?: string[];
  file_filtering_options?: { respect_git_ignore?: boolean; respect_gemini_ignore?: boolean };
}

interface Entry {
  name: string;
  isDirectory: boolean;
  size: number;
}

export interface ListDirectoryDependencies {
  workspace: Workspace;
}

export function createListDirectoryTool({ workspace }: ListDirectoryDependencies): DefinedTool {
  return defineTool({
    name: 'list_directory',
    displayName: 'ReadFolder',
    kind: 'search',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        dir_path: { type: 'string', minLength: 1, description: 'The directory to list.' },
        ignore: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names to exclude, with * and ? as wildcards.',
        },
        file_filtering_options: {
          type: 'object',
          description: 'Which ignore files apply; both by default.',
          properties: { respect_git_ignore: { type: 'boolean' }, respect_gemini_ignore: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
      required: ['dir_path'],
      additionalProperties: false,
    },
    describe: ({ dir_path }) => workspace.relative(dir_path),
    locations: ({ dir_path }) => [{ path: workspace.resolve(dir_path) }],
    async execute(params, { signal }) {
      const named = workspace.resolve(params.dir_path);
      const real = await workspace.checkPath(params.dir_path);
      throwIfAborted(signal);
      await using held = await holdDirectory(real, named);
      const found = await readEntries(held.path, named);
      workspace.ignore.refresh();
      if (found.length === 0) {
        return { llmContent: `Directory ${named} is empty.`, returnDisplay: 'Directory is empty.' };
      }
      const query = toIgnoreQuery(params.file_filtering_options);
      const visible = found.filter(
        (entry) =>
          !workspace.ignore.isIgnored(join(named, entry.name), entry.isDirectory() ? 'directory' : 'file', query),
      );
      const wanted = visible.filter(({ name }) => !params.ignore?.some((pattern) => matchesWildcard(name, pattern)));
      const entries = await describeEntries(held.path, wanted, signal);
      return toResult(named, entries, found.length - visible.length);
    },
  });
}

function toIgnoreQuery(options: Params['file_filtering_options'] = {}): IgnoreQuery {
  return {
    git: options.respect_git_ignore,
    gemini: options.respect_gemini_ignore,
  };
}

async function holdDirectory(real: string, named: string): Promise<HeldPlace> {
  try {
    return await holdPlace({ real, named });
  } catch (error) {
    throw toListError(error, named);
  }
}

async function readEntries(path: string, named: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    throw toListError(error, named);
  }
}

function toListError(error: unknown, named: string): ToolError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOTDIR') {
    return new ToolError(`Path is not a directory: ${named}`, 'path_is_not_a_directory', { cause: error });
  }
  if (code === 'ENOENT') return new ToolError(`Directory not found: ${named}`, 'file_not_found', { cause: error });
  return toFileError(error, named, 'ls_execution_error');
}

async function describeEntries(directory: string, found: Dirent[], signal: AbortSignal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let start = 0; start < found.length; start += BATCH) {
    throwIfAborted(signal);
    const batch = await Promise.all(found.slice(start, start + BATCH).map((entry) => describeEntry(directory, entry)));
    for (const entry of batch) if (entry) entries.push(entry);
  }
  const { compare } = new Intl.Collator();
  return entries.sort((a, b) => Number(b.isDirectory) - Number(a.isDirectory) || compare(a.name, b.name));
}

/** Undefined for an entry deleted meanwhile. */
async function describeEntry(directory: string, entry: Dirent): Promise<Entry | undefined> {
  const { name } = entry;
  if (entry.isDirectory()) return { name, isDirectory: true, size: 0 };
  const path = join(directory, name);
  try {
    const stats = await stat(path).catch(() => lstat(path));
    return { name, isDirectory: stats.isDirectory(), size: stats.size };
  } catch {
    return undefined;
  }
}

function toResult(named: string, entries: Entry[], ignored: number): ToolResult {
  const lines = entries.map(({ name, isDirectory, size }) =>
    isDirectory ? `[DIR] ${name}` : `${name} (${size} bytes)`,
  );
  const note = ignored > 0 ? `(${ignored} ignored)` : '';
  return {
    llmContent: `Directory listing for ${named}:\n${lines.join('\n')}${note && `\n\n${note}`}`,
    returnDisplay: { summary: `Found ${entries.length} item(s).${note && ` ${note}`}`, files: lines },
  };
}

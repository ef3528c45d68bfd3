/**
 * read_many_files: reads all files that match some patterns, each in its own frame. It
 * serves `@` references and is not declared to the model. It finds, selects and limits;
 * read_file reads the single files.
 */

import { extname, join } from 'node:path';
import type { Part, PartListUnion } from '../../protocol/content.ts';
import { getErrorMessage, isAbortError, ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolContext, ToolResult } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { loadValidator } from '../argument-validator.ts';
import { defineTool } from '../define-tool.ts';
import { findFiles } from '../files/find-files.ts';
import type { FindOptions } from '../files/find-files.ts';
import { EXCLUDED_DIRECTORIES, openDirectoryScope } from '../files/search-scope.ts';
import { matchesWildcard } from '../wildcard.ts';
import type { Workspace } from '../files/workspace.ts';
import { toParts } from '../../util/part-list.ts';

const DESCRIPTION = 'Reads the files that match paths or glob patterns and returns their contents one after the other.';

const BUILD_FOLDERS = ['dist', 'build', 'coverage', '.vscode', '.idea', '__pycache__'];
const BINARIES =
  'bin exe dll so dylib class jar war zip tar gz bz2 rar 7z o a obj pyc pyo wasm dat db sqlite woff woff2 ttf eot ico';
const BINARY_EXTENSIONS = new Set(BINARIES.split(' ').map((extension) => `.${extension}`));
const MEDIA =
  'png jpg jpeg gif webp bmp tiff heic heif avif pdf mp3 wav aiff aac ogg flac m4a mp4 mov mpeg mpg avi webm wmv flv 3gp';
const MEDIA_EXTENSIONS = new Set(MEDIA.split(' ').map((extension) => `.${extension}`));
/** The limit one call may add to a request. */
const MAX_CHARACTERS = 800_000;
const MAX_MEDIA_CHARACTERS = 4_000_000;
const TERMINATOR = '\n--- End of content ---';
const NOTHING = 'No files matching the criteria were found or all were skipped.';

interface Params {
  include: string[];
  exclude?: string[];
  recursive?: boolean;
  useDefaultExcludes?: boolean;
  file_filtering_options?: { respect_git_ignore?: boolean; respect_gemini_ignore?: boolean };
}

export interface ReadFilesParams extends Params {
  /** Absolute paths read at any location the workspace allows. */
  named?: readonly string[];
}

export interface ReadManyFilesDependencies {
  workspace: Workspace;
  /** The read_file tool. */
  readFile: DefinedTool;
}

export function createReadManyFilesTool({ workspace, readFile }: ReadManyFilesDependencies): DefinedTool {
  const patterns = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
  return defineTool({
    name: 'read_many_files',
    displayName: 'ReadManyFiles',
    kind: 'read',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        include: { ...patterns, minItems: 1, description: 'Paths and glob patterns.' },
        exclude: { ...patterns, description: 'Glob patterns to exclude.' },
        recursive: { type: 'boolean' },
        useDefaultExcludes: { type: 'boolean' },
        file_filtering_options: {
          type: 'object',
          properties: { respect_git_ignore: { type: 'boolean' }, respect_gemini_ignore: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
      required: ['include'],
      additionalProperties: false,
    },
    describe: ({ include }) => `Will attempt to read and concatenate files using patterns: ${include.join(', ')}`,
    execute: async (params, context) =>
      toResult(workspace, await readManyFiles({ workspace, readFile }, params, context)),
  });
}

/** The files without frames, for callers that add their own. */
export async function readManyFiles(
  { workspace, readFile }: ReadManyFilesDependencies,
  { named = [], ...params }: ReadFilesParams,
  context: ToolContext,
): Promise<ReadFiles> {
  await loadValidator();
  const found = params.include.length === 0 ? [] : await findAll(workspace, params, context.signal);
  const paths = [...new Set([...found, ...named])].sort();
  const skipped: string[] = [];
  const wanted = paths.filter((path) => {
    if (named.includes(path) || isReadable(path, params)) return true;
    skipped.push(`${workspace.relative(path)} (media and binary files must be named explicitly)`);
    return false;
  });
  return { ...(await readAll(readFile, wanted, context)), skipped };
}

/** Absolute paths, sorted, without duplicates. */
async function findAll(workspace: Workspace, params: Params, signal: AbortSignal): Promise<string[]> {
  const options = toFindOptions(params, signal);
  const isWanted = await compileExclusion(params);
  const paths = new Set<string>();
  try {
    for (const directory of workspace.directories) {
      const scope = await openDirectoryScope(workspace, directory);
      for (const include of params.include) {
        const pattern = include.replace(/\/$/, '/**');
        const names = await findFiles(workspace, scope, { ...options, pattern });
        for (const name of names) if (isWanted(name, include)) paths.add(join(scope.named, name));
      }
    }
  } catch (error) {
    if (error instanceof ToolError || isAbortError(error)) throw error;
    const message = `Error during file search: ${getErrorMessage(error)}`;
    throw new ToolError(message, 'read_many_files_search_error', { cause: error });
  }
  return [...paths].sort();
}

function toFindOptions(params: Params, signal: AbortSignal): Omit<FindOptions, 'pattern'> {
  const { useDefaultExcludes = true, file_filtering_options: filter = {} } = params;
  return {
    caseSensitive: false,
    excludedDirectories: useDefaultExcludes ? [...EXCLUDED_DIRECTORIES, ...BUILD_FOLDERS] : ['.git'],
    git: filter.respect_git_ignore,
    gemini: filter.respect_gemini_ignore,
    signal,
  };
}

/** Without `recursive`, a pattern matches no deeper than it is written. */
async function compileExclusion(params: Params): Promise<(name: string, include: string) => boolean> {
  const { exclude = [], recursive = true } = params;
  const { default: picomatch } = await import('picomatch');
  const isExcluded = exclude.length === 0 ? () => false : picomatch(exclude, { dot: true });
  return (name, include) => !isExcluded(name) && (recursive || name.split('/').length <= include.split('/').length);
}

/** Media and binary files are read only when a pattern names them or their extension, not because they lie in the folder. */
function isReadable(path: string, { include, useDefaultExcludes = true }: Params): boolean {
  const extension = extname(path).toLowerCase();
  const isMedia = MEDIA_EXTENSIONS.has(extension);
  if (!isMedia && !(useDefaultExcludes && BINARY_EXTENSIONS.has(extension))) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return include.some((pattern) => {
    const last = pattern.slice(pattern.lastIndexOf('/') + 1).toLowerCase();
    return last.includes(extension) || (!/[*?{[]/.test(last) && matchesWildcard(name.toLowerCase(), last));
  });
}

export interface ReadFiles {
  /** Absolute paths, in order. */
  files: { path: string; parts: Part[] }[];
  /** Files that could not be read, and why. */
  problems: string[];
  /** Files that a broad pattern included by accident. */
  skipped: string[];
}

async function readAll(
  readFile: DefinedTool,
  paths: string[],
  context: ToolContext,
): Promise<Omit<ReadFiles, 'skipped'>> {
  const files: ReadFiles['files'] = [];
  const problems: string[] = [];
  let characters = 0;
  let media = 0;
  for (const path of paths) {
    throwIfAborted(context.signal);
    const content = await readOne(readFile, path, context);
    if (content instanceof ToolError) {
      problems.push(`${path} (${content.message})`);
      continue;
    }
    const parts = toParts(content);
    characters += parts.reduce((sum, { text = '' }) => sum + text.length, 0);
    media += parts.reduce((sum, { inlineData }) => sum + (inlineData?.data?.length ?? 0), 0);
    if (characters > MAX_CHARACTERS || media > MAX_MEDIA_CHARACTERS) {
      const left = paths.length - files.length - problems.length;
      problems.push(`${left} more file(s) from ${path} on (the files together are too large)`);
      break;
    }
    files.push({ path, parts });
  }
  return { files, problems };
}

async function readOne(readFile: DefinedTool, path: string, context: ToolContext): Promise<PartListUnion | ToolError> {
  try {
    const { llmContent, error } = await readFile.build({ file_path: path }).execute(context);
    return error ? new ToolError(error.message, error.type ?? 'read_content_failure') : llmContent;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

function toFramedParts({ path, parts }: ReadFiles['files'][number]): Part[] {
  return parts.map((part) => (part.text === undefined ? part : { text: `--- ${path} ---\n\n${part.text}\n\n` }));
}

function toResult(workspace: Workspace, { files: read, problems, skipped }: ReadFiles): ToolResult {
  const left = [...skipped, ...problems];
  const files = read.map(({ path }) => workspace.relative(path));
  const summary = `Read ${read.length} file(s)${left.length > 0 ? ` (${left.length} skipped)` : ''}`;
  const note = problems.length > 0 ? [{ text: `\n(Not read: ${problems.join('; ')})` }] : [];
  if (read.length === 0) return { llmContent: [{ text: NOTHING }, ...note], returnDisplay: { summary, files } };
  return {
    llmContent: [...read.flatMap(toFramedParts), ...note, { text: TERMINATOR }],
    returnDisplay: { summary, files },
  };
}

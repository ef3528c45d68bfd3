/** glob: finds files by name pattern, recently changed files first. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DefinedTool } from '../../protocol/tools.ts';
import type { Clock } from '../../util/clock.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import { findFiles } from '../files/find-files.ts';
import { EXCLUDED_DIRECTORIES, openDirectoryScope } from '../files/search-scope.ts';
import type { SearchScope } from '../files/search-scope.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION =
  'Finds files whose path matches a glob pattern (for example "src/**/*.ts" or "**/*.md"). Returns absolute paths, recently modified files first.';

const RECENT_MS = 24 * 60 * 60 * 1000;
const BATCH = 256;
/** Longer patterns with many braces take longer to compile than any search justifies. */
const MAX_PATTERN_LENGTH = 2_000;

export interface GlobDependencies {
  workspace: Workspace;
  clock: Clock;
  /** Names of folders to skip in addition to the default ones. */
  excludedDirectories?: readonly string[];
}

export function createGlobTool({ workspace, clock, excludedDirectories = [] }: GlobDependencies): DefinedTool {
  return defineTool({
    name: 'glob',
    displayName: 'FindFiles',
    kind: 'search',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'The glob pattern.' },
        dir_path: { type: 'string', description: 'The directory to search; the whole workspace by default.' },
        case_sensitive: { type: 'boolean', description: 'Default false.' },
        respect_git_ignore: { type: 'boolean', description: 'Default true.' },
        respect_gemini_ignore: { type: 'boolean', description: 'Default true.' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    validate({ pattern }) {
      if (pattern.trim() === '') return 'The pattern must not be empty.';
      return pattern.length > MAX_PATTERN_LENGTH ? 'The pattern is too long.' : undefined;
    },
    describe: ({ pattern, dir_path }) => `'${pattern}'${dir_path ? ` within ${workspace.relative(dir_path)}` : ''}`,
    locations: ({ dir_path }) => (dir_path ? [{ path: workspace.resolve(dir_path) }] : []),
    async execute(params, { signal }) {
      const directories = params.dir_path ? [params.dir_path] : workspace.directories;
      const scopes: SearchScope[] = [];
      for (const directory of directories) scopes.push(await openDirectoryScope(workspace, directory));
      const paths = new Set<string>();
      for (const scope of scopes) {
        const names = await findFiles(workspace, scope, {
          pattern: params.pattern,
          caseSensitive: params.case_sensitive ?? false,
          excludedDirectories: [...EXCLUDED_DIRECTORIES, ...excludedDirectories],
          git: params.respect_git_ignore,
          gemini: params.respect_gemini_ignore,
          signal,
        });
        for (const name of names) paths.add(join(scope.named, name));
      }
      const files = await sortFiles([...paths], clock.now(), signal);
      const where =
        scopes.length === 1 ? `within ${scopes[0]?.named}` : `across ${scopes.length} workspace directories`;
      if (files.length === 0) {
        return {
          llmContent: `No files found matching pattern "${params.pattern}" ${where}`,
          returnDisplay: 'No files found',
        };
      }
      return {
        llmContent: `Found ${files.length} file(s) matching "${params.pattern}" ${where}, sorted by modification time (newest first):\n${files.join('\n')}`,
        returnDisplay: { summary: `Found ${files.length} matching file(s)`, files },
      };
    },
  });
}

/** Files of the last day newest first, then the others by name. Leaves out everything that is not a file. */
async function sortFiles(paths: string[], now: number, signal: AbortSignal): Promise<string[]> {
  const files: { path: string; age: number }[] = [];
  for (let start = 0; start < paths.length; start += BATCH) {
    throwIfAborted(signal);
    const batch = await Promise.all(paths.slice(start, start + BATCH).map((path) => ageOf(path, now)));
    for (const file of batch) if (file) files.push(file);
  }
  const rank = ({ age }: { age: number }) => (age < RECENT_MS ? age : RECENT_MS);
  return files.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

async function ageOf(path: string, now: number): Promise<{ path: string; age: number } | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? { path, age: now - stats.mtimeMs } : undefined;
  } catch {
    // It was deleted between the search and the stat.
    return undefined;
  }
}

/** grep_search: finds the lines of files that match a regular expression. */

import { dirname, join, relative } from 'node:path';
import { realpath } from 'node:fs/promises';
import { ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolContext } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { Found } from '../grep/found.ts';
import type { GrepSearch } from '../grep/search.ts';
import { compilePattern, runGuarded } from '../guarded-regexp.ts';
import type { ChildGuard } from '../run-child.ts';
import { EXCLUDED_DIRECTORIES, holdScope, openScope } from '../files/search-scope.ts';
import type { SearchScope } from '../files/search-scope.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION =
  'Searches file contents for a regular expression (ripgrep syntax) and returns the matching lines with file and line number. Few matches come with the lines around them.';

const EXCLUDED_FOLDERS = ['.vscode', '.idea', 'dist', 'build', 'coverage', '__pycache__'];
const EXCLUDED_FILES = ['*.log', '*.tmp'];
/** Always skipped, even when nothing else is. */
const VERSION_CONTROL = ['.git', '.svn', '.hg'];
const DEFAULT_LIMIT = 100;
const TIMEOUT_MS = 30_000;
/** Slightly below the system's limit for one argument of a program. */
const MAX_PATTERN_LENGTH = 10_000;
const NO_RIPGREP = 'ripgrep is not available for this platform, or not installed.';
/** With more matches than this, no context is shown. */
const MAX_MATCHES_WITH_CONTEXT = 3;

interface Params {
  pattern: string;
  dir_path?: string;
  include_pattern?: string;
  exclude_pattern?: string;
  names_only?: boolean;
  case_sensitive?: boolean;
  fixed_strings?: boolean;
  context?: number;
  after?: number;
  before?: number;
  no_ignore?: boolean;
  max_matches_per_file?: number;
  total_max_matches?: number;
}

export interface GrepSearchDependencies {
  workspace: Workspace;
  /** `tools.useRipgrep`; without it, or without a binary, files are scanned in this process. */
  useRipgrep?: boolean;
  /** Whether .gitignore applies. */
  respectGitIgnore?: boolean;
  timeoutMs?: number;
  guard?: ChildGuard;
}

export function createGrepSearchTool(dependencies: GrepSearchDependencies): DefinedTool {
  const { workspace, useRipgrep = true } = dependencies;
  const count = { type: 'integer', minimum: 0 } as const;
  return defineTool({
    name: 'grep_search',
    displayName: 'SearchText',
    kind: 'search',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'The regular expression.' },
        dir_path: { type: 'string', description: 'The directory or file to search; the project by default.' },
        include_pattern: {
          type: 'string',

          description: 'Glob of files to search, for example "*.{ts,tsx}".',
        },
        exclude_pattern: { type: 'string', description: 'Regular expression of lines to exclude.' },
        names_only: { type: 'boolean', description: 'Return file paths only.' },
        case_sensitive: { type: 'boolean', description: 'Default false.' },
        fixed_strings: { type: 'boolean', description: 'Take the pattern literally.' },
        context: { ...count, description: 'Lines around each match.' },
        after: count,
        before: count,
        no_ignore: { type: 'boolean', description: 'Search ignored files too.' },
        max_matches_per_file: { type: 'integer', minimum: 1 },
        total_max_matches: { type: 'integer', minimum: 1, description: `Default ${DEFAULT_LIMIT}.` },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    validate({ pattern, include_pattern = '', exclude_pattern = '' }) {
      const patterns = [pattern, include_pattern, exclude_pattern];
      if (patterns.some((text) => text.length > MAX_PATTERN_LENGTH)) return 'The pattern is too long.';
      return patterns.some((text) => text.includes('\0')) ? 'A pattern must not contain a NUL character.' : undefined;
    },
    describe: ({ pattern, include_pattern, dir_path }) =>
      [
        `'${pattern}'`,
        ...(include_pattern ? [`in ${include_pattern}`] : []),
        ...(dir_path ? [`within ${workspace.relative(dir_path)}`] : []),
      ].join(' '),
    locations: ({ dir_path }) => (dir_path ? [{ path: workspace.resolve(dir_path) }] : []),
    async execute(params, context) {
      const [{ addContext, toGrepResult }, { findRipgrep }] = await Promise.all([
        import('../grep/found.ts'),
        import('../grep/ripgrep.ts'),
      ]);
      const scope = await openScope(workspace, params.dir_path ?? '.');
      if (!scope.stats.isDirectory() && !scope.stats.isFile()) {
        throw new ToolError(`Search path is not a directory or a file: ${scope.named}`, 'search_path_not_a_directory');
      }
      const search = toSearch(params, scope, context, dependencies);
      const command = useRipgrep ? await findRipgrep() : undefined;
      const found = command
        ? await searchHeld(command, scope, search)
        : await (await import('../grep/scan.ts')).searchWithoutRipgrep(workspace, scope, search);
      await refuseMovedScope(scope);
      const isNarrow = found.matches > 0 && found.matches <= MAX_MATCHES_WITH_CONTEXT;
      const showsContext = isNarrow && !search.namesOnly && !asksForContext(params);
      const shown = showsContext
        ? await addContext(workspace, found, ({ name }) => join(search.directory, name))
        : found;
      const result = toGrepResult(
        {
          pattern: params.pattern,
          place: params.dir_path ?? '.',
          include: params.include_pattern,
          namesOnly: search.namesOnly,
          limit: search.limit,
        },
        shown,
      );
      // Slower, but equivalent: only telemetry records it.
      return useRipgrep && !command ? { ...result, data: { withoutRipgrep: NO_RIPGREP } } : result;
    },
  });

  function toSearch(
    params: Params,
    scope: SearchScope,
    { signal, onPid }: ToolContext,
    { respectGitIgnore = true, timeoutMs = TIMEOUT_MS, guard }: GrepSearchDependencies,
  ): GrepSearch {
    const { no_ignore: noIgnore = false, context = 0, before = context, after = context } = params;
    const isDirectory = scope.stats.isDirectory();
    const directory = isDirectory ? scope.real : dirname(scope.real);
    const named = isDirectory ? scope.named : dirname(scope.named);
    const query = { git: respectGitIgnore };
    return {
      ...toSelection(params, isDirectory),
      path: scope.real,
      directory,
      root: workspace.root,
      before,
      after,
      noIgnore,
      gitIgnore: respectGitIgnore,
      excludedDirectories: noIgnore ? VERSION_CONTROL : [...EXCLUDED_DIRECTORIES, ...EXCLUDED_FOLDERS],
      excludedFiles: noIgnore ? [] : EXCLUDED_FILES,
      keepFile: (path) =>
        !workspace.isHidden(path) &&
        (noIgnore || !workspace.ignore.isIgnored(join(named, relative(directory, path)), 'file', query)),
      timeoutMs,
      signal,
      onPid,
      guard,
    };
  }
}

type Selection = Pick<
  GrepSearch,
  'pattern' | 'caseSensitive' | 'fixedStrings' | 'limit' | 'namesOnly' | 'include' | 'maxPerFile' | 'keepLines'
>;

/** Selects the lines to search for. A file named explicitly is searched whatever its name. */
function toSelection(params: Params, isDirectory: boolean): Selection {
  const { include_pattern, exclude_pattern, max_matches_per_file, case_sensitive: caseSensitive = false } = params;
  return {
    pattern: params.pattern,
    caseSensitive,
    fixedStrings: params.fixed_strings ?? false,
    limit: params.total_max_matches ?? DEFAULT_LIMIT,
    namesOnly: params.names_only ?? false,
    ...(include_pattern !== undefined && isDirectory && { include: include_pattern }),
    maxPerFile: max_matches_per_file,
    ...(exclude_pattern !== undefined && { keepLines: createLineFilter(exclude_pattern, caseSensitive) }),
  };
}

function asksForContext({ context, after, before }: Params): boolean {
  return context !== undefined || after !== undefined || before !== undefined;
}

function createLineFilter(pattern: string, caseSensitive: boolean): (lines: readonly string[]) => boolean[] {
  const expression = compilePattern(pattern, { caseSensitive });
  return (lines) => runGuarded(() => lines.map((line) => !expression.test(line)), pattern, 'grep_execution_error');
}

async function searchHeld(command: string, scope: SearchScope, search: GrepSearch): Promise<Found> {
  const { searchWithRipgrep } = await import('../grep/ripgrep.ts');
  await using held = await holdScope(scope);
  return await searchWithRipgrep(command, search, held);
}

/** A folder swapped for a link during the search may have led anywhere: discard the result. */
async function refuseMovedScope(scope: SearchScope): Promise<void> {
  const now = await realpath(scope.real).catch(() => undefined);
  if (now === scope.real) return;
  throw new ToolError(`The search path was replaced while it was searched: ${scope.named}`, 'grep_execution_error');
}

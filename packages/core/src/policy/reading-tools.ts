/**
 * Lists the kinds of tools that change nothing, for every tool whose kind is known, a caller's own too, and the names of
 * our reading tools for calls without a known kind, such as the examples in a rule file.
 */

import type { ToolKind } from '../protocol/tools.ts';

/** The rules allow them without asking. */
export const READING_KINDS: readonly ToolKind[] = ['read', 'search', 'think'];

/** Some of them are asked about, but none changes anything. */
export const HARMLESS_KINDS: readonly ToolKind[] = [
  ...READING_KINDS,
  ...(['fetch', 'communicate', 'plan', 'switch_mode', 'agent'] as const),
];

export const READING_TOOLS: readonly string[] = [
  'glob',
  'grep_search',
  'list_directory',
  'read_file',
  'read_many_files',
  'google_web_search',
  'codebase_investigator',
  'cli_help',
  'get_internal_docs',
  'update_topic',
  'complete_task',
  'list_mcp_resources',
  'read_mcp_resource',
  'search_tools',
  'write_todos',
  'list_background_processes',
  'read_background_output',
];

/** Lists our tools that change nothing: the rules allow them without asking, and the engine never counts their calls as changes. */

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
  'write_todos',
  'list_background_processes',
  'read_background_output',
  'invoke_agent',
];

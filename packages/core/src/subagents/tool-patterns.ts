/**
 * The tools of an agent: reads the patterns of its file and decides which of the parent's tools they name. Names that
 * other programs use for the same tools are understood.
 */

import { resolveToolName } from '../tools/tool-registry.ts';
import type { Fields } from './front-matter-fields.ts';

/** The tools an agent may name; others are those of servers and of the project. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['list_directory', 'read_file', 'read_many_files', 'grep_search', 'glob', 'replace', 'write_file', 'apply_patch'],
  ...['web_fetch', 'google_web_search', 'run_shell_command', 'list_background_processes', 'read_background_output'],
  ...['ask_user', 'write_todos', 'activate_skill', 'save_memory', 'get_internal_docs', 'complete_task', 'invoke_agent'],
  ...['list_mcp_resources', 'read_mcp_resource', 'update_topic', 'enter_plan_mode', 'exit_plan_mode'],
  ...['tracker_create_task', 'tracker_update_task', 'tracker_get_task', 'tracker_list_tasks', 'tracker_add_dependency'],
  ...['tracker_visualize'],
]);

/** Names of the same tools in files of Claude Code. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file'],
  LS: ['list_directory'],
  Grep: ['grep_search'],
  Glob: ['glob', 'list_directory'],
  Edit: ['replace'],
  MultiEdit: ['replace'],
  NotebookEdit: ['replace'],
  NotebookRead: ['read_file'],
  Write: ['write_file'],
  Bash: ['run_shell_command'],
  BashOutput: ['read_background_output'],
  WebFetch: ['web_fetch'],
  WebSearch: ['google_web_search'],
  TodoWrite: ['write_todos'],
  Task: ['invoke_agent'],
  Skill: ['activate_skill'],
};
const CHOSEN_ELSEWHERE = /^(?:mcp_[\w.-]+|mcp_(?:[\w.-]+_)?\*|discovered_tool_\S+|\*)$/;

/** Undefined: all tools. */
export function readToolPatterns(fields: Fields): string[] | undefined {
  const value = fields.get('tools');
  if (value === undefined) return undefined;
  const list = typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
  if (!Array.isArray(list) || list.some((each) => typeof each !== 'string'))
    return fields.fail('tools', 'expected a list of tool names, or names with commas between them');
  return (list as string[]).filter((name) => name !== '').flatMap((name) => readName(name, fields));
}

function readName(given: string, fields: Fields): string[] {
  // Claude Code narrows a tool in brackets; here the policy does.
  if (/\(.*\)$/.test(given))
    fields.warn('tools', `"${given}" gives the whole tool; narrow it with a rule that names the agent`);
  const name = resolveToolName(given.replace(/\(.*\)$/, ''));
  // Claude Code's form of a server's tool.
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return [`mcp_${server}_${tool ?? '*'}`];
  if (KNOWN.has(name) || CHOSEN_ELSEWHERE.test(name)) return [name];
  const foreign = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
  if (foreign) return [...foreign];
  fields.fail(
    'tools',
    `Invalid tool name "${given}"; expected a built-in tool, mcp_<server>_<tool>, mcp_<server>_*, mcp_* or *`,
  );
  return [];
}

/** A tool of the parent, as the patterns see it. */
export interface NamedTool {
  readonly name: string;
  readonly server?: { readonly name: string } | undefined;
}

/** Tools that no agent gets: they would change the parent's own state. */
const NEVER: ReadonlySet<string> = new Set(['update_topic', 'enter_plan_mode', 'exit_plan_mode']);
/** Ways to change a file that the family of a model chooses between. */
const EDITS: ReadonlySet<string> = new Set(['replace', 'apply_patch']);

export function isToolListed({ name, server }: NamedTool, patterns: readonly string[] | undefined): boolean {
  if (NEVER.has(name)) return false;
  return patterns?.some((pattern) => matches(pattern, name, server?.name)) ?? true;
}

function matches(pattern: string, name: string, server: string | undefined): boolean {
  if (pattern === '*' || pattern === name) return true;
  if (EDITS.has(pattern) && EDITS.has(name)) return true;
  if (pattern === 'mcp_*') return server !== undefined || name.startsWith('mcp_');
  if (!pattern.endsWith('*')) return false;
  // A server cannot take the place of another by the name of its tool.
  return server === undefined ? name.startsWith(pattern.slice(0, -1)) : pattern === `mcp_${server}_*`;
}

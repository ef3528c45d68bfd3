/**
 * ToolRegistry: maps names to tools and provides the declarations of a request. It owns
 * the order (the same tools always give the same bytes), the legacy names, and the error
 * for an unknown tool. An external tool never takes the name of one of ours; an inactive
 * tool is treated everywhere as missing.
 */

import type { FunctionDeclaration } from '../protocol/content.ts';
import { ToolError } from '../protocol/errors.ts';
import type { DefinedTool, ServerTool } from '../protocol/tools.ts';
import { editDistance } from '../util/edit-distance.ts';
import { toDefinedTool } from './server-tool.ts';

/** The source of a tool, in the order of precedence and of declaration. */
export type ToolOrigin = 'builtin' | 'discovered' | 'mcp';

const ORIGINS: readonly ToolOrigin[] = ['builtin', 'discovered', 'mcp'];

/** Former names that policies, hooks and old sessions still use. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { search_file_content: 'grep_search' };

/** Alternative names of the built-in tools in users' settings. */
const CLASS_NAMES: Readonly<Record<string, readonly string[]>> = {
  list_directory: ['LSTool'],
  read_file: ['ReadFileTool'],
  grep_search: ['GrepTool', 'RipGrepTool'],
  glob: ['GlobTool'],
  activate_skill: ['ActivateSkillTool'],
  replace: ['EditTool'],
  write_file: ['WriteFileTool'],
  web_fetch: ['WebFetchTool'],
  run_shell_command: ['ShellTool'],
  list_background_processes: ['ListBackgroundProcessesTool'],
  read_background_output: ['ReadBackgroundOutputTool'],
  google_web_search: ['WebSearchTool'],
  ask_user: ['AskUserTool'],
  write_todos: ['WriteTodosTool'],
  enter_plan_mode: ['EnterPlanModeTool'],
  exit_plan_mode: ['ExitPlanModeTool'],
  read_many_files: ['ReadManyFilesTool'],
};

const MAX_SUGGESTIONS = 3;

export function resolveToolName(name: string): string {
  return Object.hasOwn(LEGACY_NAMES, name) ? (LEGACY_NAMES[name] ?? name) : name;
}

export interface ToolFilter {
  /** `tools.core`: the only built-in tools enabled. Absent means all, empty means none. */
  core?: readonly string[];
  /** `tools.exclude`: whole tools to leave out. Entries with arguments are policy, not a filter. */
  exclude?: readonly string[];
}

/** Whether the settings allow a tool to be registered. `core` applies to built-in tools only. */
export function isToolEnabled(name: string, filter: ToolFilter, origin: ToolOrigin = 'builtin'): boolean {
  const names = [name, ...(Object.hasOwn(CLASS_NAMES, name) ? (CLASS_NAMES[name] ?? []) : [])];
  if (filter.exclude?.some((entry) => names.includes(resolveToolName(entry.trim())))) return false;
  if (filter.core === undefined || origin !== 'builtin') return true;
  return filter.core.some((entry) => names.includes(resolveToolName(nameOfEntry(entry))));
}

/** `ShellTool(git status)` names the tool before the parenthesis. */
function nameOfEntry(entry: string): string {
  const parenthesis = entry.indexOf('(');
  return (parenthesis < 0 ? entry : entry.slice(0, parenthesis)).trim();
}

export interface ToolRegistryOptions {
  /** Called at every look-up: approval modes and policy change during a session. */
  isActive?: (tool: DefinedTool) => boolean;
  /** Why a registered tool is inactive, for the model; undefined: it is reported as an unknown name. */
  explainAbsence?: (tool: DefinedTool) => string | undefined;
  /** The description to declare when it depends on the mode; otherwise the tool's own. */
  describe?: (tool: DefinedTool) => string;
  /** The declaration in the form the model of the turn takes. */
  declare?: (declaration: FunctionDeclaration) => FunctionDeclaration;
}

/** Names of added or removed tools. */
export interface ToolsChange {
  added: string[];
  removed: string[];
}

export class ToolRegistry {
  private readonly followers = new Set<(change: ToolsChange) => void>();
  /** Collects the changes of `together`. */
  private collected: ToolsChange | undefined;
  private readonly entries = new Map<string, { tool: DefinedTool; origin: ToolOrigin }>();
  private readonly isActive: (tool: DefinedTool) => boolean;
  private readonly explainAbsence: (tool: DefinedTool) => string | undefined;
  private arranged: (tools: DefinedTool[]) => DefinedTool[] = (tools) => tools;
  private readonly describe: (tool: DefinedTool) => string;
  private readonly declare: (declaration: FunctionDeclaration) => FunctionDeclaration;

  constructor(tools: Iterable<ServerTool> = [], options: ToolRegistryOptions = {}) {
    this.isActive = options.isActive ?? (() => true);
    this.explainAbsence = options.explainAbsence ?? (() => undefined);
    this.describe = options.describe ?? ((tool) => tool.description);
    this.declare = options.declare ?? ((declaration) => declaration);
    for (const tool of tools) this.register(tool);
  }

  /**
   * Returns false, and changes nothing, when the name belongs to a tool of another origin
   * or is a legacy name; a tool of the same origin is replaced in place.
   */
  register(tool: ServerTool, origin: ToolOrigin = 'builtin'): boolean {
    const held = this.entries.get(tool.name);
    if (resolveToolName(tool.name) !== tool.name) return false;
    if (held && held.origin !== origin) return false;
    this.entries.set(tool.name, { tool: toDefinedTool(tool), origin });
    if (!held) this.tell({ added: [tool.name], removed: [] });
    return true;
  }

  /** Returns whether the tool existed. */
  unregister(name: string): boolean {
    const wasThere = this.entries.delete(name);
    if (wasThere) this.tell({ added: [], removed: [name] });
    return wasThere;
  }

  /** Reports all changes of `work` as one. */
  together(work: () => void): void {
    const change: ToolsChange = { added: [], removed: [] };
    this.collected = change;
    try {
      work();
    } finally {
      this.collected = undefined;
      if (change.added.length > 0 || change.removed.length > 0) this.tell(change);
    }
  }

  /** Notifies of every tool added or removed from now on. */
  follow(follower: (change: ToolsChange) => void): void {
    this.followers.add(follower);
  }

  /** The active tool of that name or legacy name. */
  getTool(name: string): DefinedTool | undefined {
    const tool = this.entries.get(resolveToolName(name))?.tool;
    return tool && this.isActive(tool) ? tool : undefined;
  }

  /** Every registered name, of inactive tools too. */
  names(): string[] {
    return [...this.entries.keys()];
  }

  /** The active tools: built-in ones in order of registration, then the others by name. */
  list(): DefinedTool[] {
    const active = [...this.entries.values()].filter(({ tool }) => this.isActive(tool));
    return ORIGINS.flatMap((origin) => {
      const tools = active.filter((entry) => entry.origin === origin).map(({ tool }) => tool);
      return origin === 'builtin' ? tools : tools.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  /** Has `arrange` choose which of the listed tools a request declares, and in which order. */
  arrange(arrange: (tools: DefinedTool[]) => DefinedTool[]): void {
    this.arranged = arrange;
  }

  declarations(): FunctionDeclaration[] {
    return this.arranged(this.list()).map((tool) => this.declare({ ...tool.schema, description: this.describe(tool) }));
  }

  /** The error for the model when it calls an unknown tool, or a registered tool not offered in this run. */
  notFound(name: string): ToolError {
    const held = this.entries.get(resolveToolName(name))?.tool;
    const why = held && this.explainAbsence(held);
    if (why !== undefined) return new ToolError(why, 'policy_violation');
    const similar = suggestNames(
      name,
      this.list().map((tool) => tool.name),
    );
    return new ToolError(`Tool "${name}" not found.${didYouMean(similar)}`, 'tool_not_registered');
  }

  private tell(change: ToolsChange): void {
    if (this.collected) {
      this.collected.added.push(...change.added);
      this.collected.removed.push(...change.removed);
      return;
    }
    for (const follower of this.followers) follower(change);
  }
}

function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return '';
  const quoted = names.map((name) => `"${name}"`).join(', ');
  return names.length === 1 ? ` Did you mean ${quoted}?` : ` Did you mean one of: ${quoted}?`;
}

/** The nearest names by edit distance, nearest first. */
function suggestNames(wanted: string, names: readonly string[]): string[] {
  // An overlong name does not justify the quadratic work.
  const query = wanted.slice(0, 100).toLowerCase();
  return names
    .map((name) => ({ name, distance: editDistance(query, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

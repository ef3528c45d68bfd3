/** The options of createWorkspaceAgent: where it works, what it may do, how its tools behave. Types and defaults only. */

import { homedir } from 'node:os';
import { defaultChildVariables } from '../config/child-variables.ts';
import { createSessionId } from '../records/session-id.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { Source, SourceValues } from '../protocol/source.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import type { SettingsRuleFields } from '../policy/settings-rules.ts';
import type { DiagnosticsMode, ProgramSettings } from '../diagnostics/server-table.ts';
import type { EditorFiles } from '../tools/files/editor-files.ts';
import type { IgnoreOptions } from '../tools/files/ignore-rules.ts';
import type { Environment } from '../tools/shell/redact-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';
import type { RunElsewhere } from '../tools/shell/shell-outcome.ts';
import type { ContextFileOptions } from '../context/context-files.ts';
import type { SystemPromptFields } from '../context/context-workspace.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import type { AgentOverrides } from '../subagents/agent-overrides.ts';
import type { FindDocumentation } from '../subagents/internal-docs.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentSessionOptions } from './agent-session-options.ts';
import type { OpenedSession } from '../records/open-session.ts';
import type { UndoCoverage } from '../undo/undo-limits.ts';

export interface WorkspaceAgentOptions extends Omit<
  AgentOptions,
  'tools' | 'policy' | 'systemInstruction' | 'tempDirectory'
> {
  /** The folder the agent works in. */
  root: string;
  /** The user's folder: settings, policies, context files, sessions. Default: the home folder of the system's user. */
  home?: string | undefined;
  /** Where commands, context files, hooks and policies are loaded from. Default: `home`, `root` and the system. */
  sources?: readonly Source[];
  /** The values of the settings of extensions among the sources. */
  sourceValues?: SourceValues | undefined;
  /** Those of them that are no secrets: the model may read them in skills and agents of their extension. */
  shownValues?: SourceValues | undefined;
  includeDirectories?: readonly string[];
  /**
   * The environment of commands and hooks, without the credentials named in `secrets` and those of the provider. Default:
   * the few variables of this process that programs need (PATH, HOME, SHELL, the language, the temporary folder), so that
   * no credential of the caller reaches a command. `process.env` passes all of it.
   */
  environment?: Environment | undefined;
  /** Credentials in use, withheld from every child process. */
  secrets?: readonly string[];
  approvalMode?: ApprovalMode;
  /**
   * True: the folder's own tools and git settings may run. False: nothing of the folder
   * runs, and every change is asked about. Undefined: the user has not decided; the agent
   * works with the given options, and nothing the folder configures runs (docs/decisions/0009).
   */
  trustedFolder?: boolean | undefined;
  /** Commands for the project's own tools; used in trusted folders only. */
  toolCommands?: { discovery: string; call: string };
  /** Options of the built-in tools. */
  toolSettings?: ToolSettings;
  /** Which variables are withheld from commands. */
  redaction?: RedactionOptions;
  planSettings?: PlanSettings;
  /** Confines the programs that the agent starts; absent: no sandbox. Throws SandboxError where none works. */
  sandbox?: SandboxRequest | undefined;
  /** False: every approval covers one call. */
  allowsAlways?: boolean;
  /** Whether `@name` finds a file of that name anywhere. Default true. */
  searchesReferences?: boolean;
  /** Whether the model receives the folder's tree. Default false. */
  tellsTree?: boolean;
  /** Rules derived from flags and settings. */
  rules?: SettingsRuleFields;
  policyPaths?: readonly string[] | undefined;
  adminPolicyPaths?: readonly string[] | undefined;
  /** Further instructions for the model, already framed. */
  memory?: string;
  /** Which ignore files apply, and additional ones. */
  ignore?: Omit<IgnoreOptions, 'includeDirectories'>;
  /** Which files hold the user's and the project's instructions. */
  context?: ContextFileOptions;
  /** The user's own system prompt; see resolveSystemPromptFile. */
  systemPrompt?: SystemPromptFields;
  /** Record the session to a file under the user's folder. */
  recordSession?: boolean;
  /** A session from `openSession`; recorded to its file. */
  session?: OpenedSession;
  /** Hooks of the settings files; those of `sources` are added. They replace `hooks`. */
  hookLayers?: readonly HookLayer[];
  /** The MCP servers of the settings files, and which of them may run; those of `sources` are added. */
  mcp?: McpOptions | undefined;
  /** Which skills of `sources` the model is offered. Default: all. */
  skills?: SkillOptions | undefined;
  /** Whether a restore point is written before each edit. Default false. */
  checkpointing?: boolean | undefined;
  /** What can be undone. Default: `auto`; only of a recorded session. */
  undo?: UndoCoverage | undefined;
  /** The sub-agents, and how they may run. */
  agents?: AgentsOptions | undefined;
  /** What the caller's user does about problems; added to the sentences about them. */
  hints?: UserHints;
  /** A flag or a variable trusts the folder for this run, as it is now. */
  isTrustedForRun?: boolean;
  /** Checks after each edit, in trusted folders only; absent: none. */
  diagnostics?: DiagnosticsOptions | undefined;
  /** Called before a file of the workspace is read. */
  onOpeningFile?: ((path: string) => void) | undefined;
  /** The user works in an editor, and cannot type into a running command. */
  editor?: EditorPorts | undefined;
  /** Which completed calls end a prompt. Default: one that a hook stopped, and calls the user declined altogether. */
  endAfter?: AgentSessionOptions['endAfter'];
  /** Cancels waiting during the opening, for example for a project that lists its tools slowly. */
  signal?: AbortSignal;
}

/** Language servers and formatters that run after an edit. */
export interface DiagnosticsOptions {
  /** `auto`, the default: those of `servers`, and of the known ones those that start quickly. `on`: all that are installed. */
  mode?: DiagnosticsMode;
  servers?: Readonly<Record<string, ProgramSettings>>;
  formatters?: Readonly<Record<string, ProgramSettings>>;
  /** How long an edit waits for each of them. Default 3 seconds. */
  limitMs?: number;
}

/** What an editor does for the agent; each is optional. */
export interface EditorPorts {
  files?: EditorFiles | undefined;
  runCommand?: RunElsewhere | undefined;
}

export interface SandboxRequest {
  /** Further folders that commands may write. */
  allowedPaths?: readonly string[] | undefined;
  /** Whether commands reach the allow-listed hosts. Default false. */
  networkAccess?: boolean | undefined;
  /** True: commands reach no host, whatever was granted, and none leaves the sandbox. Default false. */
  isAirgapped?: boolean | undefined;
  /** In which modes a command in the sandbox needs no question. Default `auto_edit`. */
  autoAllow?: 'never' | 'auto_edit' | 'always' | undefined;
  /** The caller has tried the whole sandbox on this computer a moment ago. A false claim lets commands fail; none runs outside. */
  isTried?: boolean | undefined;
  /** The workspace is a worktree that the caller made without a branch: commands commit there, and branches, tags and the stash of its repository stay read-only. */
  borrowsRepository?: boolean | undefined;
}

export interface AgentsOptions {
  /** Default true. */
  isEnabled?: boolean;
  /** `agents.overrides`. */
  overrides?: AgentOverrides;
  /** `agents` of the project's settings: the MCP servers in its overrides are not started. */
  projectOverrides?: unknown;
  /** How many children of one session run at once. Default 5. */
  maxConcurrent?: number | undefined;
  /** How deep children may start children: 1, the default, means not at all. */
  maxDepth?: number | undefined;
  /** The agents of the project are accepted as they are. */
  acknowledgesAll?: boolean | undefined;
  /** The folder of the program's own pages, for the agent `cli_help`. */
  findDocumentation?: FindDocumentation | undefined;
}

/** With the defaults in place. */
export interface ResolvedWorkspaceOptions extends WorkspaceAgentOptions {
  home: string;
  environment: Environment;
  sessionId: string;
}

/** Posts a warning to the session's stream. */
export type Warn = (message: string) => void;

export interface ToolSettings {
  /** A terminal for each command the user could type into. Default true. */
  interactiveShell?: boolean;
  pager?: string;
  /** 0 for no limit. */
  inactivityTimeoutMs?: number;
  /** A command that prints more bytes is stopped; 0 for no limit. Default 64 MB. */
  maxOutputBytes?: number;
  /** Whether the model is asked to keep output short. Default true. */
  asksForShortOutput?: boolean;
  /** `notify`: report to the user; `inject`: also to the model, with the next request. Default `silent`. */
  whenBackgroundEnds?: 'silent' | 'inject' | 'notify';
  useRipgrep?: boolean;
  /** Fetch pages without a model. */
  directWebFetch?: boolean;
  /** Default true; only models that benefit from it get the list. */
  writeTodos?: boolean;
}

export const DEFAULT_TOOL_SETTINGS: Required<ToolSettings> = {
  interactiveShell: true,
  pager: 'cat',
  inactivityTimeoutMs: 300_000,
  maxOutputBytes: 64 * 1024 * 1024,
  asksForShortOutput: true,
  whenBackgroundEnds: 'silent',
  useRipgrep: true,
  directWebFetch: false,
  writeTodos: true,
};

export interface SkillOptions {
  /** Default true. */
  enabled?: boolean | undefined;
  /** By name, in any case. */
  disabled?: readonly string[] | undefined;
  /** Whether the skills of Claude Code are read too. Default false. */
  readsClaude?: boolean | undefined;
}

export interface PlanSettings {
  /** Default true. */
  enabled?: boolean;
  /** Inside the workspace; default: a folder in the project's temporary one. */
  directory?: string | undefined;
  /** What names the folder, for a message about it. Default the setting `general.plan.directory`. */
  directoryFrom?: string | undefined;
}

/** Options with the sources of the start. */
export type SourcedOptions = ResolvedWorkspaceOptions & { sources: readonly Source[] };

export function withDefaults(given: WorkspaceAgentOptions): ResolvedWorkspaceOptions {
  return {
    ...given,
    home: given.home ?? homedir(),
    environment: given.environment ?? defaultChildVariables(),
    sessionId: given.sessionId ?? given.session?.sessionId ?? createSessionId(given.clock),
  };
}

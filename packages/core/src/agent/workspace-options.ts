/** What createWorkspaceAgent takes: where it works, what it may do, and how its tools behave. Types and defaults only. */

import type { HookLayer } from '../hooks/hook-layer.ts';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { Source } from '../protocol/source.ts';
import type { SettingsRuleFields } from '../policy/settings-rules.ts';
import type { IgnoreOptions } from '../tools/files/ignore-rules.ts';
import type { Environment } from '../tools/shell/child-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';
import type { ContextFileOptions } from '../context/context-files.ts';
import type { SystemPromptFields } from '../context/context-workspace.ts';
import type { AgentOptions } from './agent-options.ts';
import type { OpenedSession } from '../records/open-session.ts';

export interface WorkspaceAgentOptions extends Omit<
  AgentOptions,
  'tools' | 'policy' | 'systemInstruction' | 'tempDirectory'
> {
  /** The folder the agent works in. */
  root: string;
  /** The user's folder: settings, policies, context files, sessions. Default: the one of the system's user. */
  home?: string | undefined;
  /** What commands, context files, hooks and policies are loaded from. Default: of `home`, `root` and the system. */
  sources?: readonly Source[];
  includeDirectories?: readonly string[];
  /**
   * What commands and hooks see, without the credentials named in `secrets` and those of the provider. Default: the few
   * variables of this process that programs need (PATH, HOME, SHELL, the language, the temporary folder), so that no
   * credential of the caller reaches a command. `process.env` gives them all of it.
   */
  environment?: Environment | undefined;
  /** Credentials in use, kept from every child. */
  secrets?: readonly string[];
  approvalMode?: ApprovalMode;
  /**
   * True: the folder's own tools and git settings may run. False: nothing of the folder
   * runs, and every change is asked about. Undefined: the user has not decided; the agent
   * works as it was told to, and nothing the folder configures runs (docs/decisions/0009).
   */
  trustedFolder?: boolean | undefined;
  /** Tools the project brings along; used in trusted folders only. */
  toolCommands?: { discovery: string; call: string };
  /** How the built-in tools do their work. */
  toolSettings?: ToolSettings;
  /** Which variables are kept from commands. */
  redaction?: RedactionOptions;
  planSettings?: PlanSettings;
  /** False: an approval binds for its one call. */
  allowsAlways?: boolean;
  /** Whether `@name` finds a file of that name anywhere. Default true. */
  searchesReferences?: boolean;
  /** Whether the model is told the tree of the folder. Default false. */
  tellsTree?: boolean;
  /** Rules that follow from flags and settings. */
  rules?: SettingsRuleFields;
  policyPaths?: readonly string[] | undefined;
  adminPolicyPaths?: readonly string[] | undefined;
  /** Further instructions for the model, already framed. */
  memory?: string;
  /** Which ignore files count, and further ones. */
  ignore?: Omit<IgnoreOptions, 'includeDirectories'>;
  /** Which files hold the user's and the project's instructions. */
  context?: ContextFileOptions;
  /** A system prompt of the user's own; see resolveSystemPromptFile. */
  systemPrompt?: SystemPromptFields;
  /** Record the session to a file under the user's folder. */
  recordSession?: boolean;
  /** A session to work in, as `openSession` gives it; recorded to its file. */
  session?: OpenedSession;
  /** Hooks of the settings files; those of `sources` are added. They take the place of `hooks`. */
  hookLayers?: readonly HookLayer[];
  /** The folder is trusted by a flag or a variable, for this run as it is. */
  isTrustedForRun?: boolean;
  /** Ends what the opening waits for: a project that lists its tools slowly. */
  signal?: AbortSignal;
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
  /** `notify`: the user is told; `inject`: the model, too, with the next request. Default `silent`. */
  whenBackgroundEnds?: 'silent' | 'inject' | 'notify';
  useRipgrep?: boolean;
  /** Pages are fetched without a model. */
  directWebFetch?: boolean;
  /** Default true; only models that are helped by it get the list. */
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

export interface PlanSettings {
  /** Default true. */
  enabled?: boolean;
  /** Inside the workspace; default a folder of the project's temporary one. */
  directory?: string | undefined;
}

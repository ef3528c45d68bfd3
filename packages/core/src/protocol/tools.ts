/**
 * The contract between a tool and its callers: results, questions before running, and the names of failures. Types
 * only.
 */

import type { AgentEvent } from './agent-events.ts';
import type { FunctionDeclaration, PartListUnion } from './content.ts';
import type { EventAddress, FallbackIntent } from './events.ts';

/** Names of tool failures; a contract with users' scripts and hooks. */
export const ToolErrorType = {
  POLICY_VIOLATION: 'policy_violation',
  INVALID_TOOL_PARAMS: 'invalid_tool_params',
  UNKNOWN: 'unknown',
  UNHANDLED_EXCEPTION: 'unhandled_exception',
  TOOL_NOT_REGISTERED: 'tool_not_registered',
  /** The name in one of the documents. */
  TOOL_NOT_FOUND: 'tool_not_registered',
  EXECUTION_FAILED: 'execution_failed',
  FILE_NOT_FOUND: 'file_not_found',
  FILE_WRITE_FAILURE: 'file_write_failure',
  READ_CONTENT_FAILURE: 'read_content_failure',
  ATTEMPT_TO_CREATE_EXISTING_FILE: 'attempt_to_create_existing_file',
  FILE_TOO_LARGE: 'file_too_large',
  PERMISSION_DENIED: 'permission_denied',
  NO_SPACE_LEFT: 'no_space_left',
  TARGET_IS_DIRECTORY: 'target_is_directory',
  PATH_NOT_IN_WORKSPACE: 'path_not_in_workspace',
  SEARCH_PATH_NOT_FOUND: 'search_path_not_found',
  SEARCH_PATH_NOT_A_DIRECTORY: 'search_path_not_a_directory',
  EDIT_PREPARATION_FAILURE: 'edit_preparation_failure',
  EDIT_NO_OCCURRENCE_FOUND: 'edit_no_occurrence_found',
  EDIT_EXPECTED_OCCURRENCE_MISMATCH: 'edit_expected_occurrence_mismatch',
  EDIT_NO_CHANGE: 'edit_no_change',
  EDIT_NO_CHANGE_LLM_JUDGEMENT: 'edit_no_change_llm_judgement',
  GLOB_EXECUTION_ERROR: 'glob_execution_error',
  GREP_EXECUTION_ERROR: 'grep_execution_error',
  LS_EXECUTION_ERROR: 'ls_execution_error',
  PATH_IS_NOT_A_DIRECTORY: 'path_is_not_a_directory',
  MCP_TOOL_ERROR: 'mcp_tool_error',
  MCP_RESOURCE_NOT_FOUND: 'mcp_resource_not_found',
  MEMORY_TOOL_EXECUTION_ERROR: 'memory_tool_execution_error',
  READ_MANY_FILES_SEARCH_ERROR: 'read_many_files_search_error',
  SHELL_EXECUTE_ERROR: 'shell_execute_error',
  SANDBOX_EXPANSION_REQUIRED: 'sandbox_expansion_required',
  DISCOVERED_TOOL_EXECUTION_ERROR: 'discovered_tool_execution_error',
  WEB_FETCH_NO_URL_IN_PROMPT: 'web_fetch_no_url_in_prompt',
  WEB_FETCH_FALLBACK_FAILED: 'web_fetch_fallback_failed',
  WEB_FETCH_PROCESSING_ERROR: 'web_fetch_processing_error',
  WEB_SEARCH_FAILED: 'web_search_failed',
  STOP_EXECUTION: 'stop_execution',
} as const;
export type ToolErrorType = (typeof ToolErrorType)[keyof typeof ToolErrorType];

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'agent'
  | 'fetch'
  | 'communicate'
  | 'plan'
  | 'switch_mode'
  | 'other';

export interface DiffStat {
  model_added_lines: number;
  model_removed_lines: number;
  model_added_chars: number;
  model_removed_chars: number;
  user_added_lines: number;
  user_removed_lines: number;
  user_added_chars: number;
  user_removed_chars: number;
}

export interface FileDiff {
  /** Unified diff, with `\n` line ends. */
  fileDiff: string;
  fileName: string;
  filePath: string;
  /** Both texts as the file has them, with its own line ends and without a byte order mark. */
  originalContent: string | null;
  newContent: string;
  diffStat?: DiffStat;
  isNewFile?: boolean;
  isDeleted?: boolean;
}

/** A change of several files: their real paths, and the diff of each in the same order. */
export interface ChangedFiles {
  summary: string;
  files?: string[];
  diffs?: FileDiff[];
}

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled' | 'blocked';

export interface Todo {
  description: string;
  status: TodoStatus;
}

/** The part of a result that the user sees. */
export type ToolResultDisplay = string | FileDiff | { todos: Todo[] } | ChangedFiles;

export interface ToolResult {
  /** The part of a result that the model reads. */
  llmContent: PartListUnion;
  returnDisplay: ToolResultDisplay;
  error?: { message: string; type?: ToolErrorType };
  /** Machine facts about the effect (exit code, bytes, hashes). */
  data?: Record<string, unknown>;
  /** A call that replaces this one's answer to the model. */
  tailToolCallRequest?: { name: string; args: Record<string, unknown> };
}

export type ToolConfirmationOutcome =
  | 'proceed_once'
  | 'proceed_always'
  | 'proceed_always_and_save'
  | 'proceed_always_server'
  | 'proceed_always_tool'
  | 'modify_with_editor'
  | 'cancel';

/** The question for the user before a call runs. Plain data: `respond` delivers the answer. */
export type ToolCallConfirmationDetails =
  /** `files`: the diffs of a change of several files, which the other fields hold joined. */
  | ({ type: 'edit'; title: string; files?: FileDiff[] } & Omit<FileDiff, 'diffStat'>)
  | {
      type: 'exec';
      title: string;
      command: string;
      rootCommand: string;
      rootCommands: string[];
      /** The commands an "always" covers, `npm test *` for all that start so; empty where it would change nothing. */
      alwaysCovers?: string[];
      /**
       * The reason specific to this command, where there is one: for example, a part that is known only at run time.
       */
      reason?: string;
      /** What the command would delete that undo does not keep. */
      notKept?: string;
    }
  | { type: 'info'; title: string; prompt: string; urls?: string[] }
  | {
      type: 'mcp';
      title: string;
      serverName: string;
      toolName: string;
      toolDisplayName: string;
      /** The whole arguments. */
      args?: Record<string, unknown>;
      description?: string;
      /** What changed since the user allowed the tool. */
      changed?: string;
    }
  | { type: 'ask_user'; title: string; questions: AskUserQuestion[] }
  /** `plan` is the text of the plan. */
  | { type: 'exit_plan_mode'; title: string; planPath: string; plan?: string }
  | { type: 'sandbox_expansion'; title: string; command: string; permissions: Record<string, unknown> };

export interface AskUserQuestion {
  question: string;
  header: string;
  type: 'choice' | 'text' | 'yesno';
  options?: { label: string; description: string }[];
  multiSelect?: boolean;
  placeholder?: string;
}

/** The data that accompanies an outcome: an edited proposal, answers, a decision on a plan. */
export interface ConfirmationPayload {
  /** The proposal as the user edited it. */
  newContent?: string;
  /** By index of the question. */
  answers?: Record<string, string>;
  approved?: boolean;
  approvalMode?: string;
  /** The user's reply instead of an approval. */
  feedback?: string;
  /** Why the user has not answered, in a sentence: the surface could not ask. */
  problem?: string;
}

/** A file a call touches, for surfaces that follow along. */
export interface ToolLocation {
  path: string;
  line?: number;
}

/** The services a tool uses to run a call. */
export interface ToolContext {
  callId: string;
  signal: AbortSignal;
  /** Live output, as deltas; only tools with `canUpdateOutput` call it. */
  onOutput(chunk: string): void;
  /** The process the call started, as soon as there is one. */
  onPid(pid: number): void;
  /** An event of a session that the call runs; it is forwarded with this call's id as its parent. */
  onEvent?(event: AgentEvent): void;
  /** Routes answers to the questions of a session that the call runs; returns the function that ends it. */
  adopt?(child: ChildSession): () => void;
  /** The user's answer, where the call was confirmed. */
  confirmation?: ConfirmationPayload;
}

/** A session that a tool runs, as the parent's session uses it. `AgentSession` is one. */
export interface ChildSession {
  prompt(input: PartListUnion, signal: AbortSignal): AsyncGenerator<AgentEvent, void>;
  /** Whether the session, or a child of it, waits for the answer to this call or fallback question. */
  asks(id: string, address?: EventAddress): boolean;
  respond(
    callId: string,
    outcome: ToolConfirmationOutcome,
    payload?: ConfirmationPayload,
    address?: EventAddress,
  ): void;
  answerFallback(requestId: string, intent: FallbackIntent, address?: EventAddress): void;
  /** Receives what the user adds while the parent's prompt runs. */
  steer?(input: PartListUnion): void;
}

/** One validated call, ready for approval and execution. */
export interface ToolInvocation {
  /** The arguments as they will be used. */
  readonly params: Record<string, unknown>;
  /** One line for the user. */
  describe(): string;
  locations(): ToolLocation[];
  /** The question for the user before it runs; false when none is needed. */
  confirm(signal: AbortSignal): Promise<ToolCallConfirmationDetails | false>;
  /** The arguments that produce this content instead of the proposed one; absent where nothing can be edited. */
  modifyArgs?(newContent: string): Record<string, unknown>;
  /**
   * Throws ToolError or returns a result with `error` for failures the model should read; any other throw is a bug.
   */
  execute(context: ToolContext): Promise<ToolResult>;
}

/** The documented form of a tool: the form a caller may register, and one that every tool of ours supports. */
export interface ServerTool {
  readonly name: string;
  readonly schema: FunctionDeclaration;
  execute(params: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  /** The question for the user before the call runs; false when none is needed. */
  shouldConfirmExecute(
    params: Record<string, unknown>,
    abortSignal: AbortSignal,
  ): Promise<ToolCallConfirmationDetails | false>;
}

/** The MCP server of a tool. Names are kept apart: one name cannot be split back into the two. */
export interface ToolServer {
  readonly name: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The user trusts the server, so that its annotations inform an approval. */
  readonly isTrusted: boolean;
  /** A project's file configures the server. */
  readonly isProject?: boolean | undefined;
  /** The server's own statements about the tool. */
  readonly annotations: Readonly<Record<string, unknown>>;
  /** The hashes of the description and of the schema, with a dot between them. */
  readonly fingerprint: string;
  /** The fingerprints of all tools that the server offered together with this one, by its own names. */
  fingerprints?(): Readonly<Record<string, string>>;
}

/**
 * A tool as the runtime uses it: `defineTool` creates one, `ToolRegistry.register` creates one from any `ServerTool`.
 */
export interface DefinedTool extends ServerTool {
  readonly displayName: string;
  readonly kind: ToolKind;
  readonly description: string;
  /** Whether the user's result is markdown. */
  readonly isOutputMarkdown: boolean;
  readonly canUpdateOutput: boolean;
  /** Absent for a tool that does not belong to an MCP server. */
  readonly server?: ToolServer;
  /** Throws ToolError of type `invalid_tool_params`. */
  build(args: Record<string, unknown>): ToolInvocation;
}

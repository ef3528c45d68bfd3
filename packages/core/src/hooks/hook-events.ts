/**
 * Defines the vocabulary of hooks: the eleven events, the input of a hook process for each,
 * and its possible output. Types and names only; a contract with users' scripts, so no
 * spelling here may change.
 */

export const HOOK_EVENTS = [
  'BeforeTool',
  'AfterTool',
  'BeforeAgent',
  'AfterAgent',
  'Notification',
  'SessionStart',
  'SessionEnd',
  'PreCompress',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

export type SessionStartSource = 'startup' | 'resume' | 'clear';
export type SessionEndReason = 'exit' | 'clear' | 'logout' | 'prompt_input_exit' | 'other';

/** A request to the model in the form hooks receive: its text and the settings they may change. */
export interface HookLlmRequest {
  model: string;
  messages: { role: string; content: string }[];
  config?: { temperature?: number; maxOutputTokens?: number; topP?: number; topK?: number };
}

/** A piece of an answer in the form hooks receive: parts are texts. */
export interface HookLlmResponse {
  text?: string;
  candidates: {
    content: { role: string; parts: string[] };
    finishReason?: string;
    index?: number;
    safetyRatings?: unknown[];
  }[];
  usageMetadata?: { promptTokenCount?: number; candidatesTokenCount?: number; totalTokenCount?: number };
}

interface ToolPayload {
  tool_name: string;
  tool_input: Record<string, unknown>;
  mcp_context?: Record<string, unknown>;
  /** The tool the model requested, when this one replaced it. */
  original_request_name?: string;
}

export interface HookPayloads {
  BeforeTool: ToolPayload;
  AfterTool: ToolPayload & { tool_response: { llmContent: unknown; returnDisplay: unknown; error?: unknown } };
  BeforeAgent: { prompt: string };
  AfterAgent: { prompt: string; prompt_response: string; stop_hook_active: boolean };
  Notification: { notification_type: 'ToolPermission'; message: string; details: Record<string, unknown> };
  SessionStart: { source: SessionStartSource };
  SessionEnd: { reason: SessionEndReason };
  PreCompress: { trigger: 'auto' | 'manual' };
  BeforeModel: { llm_request: HookLlmRequest };
  AfterModel: { llm_request: HookLlmRequest; llm_response: HookLlmResponse };
  BeforeToolSelection: { llm_request: HookLlmRequest };
}

/** The input of every hook besides its payload. */
export interface HookBaseInput {
  session_id: string;
  transcript_path: string;
  cwd: string;
  hook_event_name: HookEventName;
  /** ISO 8601. */
  timestamp: string;
}

export const HOOK_DECISIONS = ['ask', 'block', 'deny', 'approve', 'allow'] as const;
export type HookDecision = (typeof HOOK_DECISIONS)[number];

export const TOOL_MODES = ['AUTO', 'ANY', 'NONE'] as const;
export type ToolMode = (typeof TOOL_MODES)[number];

/** A hook's output, every field validated. */
export interface HookOutput {
  continue?: boolean;
  stopReason?: string;
  suppressOutput?: boolean;
  systemMessage?: string;
  decision?: HookDecision;
  reason?: string;
  hookSpecificOutput?: HookSpecificOutput;
}

export interface HookSpecificOutput {
  hookEventName?: string;
  additionalContext?: string;
  tool_input?: Record<string, unknown>;
  tailToolCallRequest?: { name: string; args: Record<string, unknown> };
  clearContext?: boolean;
  llm_request?: Record<string, unknown>;
  llm_response?: Record<string, unknown>;
  toolConfig?: { mode?: ToolMode; allowedFunctionNames?: string[] };
}

/** One run of one hook, as telemetry logs it (`gemini_cli.hook_call`). */
export interface HookExecution {
  hookEventName: HookEventName;
  hookType: 'command';
  hookName: string;
  durationMs: number;
  success: boolean;
  exitCode?: number;
  /** JSON. */
  input: string;
  /** JSON; output, stdout and stderr are absent when the hook set `suppressOutput`. */
  output?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
}

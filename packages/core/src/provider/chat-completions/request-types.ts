/**
 * A request of Chat Completions as we write it: OpenAI's fields, and those that other servers add. request-types.test-d.ts
 * holds them against the types of OpenAI's own client. Types only.
 */

import type { DeclaredTool } from '../wire/tool-schema.ts';
import type { EffortLevel } from '../catalogue/model-catalogue.ts';

export type ChatContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

export interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  /** Gemini's signature, through its gateways. */
  extra_content?: { google: { thought_signature: unknown } };
}

/** Reasoning in the field it came in. */
export interface ChatReasoning {
  reasoning_content?: unknown;
  reasoning?: unknown;
  reasoning_details?: unknown;
}

export interface ChatAssistantMessage extends ChatReasoning {
  role: 'assistant';
  content: string | null;
  tool_calls?: ChatToolCall[];
}

export type ChatMessage =
  | { role: 'system' | 'developer'; content: string }
  | { role: 'user'; content: string | ChatContentPart[] }
  | { role: 'tool'; tool_call_id: string; content: string }
  | ChatAssistantMessage;

export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: DeclaredTool['schema'] };
}

export type ChatResponseFormat =
  | { type: 'json_schema'; json_schema: { name: string; schema: Record<string, unknown>; strict: boolean } }
  | { type: 'json_object' };

/** How a server is asked to think, in the words of each. */
export interface ChatThinking {
  reasoning_effort?: EffortLevel;
  reasoning?: { enabled: false } | { effort: EffortLevel };
  thinking?: { type: 'enabled' | 'disabled' };
  chat_template_kwargs?: { enable_thinking: boolean };
}

/** Every field beside `messages`. */
export interface ChatSettings extends ChatThinking {
  model: string;
  stream: true;
  stream_options?: { include_usage: true };
  tools?: ChatTool[];
  tool_choice?: 'required' | 'none';
  max_tokens?: number;
  max_completion_tokens?: number;
  temperature?: number;
  top_p?: number;
  seed?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string[];
  response_format?: ChatResponseFormat;
  prompt_cache_key?: string;
}

export interface ChatRequest extends ChatSettings {
  messages: ChatMessage[];
}

/**
 * A request of the Messages API as we write it. request-types.test-d.ts holds it against the types of Anthropic's own
 * client. Types only.
 */

import type { DeclaredTool } from '../wire/tool-schema.ts';
import type { ImageType } from '../wire/media-words.ts';

export type AnthropicText = { type: 'text'; text: string };

export type AnthropicInput =
  | AnthropicText
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } };

export interface AnthropicResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string | AnthropicInput[];
  is_error?: true;
}

export interface AnthropicCall {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** As it came: a signature covers every byte. */
export type AnthropicThinking =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

/** The mark that ends a cached prefix. */
export interface AnthropicMark {
  cache_control?: { type: 'ephemeral' };
}

export type AnthropicMessage =
  | { role: 'user'; content: ((AnthropicInput | AnthropicResult) & AnthropicMark)[] }
  | { role: 'assistant'; content: (AnthropicText | AnthropicCall | AnthropicThinking)[] };

export interface AnthropicThinkingFields {
  thinking?: { type: 'adaptive'; display: 'summarized' } | { type: 'enabled'; budget_tokens: number };
  output_config?: {
    effort?: 'low' | 'medium' | 'high';
    format?: { type: 'json_schema'; schema: Record<string, unknown> };
  };
}

/** Every field beside `model` and `messages`. */
export interface AnthropicSettings extends AnthropicThinkingFields {
  max_tokens: number;
  system?: (AnthropicText & AnthropicMark)[];
  tools?: { name: string; description: string; input_schema: DeclaredTool['schema'] }[];
  tool_choice?: { type: 'any' } | { type: 'none' };
  stop_sequences?: string[];
  temperature?: number;
  top_p?: number;
  top_k?: number;
  stream: true;
}

export interface AnthropicRequest extends AnthropicSettings {
  model: string;
  messages: AnthropicMessage[];
}

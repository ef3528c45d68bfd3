/**
 * A request of the Responses API as we write it. request-types.test-d.ts holds it against the types of OpenAI's own
 * client. Types only.
 */

import type { DeclaredTool } from '../wire/tool-schema.ts';
import type { EffortLevel } from '../catalogue/model-catalogue.ts';

export type ResponsesInput =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

export type ResponsesPhase = 'commentary' | 'final_answer';

/** A message of the model: whole, as it came, or the words alone. */
export type ResponsesAnswer =
  | {
      type: 'message';
      id: string;
      status: 'completed';
      role: 'assistant';
      phase?: ResponsesPhase;
      content: { type: 'output_text'; text: string; annotations: [] }[];
    }
  | { type: 'message'; role: 'assistant'; content: string };

export interface ResponsesCall {
  type: 'function_call';
  id?: string;
  call_id: string;
  name: string;
  arguments: string;
}

export type ResponsesItem =
  | ResponsesAnswer
  | ResponsesCall
  | { type: 'message'; role: 'user'; content: ResponsesInput[] }
  | { type: 'function_call_output'; call_id: string; output: string | ResponsesInput[] };

/** As it came: it is encrypted, or signed, as a whole. */
export interface ResponsesReasoning {
  type: 'reasoning';
  id: string;
  summary: { type: 'summary_text'; text: string }[];
  encrypted_content: string;
}

export interface ResponsesTool extends Omit<DeclaredTool, 'schema'> {
  type: 'function';
  parameters: DeclaredTool['schema'];
  strict: false;
}

export interface ResponsesFormat {
  format:
    | { type: 'json_schema'; name: string; schema: Record<string, unknown>; strict: boolean }
    | { type: 'json_object' };
}

/** Every field beside `input`. */
export interface ResponsesSettings {
  model: string;
  stream: true;
  store: false;
  include?: ['reasoning.encrypted_content'];
  instructions?: string;
  tools?: ResponsesTool[];
  tool_choice?: 'required' | 'none';
  reasoning?: { effort?: EffortLevel; summary: 'auto' };
  max_output_tokens?: number;
  text?: ResponsesFormat;
  temperature?: number;
  top_p?: number;
  prompt_cache_key?: string;
}

export interface ResponsesRequest extends ResponsesSettings {
  input: (ResponsesItem | ResponsesReasoning)[];
}

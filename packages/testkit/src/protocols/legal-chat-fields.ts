/** Which fields each Chat Completions vendor knows, as data. A vendor without a row here ignores unknown fields. */

import type { ChatVendor } from './protocol.ts';

const COMMON = [
  ...['model', 'messages', 'tools', 'tool_choice', 'stream', 'temperature', 'top_p', 'stop', 'max_tokens', 'n'],
  ...['response_format', 'presence_penalty', 'frequency_penalty'],
];
const OPENAI = [
  ...COMMON,
  ...['audio', 'function_call', 'functions', 'logit_bias', 'logprobs', 'max_completion_tokens', 'metadata'],
  ...['modalities', 'moderation', 'parallel_tool_calls', 'prediction', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'reasoning_effort', 'safety_identifier', 'seed', 'service_tier', 'store'],
  ...['stream_options', 'top_logprobs', 'user', 'verbosity', 'web_search_options'],
];

const BODY: Partial<Record<ChatVendor, readonly string[]>> = {
  openai: OPENAI,
  azure: OPENAI,
  openrouter: [
    ...OPENAI,
    ...['reasoning', 'provider', 'models', 'route', 'transforms', 'plugins', 'usage', 'include_reasoning', 'top_k'],
  ],
  deepseek: [...COMMON, 'stream_options', 'logprobs', 'top_logprobs', 'thinking', 'reasoning_effort'],
  mistral: [
    ...COMMON,
    ...['random_seed', 'parallel_tool_calls', 'prediction', 'prompt_mode', 'safe_prompt', 'reasoning_effort'],
  ],
  google: [...COMMON, 'stream_options', 'reasoning_effort', 'extra_body', 'max_completion_tokens'],
  groq: [...OPENAI, 'reasoning_format', 'include_reasoning'],
  xai: [...OPENAI, 'search_parameters'],
  vllm: [...OPENAI, 'chat_template_kwargs', 'top_k', 'min_p', 'include_reasoning', 'repetition_penalty'],
};

const MESSAGE: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'refusal', 'audio', 'tool_calls', 'function_call'],
  tool: ['role', 'content', 'tool_call_id'],
};

const ASSISTANT: Partial<Record<ChatVendor, readonly string[]>> = {
  openrouter: ['reasoning', 'reasoning_content', 'reasoning_details'],
  deepseek: ['reasoning_content', 'prefix'],
  vllm: ['reasoning', 'reasoning_content'],
  llamacpp: ['reasoning_content'],
  ollama: ['reasoning'],
  mistral: ['prefix'],
  xai: ['reasoning_content'],
  groq: ['reasoning'],
};

/** Undefined: unknown fields are ignored. */
export function bodyFields(vendor: ChatVendor): ReadonlySet<string> | undefined {
  const known = BODY[vendor];
  return known && new Set(known);
}

/** The fields of a message of this role; undefined for an unknown role. */
export function messageFields(role: string, vendor: ChatVendor): Set<string> | undefined {
  const known = MESSAGE[role];
  if (!known || (role === 'developer' && vendor !== 'openai' && vendor !== 'azure')) return undefined;
  const more =
    role === 'assistant' ? ASSISTANT[vendor] : role === 'tool' && vendor === 'mistral' ? ['name'] : undefined;
  return new Set([...known, ...(more ?? [])]);
}

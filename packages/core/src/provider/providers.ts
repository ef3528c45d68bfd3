/**
 * The known providers, as data: protocol, address, key and quirks of each. A user's own provider in the settings is one
 * more row of the same shape. Adding a provider that speaks a known protocol is adding a row.
 */

import type { ChatQuirks } from './chat-completions/quirks.ts';
import type { KeyHeader } from './wire/endpoint.ts';

export type ProtocolName = 'gemini' | 'chat' | 'responses' | 'anthropic' | 'ollama';

export interface KeyVariable {
  name: string;
  /** The header a key from this variable travels in, where it differs from the row's. */
  header?: KeyHeader;
}

export interface ProviderRow {
  /** The word before the slash of `provider/model`. */
  readonly id: string;
  /** The name users read. */
  readonly name: string;
  readonly protocol: ProtocolName;
  /** Absent: it must be configured. */
  readonly baseUrl?: string;
  /** Variables that replace the base URL; the first that is set wins. */
  readonly baseUrlVariables?: readonly string[];
  /** Variables that may hold the key; the first that is set wins. */
  readonly keyVariables?: readonly KeyVariable[];
  /** The header the key travels in. Default `authorization`. */
  readonly keyHeader?: KeyHeader;
  /** Whether requests may go out without a key. */
  readonly isKeyOptional?: boolean;
  /** Whether requests are authorised with Google's application default credentials. */
  readonly usesGoogleCredentials?: boolean;
  /** The model of `provider/` alone. */
  readonly defaultModel?: string;
  /** The model for requests beside the conversation. Absent: the main model. */
  readonly smallModel?: string;
  readonly quirks?: ChatQuirks;
}

const key = (...names: string[]): KeyVariable[] => names.map((name) => ({ name }));

/** A service that speaks Chat Completions and differs only in data. */
function hosted(id: string, name: string, baseUrl: string, more: Partial<ProviderRow> = {}): ProviderRow {
  return { id, name, protocol: 'chat', baseUrl, keyVariables: key(`${id.toUpperCase()}_API_KEY`), ...more };
}

/** A server on this machine: it needs no key, may take minutes to load a model, and loses calls in plain text. */
function local(id: string, name: string, port: number, more: Partial<ProviderRow> = {}): ProviderRow {
  return {
    id,
    name,
    protocol: 'chat',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    isKeyOptional: true,
    quirks: { textCalls: true },
    ...more,
  };
}

export const PROVIDERS: readonly ProviderRow[] = [
  {
    id: 'gemini',
    name: 'Gemini API',
    protocol: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
    keyVariables: key('GEMINI_API_KEY'),
    keyHeader: 'x-goog-api-key',
  },
  {
    id: 'vertex',
    name: 'Gemini on Vertex AI',
    protocol: 'gemini',
    baseUrlVariables: ['GOOGLE_VERTEX_BASE_URL'],
    keyVariables: key('GOOGLE_API_KEY'),
    keyHeader: 'x-goog-api-key',
    usesGoogleCredentials: true,
    defaultModel: 'gemini-2.5-pro',
    smallModel: 'gemini-2.5-flash-lite',
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariables: ['ANTHROPIC_BASE_URL'],
    keyVariables: [{ name: 'ANTHROPIC_API_KEY' }, { name: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization' }],
    keyHeader: 'x-api-key',
    defaultModel: 'claude-opus-5',
    smallModel: 'claude-haiku-4-5',
  },
  {
    id: 'vertex-anthropic',
    name: 'Claude on Vertex AI',
    protocol: 'anthropic',
    usesGoogleCredentials: true,
    baseUrlVariables: ['GOOGLE_VERTEX_BASE_URL'],
    defaultModel: 'claude-opus-5',
    smallModel: 'claude-haiku-4-5',
  },
  {
    id: 'openai',
    name: 'OpenAI',
    protocol: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariables: ['OPENAI_BASE_URL'],
    keyVariables: key('OPENAI_API_KEY'),
    defaultModel: 'gpt-5.6',
    smallModel: 'gpt-5-mini',
    quirks: {
      systemRole: 'developer',
      maxTokensField: 'max_completion_tokens',
      cacheKey: true,
      formBesideTools: true,
      reasoning: { knob: 'effort' },
    },
  },
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', {
    quirks: {
      cacheKey: true,
      cacheControl: true,
      reasoning: { field: 'reasoning_details', echo: 'calls', knob: 'openrouter' },
    },
  }),
  {
    id: 'azure',
    name: 'Azure OpenAI',
    protocol: 'responses',
    baseUrlVariables: ['AZURE_OPENAI_ENDPOINT'],
    keyVariables: key('AZURE_OPENAI_API_KEY'),
    keyHeader: 'api-key',
    quirks: {
      maxTokensField: 'max_completion_tokens',
      cacheKey: true,
      formBesideTools: true,
      reasoning: { knob: 'effort' },
    },
  },
  hosted('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', {
    defaultModel: 'deepseek-v4-pro',
    smallModel: 'deepseek-flash',
    quirks: { reasoning: { field: 'reasoning_content', echo: 'always', knob: 'deepseek' } },
  }),
  hosted('mistral', 'Mistral', 'https://api.mistral.ai/v1', {
    quirks: { callIdLength: 9, bridgeAfterTool: true, streamOptions: false },
  }),
  hosted('groq', 'Groq', 'https://api.groq.com/openai/v1', {
    quirks: { reasoning: { field: 'reasoning', knob: 'effort' } },
  }),
  hosted('xai', 'xAI', 'https://api.x.ai/v1', {
    quirks: { openSchemas: true, reasoningApart: true, reasoning: { field: 'reasoning_content' } },
  }),
  hosted('together', 'Together', 'https://api.together.xyz/v1'),
  hosted('fireworks', 'Fireworks', 'https://api.fireworks.ai/inference/v1'),
  hosted('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1'),
  hosted('moonshot', 'Moonshot', 'https://api.moonshot.ai/v1', {
    quirks: { reasoning: { field: 'reasoning_content', echo: 'calls' } },
  }),
  hosted('zai', 'Z.ai', 'https://api.z.ai/api/paas/v4', {
    quirks: { reasoning: { field: 'reasoning_content', echo: 'calls', knob: 'thinking-type' } },
  }),
  {
    id: 'ollama',
    name: 'Ollama',
    protocol: 'ollama',
    baseUrl: 'http://127.0.0.1:11434',
    baseUrlVariables: ['OLLAMA_HOST'],
    keyVariables: key('OLLAMA_API_KEY'),
    isKeyOptional: true,
    quirks: { textCalls: true },
  },
  local('lmstudio', 'LM Studio', 1234, { baseUrlVariables: ['LMSTUDIO_BASE_URL'] }),
  local('llamacpp', 'llama.cpp', 8080, {
    baseUrlVariables: ['LLAMACPP_BASE_URL'],
    keyVariables: key('LLAMA_API_KEY'),
    quirks: { textCalls: true, reasoning: { field: 'reasoning_content', echo: 'calls' } },
  }),
  local('vllm', 'vLLM', 8000, {
    baseUrlVariables: ['VLLM_BASE_URL'],
    keyVariables: key('VLLM_API_KEY'),
    quirks: { textCalls: true, reasoning: { field: 'reasoning' } },
  }),
];

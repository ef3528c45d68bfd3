/** Reads the request of an MCP server to the model: its messages as contents, bounded. Pure. */

import type { Content, Part } from '../protocol/content.ts';
import type { SamplingAnswer, SamplingRequest } from '../protocol/server-questions.ts';
import { isRecord } from '../util/is-record.ts';
import { cleanContent } from './clean-text.ts';
import { INVALID_PARAMS, RpcError } from './rpc-session.ts';

const MAX_MESSAGES = 100;
/** Of all texts together, and of all media in base64. */
const MAX_CHARACTERS = 200_000;
const MAX_MEDIA = 10 * 1024 * 1024;
const MAX_TOKENS = 8_192;
const MAX_STOPS = 5;

/** Throws an RpcError for a request that cannot be sent. */
export function readSampling(params: Record<string, unknown>): SamplingRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = params;
  const refuse = (message: string) => new RpcError(INVALID_PARAMS, message);
  if (Array.isArray(tools) && tools.length > 0) throw refuse('Sampling with tools is unsupported.');
  if (!Array.isArray(messages) || messages.length === 0) throw refuse('messages must have at least one message.');
  if (messages.length > MAX_MESSAGES) throw refuse(`A request has at most ${MAX_MESSAGES} messages.`);
  const contents = messages.map((message: unknown) => readMessage(message, refuse));
  const system = typeof systemPrompt === 'string' && systemPrompt !== '' ? cleanContent(systemPrompt) : undefined;
  const parts = contents.flatMap(({ parts: each = [] }) => each);
  const characters = parts.reduce((sum, { text = '' }) => sum + text.length, system?.length ?? 0);
  const media = parts.reduce((sum, { inlineData }) => sum + (inlineData?.data?.length ?? 0), 0);
  if (characters > MAX_CHARACTERS) throw refuse(`A request has at most ${MAX_CHARACTERS} characters.`);
  if (media > MAX_MEDIA) throw refuse('The media of the request are too large.');
  const stops: unknown[] = Array.isArray(stopSequences) ? stopSequences : [];
  return {
    system,
    contents,
    maxTokens:
      typeof maxTokens === 'number' && maxTokens >= 1 ? Math.min(Math.floor(maxTokens), MAX_TOKENS) : MAX_TOKENS,
    ...(typeof temperature === 'number' && temperature >= 0 && temperature <= 2 && { temperature }),
    ...(stops.length > 0 && { stopSequences: stops.filter((stop) => typeof stop === 'string').slice(0, MAX_STOPS) }),
  };
}

function readMessage(message: unknown, refuse: (message: string) => Error): Content {
  if (!isRecord(message)) throw refuse('A message must be an object.');
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') throw refuse('The role of a message is user or assistant.');
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return { role: role === 'user' ? 'user' : 'model', parts: blocks.map((block) => readBlock(block, refuse)) };
}

function readBlock(block: unknown, refuse: (message: string) => Error): Part {
  if (isRecord(block)) {
    const { type, text, data, mimeType } = block;
    if (type === 'text' && typeof text === 'string') return { text: cleanContent(text) };
    const isMedia = (type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string';
    if (isMedia) return { inlineData: { data, mimeType } };
  }
  throw refuse('The content of a message is text, an image or audio.');
}

/** The answer of `sampling/createMessage`. */
export function toSamplingResult({ text, model, isCut }: SamplingAnswer): Record<string, unknown> {
  const content = { type: 'text', text };
  return { role: 'assistant', content, model, stopReason: isCut ? 'maxTokens' : 'endTurn' };
}

/** The first words of what is sent, for one line. */
export function firstWords({ contents }: SamplingRequest): string {
  return contents.at(-1)?.parts?.find(({ text }) => text !== undefined)?.text ?? '';
}

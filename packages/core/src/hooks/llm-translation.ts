/**
 * Translates requests and answers to the form of hooks and back. Hooks receive text only; calls,
 * images, thoughts and signatures stay in the original and are kept unchanged. Pure.
 */

import type {
  Candidate,
  Content,
  GenerateContentConfig,
  GenerateContentParameters,
  GenerateContentResponse,
  Part,
} from '../protocol/content.ts';
import type { HookLlmRequest, HookLlmResponse } from './hook-events.ts';
import { isRecord } from '../util/is-record.ts';

const CONFIG_FIELDS = ['temperature', 'maxOutputTokens', 'topP', 'topK'] as const;

export function toHookRequest({ model, contents, config = {} }: GenerateContentParameters): HookLlmRequest {
  const messages = contents.flatMap((content) => {
    const text = textOf(content);
    return text === '' ? [] : [{ role: content.role ?? 'user', content: text }];
  });
  const entries = CONFIG_FIELDS.flatMap((field) =>
    config[field] === undefined ? [] : [[field, config[field]] as const],
  );
  return { model, messages, ...(entries.length > 0 && { config: Object.fromEntries(entries) }) };
}

/** The request with a hook's changes; undefined without changes. */
export function applyHookRequest(
  request: GenerateContentParameters,
  change: Record<string, unknown>,
): GenerateContentParameters | undefined {
  const { model, messages, config } = change;
  const contents = Array.isArray(messages) ? mergeMessages(request.contents, messages) : request.contents;
  const newModel = typeof model === 'string' && model !== '' ? model : request.model;
  const newConfig = isRecord(config) ? changedConfig(request.config ?? {}, config) : undefined;
  if (contents === request.contents && newModel === request.model && !newConfig) return undefined;
  return { ...request, model: newModel, contents, ...(newConfig && { config: { ...request.config, ...newConfig } }) };
}

function changedConfig(
  old: GenerateContentConfig,
  change: Record<string, unknown>,
): Partial<GenerateContentConfig> | undefined {
  const changed = CONFIG_FIELDS.filter((field) => typeof change[field] === 'number' && change[field] !== old[field]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((field) => [field, change[field]]));
}

/** Each content with text takes the next message's text; remaining messages are appended. */
function mergeMessages(contents: readonly Content[], messages: readonly unknown[]): readonly Content[] {
  const rest = messages.flatMap((message) => toMessage(message) ?? []);
  let isChanged = false;
  const merged = contents.map((content) => {
    const text = textOf(content);
    if (text === '') return content;
    const next = rest.shift();
    if (!next || next.text === text) return content;
    isChanged = true;
    return withText(content, next.text);
  });
  for (const { role, text } of rest) {
    isChanged = true;
    const last = merged.at(-1);
    if (last && last.role === role) merged[merged.length - 1] = { ...last, parts: [...(last.parts ?? []), { text }] };
    else merged.push({ role, parts: [{ text }] });
  }
  return isChanged ? merged : contents;
}

function toMessage(value: unknown): { role: string; text: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { role, content } = value;
  const pieces: unknown[] = Array.isArray(content) ? content : [content];
  const text = pieces
    .map((piece) => (isRecord(piece) ? piece['text'] : piece))
    .filter(isText)
    .join('');
  if (text === '') return undefined;
  return { role: role === 'model' || role === 'assistant' ? 'model' : 'user', text };
}

/** The new text replaces the first text; parts that are not text stay. */
function withText(content: Content, text: string): Content {
  let isPlaced = false;
  const parts = (content.parts ?? []).flatMap((part) => {
    if (!isTextPart(part)) return [part];
    if (isPlaced) return [];
    isPlaced = true;
    return [{ ...part, text }];
  });
  return { ...content, parts };
}

export function toHookResponse({ candidates = [], usageMetadata }: GenerateContentResponse): HookLlmResponse {
  const text = candidates[0]?.content ? textOf(candidates[0].content) : '';
  return {
    ...(text !== '' && { text }),
    candidates: candidates.map(({ content, finishReason, index, ...rest }) => ({
      content: {
        role: content?.role ?? 'model',
        parts: (content?.parts ?? []).filter(isTextPart).map((part) => part.text),
      },
      ...(finishReason !== undefined && { finishReason }),
      ...(index !== undefined && { index }),
      ...safetyRatingsOf(rest),
    })),
    ...(usageMetadata && { usageMetadata }),
  };
}

/** Untyped, because only hooks read them. */
function safetyRatingsOf(candidate: object): { safetyRatings?: unknown[] } {
  const { safetyRatings } = candidate as { safetyRatings?: unknown };
  return Array.isArray(safetyRatings) ? { safetyRatings } : {};
}

/** The answer with the hook's texts in place of its own; undefined when the hook set none. */
export function applyHookResponse(
  response: GenerateContentResponse,
  change: Record<string, unknown>,
): GenerateContentResponse | undefined {
  const replacement = fromHookResponse(change);
  const [candidate] = replacement?.candidates ?? [];
  if (!candidate) return undefined;
  const [original = {}, ...others] = response.candidates ?? [];
  const kept = (original.content?.parts ?? []).filter((part) => !isTextPart(part));
  const parts = [...(candidate.content?.parts ?? []), ...kept];
  const changed: Candidate = { ...original, ...candidate, content: { role: 'model', parts } };
  return { ...response, candidates: [changed, ...others] };
}

/** An answer composed by a hook; undefined when the value contains none. */
export function fromHookResponse(value: Record<string, unknown>): GenerateContentResponse | undefined {
  const [candidate = {}] = Array.isArray(value['candidates']) ? (value['candidates'] as unknown[]) : [];
  const { content, finishReason } = isRecord(candidate) ? candidate : {};
  const parts = isRecord(content) && Array.isArray(content['parts']) ? (content['parts'] as unknown[]) : undefined;
  const texts = parts?.map((part) => (isRecord(part) ? part['text'] : part)) ?? [value['text']];
  const usable = texts.filter(isText);
  if (usable.length === 0 && parts === undefined) return undefined;
  return {
    candidates: [
      {
        content: { role: 'model', parts: usable.map((text) => ({ text })) },
        ...(isText(finishReason) && { finishReason }),
        index: 0,
      },
    ],
  };
}

function textOf({ parts = [] }: Content): string {
  return parts
    .filter(isTextPart)
    .map(({ text }) => text)
    .join('');
}

function isTextPart(part: Part): part is Part & { text: string } {
  return typeof part.text === 'string' && part.thought !== true && !part.functionCall && !part.functionResponse;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Pure readers of a response frame; only candidate 0 is requested. */

import type { FinishReason, FunctionCall, GenerateContentResponse, Part } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';

const NO_PARTS: readonly Part[] = [];

export function getParts(response: GenerateContentResponse): readonly Part[] {
  return response.candidates?.[0]?.content?.parts ?? NO_PARTS;
}

/** The answer text of a frame, without thoughts; empty when there is none. */
export function getResponseText(response: GenerateContentResponse): string {
  let text = '';
  for (const part of getParts(response)) {
    if (part?.text && !part.thought) text += part.text;
  }
  return text;
}

/** SDK response objects offer the calls themselves; plain frames carry them in parts. */
export function getFunctionCalls(response: GenerateContentResponse): readonly FunctionCall[] {
  return response.functionCalls ?? collect(getParts(response), (part) => part.functionCall);
}

export function getThoughts(response: GenerateContentResponse): readonly ThoughtSummary[] {
  // Without a text it marks the place of hidden reasoning.
  return collect(getParts(response), ({ thought, text }) =>
    thought && typeof text === 'string' ? parseThought(text) : undefined,
  );
}

const NOTHING: readonly never[] = [];

/** Most frames hold neither calls nor thoughts: for them nothing is allocated. */
function collect<T>(parts: readonly Part[], pick: (part: Part) => T | undefined): readonly T[] {
  let picked: T[] | undefined;
  for (const part of parts) {
    const item = part ? pick(part) : undefined;
    if (item !== undefined) (picked ??= []).push(item);
  }
  return picked ?? NOTHING;
}

/** `(<title>) <uri>` or `<uri>` for each source with an address. */
export function getCitations(response: GenerateContentResponse): readonly string[] {
  const citations = response.candidates?.[0]?.citationMetadata?.citations;
  if (!citations) return NOTHING;
  return citations.flatMap(({ uri, title }) => (uri ? [title ? `(${title}) ${uri}` : uri] : []));
}

export function getFinishReason(response: GenerateContentResponse): FinishReason | undefined {
  for (const { finishReason } of response.candidates ?? NOTHING) if (finishReason) return finishReason;
  return undefined;
}

/** `**subject** description`, over any number of lines; without a subject everything is description. */
export function parseThought(text: string): ThoughtSummary {
  const start = text.indexOf('**');
  const end = start < 0 ? -1 : text.indexOf('**', start + 2);
  if (end < 0) return { subject: '', description: text.trim() };
  return {
    subject: text.slice(start + 2, end).trim(),
    description: (text.slice(0, start) + text.slice(end + 2)).trim(),
  };
}

/** The thought of a part, or of its text: the documents show both. */
export function extractThought(thought: Part | string): ThoughtSummary {
  return parseThought(typeof thought === 'string' ? thought : (thought.text ?? ''));
}

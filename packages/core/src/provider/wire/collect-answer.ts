/** Collects a streamed answer into one response, for requests that need the whole of it. */

import type { Candidate, GenerateContentResponse, Part } from '../../protocol/content.ts';

export async function collectAnswer(
  stream: AsyncGenerator<GenerateContentResponse, void>,
): Promise<GenerateContentResponse> {
  const parts: Part[] = [];
  let whole: GenerateContentResponse = {};
  let last: Candidate = {};
  for await (const response of stream) {
    const [candidate] = response.candidates ?? [];
    for (const part of candidate?.content?.parts ?? []) addPart(parts, part);
    last = { ...last, ...candidate };
    whole = { ...whole, ...response };
  }
  return { ...whole, candidates: [{ ...last, content: { ...last.content, role: 'model', parts } }] };
}

/** Joins text with the text before it: pieces of a stream are not parts of an answer. */
function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  const joins = before !== undefined && isText(before) && isText(part) && before.thought === part.thought;
  if (joins) parts[parts.length - 1] = { ...before, text: `${before.text}${part.text}` };
  else parts.push(part);
}

function isText(part: Part): boolean {
  return part.text !== undefined && part.thoughtSignature === undefined;
}

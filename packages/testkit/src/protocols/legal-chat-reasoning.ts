/** Judges the reasoning that Chat Completions vendors want back: DeepSeek's text, OpenRouter's details, Gemini's signature. */

import { isDeepStrictEqual } from 'node:util';
import { bad, objectsOf } from './legal-fields.ts';
import type { Memory } from './memory.ts';
import { field } from './protocol.ts';
import type { ChatVendor, Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;
interface Message {
  readonly value: Fields;
}

export function judgeChatReasoning(
  body: Fields,
  messages: readonly Message[],
  vendor: ChatVendor,
  memory: Memory,
): Verdict[] {
  const assistants = messages.map(({ value }) => value).filter((value) => value['role'] === 'assistant');
  switch (vendor) {
    case 'deepseek': {
      const isOff = field(body['thinking'], 'type') === 'disabled';
      const isMissing = assistants.some((value) => typeof value['reasoning_content'] !== 'string');
      const words = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
      return !isOff && isMissing ? [bad(words)] : [];
    }
    case 'openrouter':
      return assistants.flatMap((value) => detailVerdicts(value, body['model'], memory));
    case 'google':
      return assistants.flatMap((value) => signatureVerdicts(value, memory));
    default:
      return [];
  }
}

/** A turn with calls goes back with its whole array; text of equal index is joined first, which `items` has done. */
function detailVerdicts(value: Fields, model: unknown, memory: Memory): Verdict[] {
  const given = value['reasoning_details'];
  const ids = callIds(value);
  const turn = ids.length === 0 ? undefined : memory.find((item) => isDeepStrictEqual(callIds(item), ids));
  const sent = turn?.items.map((item) => item['reasoning_details']).find((details) => details !== undefined);
  if (turn === undefined || turn.isForgiven) return [];
  if (turn.model !== model) {
    return given === undefined ? [] : [bad('reasoning_details of another model cannot be used with this model.')];
  }
  return isDeepStrictEqual(given, sent) ? [] : [bad('reasoning_details must be passed back unmodified.')];
}

function signatureVerdicts(value: Fields, memory: Memory): Verdict[] {
  return objectsOf(value['tool_calls']).flatMap(({ value: call }) => {
    const turn = memory.find((item) => callIds(item).includes(call['id']));
    const sent = turn?.items
      .flatMap((item) => objectsOf(item['tool_calls']))
      .find((one) => one.value['id'] === call['id']);
    if (turn === undefined || turn.isForgiven) return [];
    const [wanted, given] = [sent?.value, call].map((one) =>
      field(field(one?.['extra_content'], 'google'), 'thought_signature'),
    );
    if (wanted === given) return [];
    return [
      bad(
        given === undefined
          ? 'Function call is missing a thought_signature in functionCall parts.'
          : 'Corrupted thought signature.',
      ),
    ];
  });
}

function callIds(message: Fields): unknown[] {
  return objectsOf(message['tool_calls']).map(({ value }) => value['id']);
}

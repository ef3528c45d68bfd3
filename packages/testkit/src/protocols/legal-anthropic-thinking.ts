/**
 * Judges thinking that comes back: every block byte-equal to one that this server sent for this model, and the turn
 * whose calls are being answered with all its blocks in place.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Turn } from './legal-anthropic-messages.ts';
import { bad } from './legal-fields.ts';
import type { Memory } from './memory.ts';
import { field } from './protocol.ts';
import type { Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

const MODIFIED =
  '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';

export function judgeThinking(body: Fields, turns: readonly Turn[], model: string, memory: Memory): Verdict[] {
  const assistants = turns.filter((turn) => turn.role === 'assistant');
  const latest = assistants.at(-1);
  const isOff = field(body['thinking'], 'type') === 'disabled';
  return [
    ...assistants.flatMap((turn) =>
      turn.blocks.flatMap((block, index) => stateVerdicts(block, index, turn, model, memory)),
    ),
    ...assistants.flatMap(lastBlockVerdicts),
    ...(latest && !isOff ? placeVerdicts(latest, model, memory) : []),
  ];
}

function isThinking({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function stateVerdicts(block: Fields, index: number, turn: Turn, model: string, memory: Memory): Verdict[] {
  if (!isThinking(block)) return [];
  const isKnown = memory.turns.some(
    (sent) => sent.model === model && sent.items.some((item) => isDeepStrictEqual(item, block)),
  );
  if (isKnown) return [];
  const what = block['type'] === 'thinking' ? '`signature` in `thinking`' : '`data` in `redacted_thinking`';
  return [bad(`messages.${turn.position}.content.${index}: Invalid ${what} block`)];
}

function lastBlockVerdicts({ blocks, position }: Turn): Verdict[] {
  const last = blocks.at(-1);
  if (!last || !isThinking(last)) return [];
  return [bad(`messages.${position}: The final block in an assistant message cannot be \`thinking\`.`)];
}

/** Only a turn with calls is bound, and only for the model that wrote it. */
function placeVerdicts({ blocks, position }: Turn, model: string, memory: Memory): Verdict[] {
  const ids = callIds(blocks);
  const sent =
    ids.length === 0 ? undefined : memory.find((item) => item['type'] === 'tool_use' && ids.includes(item['id']));
  if (sent === undefined || sent.isForgiven || sent.model !== model || !sent.items.some(isThinking)) return [];
  if (!blocks.some(isThinking)) {
    return [
      bad(
        `messages.${position}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(blocks[0]?.['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      ),
    ];
  }
  return isDeepStrictEqual(outline(blocks), outline(sent.items)) ? [] : [bad(`messages.${position}: ${MODIFIED}`)];
}

function callIds(blocks: readonly Fields[]): unknown[] {
  return blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id']);
}

/**
 * What a signature covers: the thinking itself, the calls, and where the texts stand between them. A text without a word
 * may be sent by the service and is not accepted back.
 */
function outline(blocks: readonly Fields[]): unknown[] {
  return blocks.flatMap((block): unknown[] => {
    if (block['type'] === 'tool_use') return [{ id: block['id'] }];
    if (block['type'] !== 'text') return [block];
    return String(block['text']).trim() === '' ? [] : [block['text']];
  });
}

/** Writes reasoning into a Chat Completions message or chunk: each vendor has a field of its own for it. */

import type { Block, PlannedTurn } from './planned-turn.ts';
import type { ChatVendor, ProtocolOptions } from './protocol.ts';
import type { ReasoningField } from './quirks.ts';

const VENDORS: Partial<Record<ChatVendor, ReasoningField>> = {
  openrouter: 'reasoning_details',
  mistral: 'content_parts',
  vllm: 'reasoning',
  ollama: 'reasoning',
  groq: 'reasoning',
};

/** The field of this answer: the quirk's, else the vendor's, else the one most servers have. */
export function reasoningField({ quirks }: PlannedTurn, { vendor = 'openai' }: ProtocolOptions): ReasoningField {
  return quirks.reasoning ?? VENDORS[vendor] ?? 'reasoning_content';
}

/** A piece of reasoning as the fields of a delta. */
export function reasoningDelta(
  block: Block,
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
  field: ReasoningField,
): object {
  switch (field) {
    case 'think_tags':
    case 'closing_tag': {
      const open = isFirst && field === 'think_tags' ? '<think>' : '';
      return { content: open + text + (isLast ? '</think>' : '') };
    }
    case 'content_parts':
      return { content: [thinkingPart(text)] };
    default:
      return reasoningFields(text, [detailOf(block, text, isLast)], field);
  }
}

/** All reasoning of a turn and its text as the fields of an unstreamed message. */
export function reasoningMessage(blocks: readonly Block[], text: string, field: ReasoningField): object {
  const thoughts = blocks.filter((block) => block.kind === 'thought');
  if (thoughts.length === 0) return { content: text || null };
  const reasoning = thoughts.map((block) => block.text).join('');
  switch (field) {
    case 'think_tags':
      return { content: `<think>${reasoning}</think>${text}` };
    case 'closing_tag':
      return { content: `${reasoning}</think>${text}` };
    case 'content_parts':
      return { content: [thinkingPart(reasoning), ...(text === '' ? [] : [{ type: 'text', text }])] };
    default: {
      const details = thoughts.map((block) => detailOf(block, block.text, true));
      return { content: text || null, ...reasoningFields(reasoning, details, field) };
    }
  }
}

type PlainField = Exclude<ReasoningField, 'think_tags' | 'closing_tag' | 'content_parts'>;

function reasoningFields(text: string, details: readonly object[], field: PlainField): object {
  switch (field) {
    case 'reasoning_content':
      return { reasoning_content: text };
    case 'reasoning':
      return { reasoning: text };
    case 'both':
      return { reasoning: text, reasoning_content: text };
    case 'reasoning_details':
      return { reasoning: text, reasoning_details: details };
  }
}

function thinkingPart(text: string): object {
  return { type: 'thinking', thinking: [{ type: 'text', text }] };
}

function detailOf(block: Block, text: string, isLast: boolean): object {
  const place = { format: 'anthropic-claude-v1', index: block.index };
  if (block.redacted !== undefined) return { type: 'reasoning.encrypted', data: block.redacted, ...place };
  const signature = isLast && block.signature !== undefined ? { signature: block.signature } : {};
  return { type: 'reasoning.text', text, ...signature, ...place };
}

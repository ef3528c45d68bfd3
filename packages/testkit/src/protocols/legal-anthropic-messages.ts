/** Judges the messages of a Messages request: roles, blocks, and the pairs of `tool_use` and `tool_result`. */

import { isObject } from '../json-object.ts';
import { judgeThinking } from './legal-anthropic-thinking.ts';
import { bad, objectsOf, repeated, unknownFields } from './legal-fields.ts';
import type { Memory } from './memory.ts';
import type { Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

/** A message with its content as blocks; neighbours of one role are merged, as the service does. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly Fields[];
  readonly position: number;
}

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations', 'cache_control'],
  image: ['source', 'cache_control', 'transformations'],
  document: ['source', 'title', 'context', 'citations', 'cache_control'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'cache_control', 'caller'],
};
const PLACES: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const SYSTEM_TURNS = /(opus-4-8|opus-5|fable-5)/;

export function judgeAnthropicMessages(body: Fields, model: string, memory: Memory): Verdict[] {
  if (body['messages'] === undefined) return [];
  const messages = objectsOf(body['messages']);
  if (messages.length === 0) return [bad('messages: at least one message is required')];
  const turns = mergedTurns(messages);
  return [
    ...messages.flatMap(({ value, position }) => messageVerdicts(value, `messages.${position}`, model)),
    ...endVerdicts(turns),
    ...pairVerdicts(turns),
    ...judgeThinking(body, turns, model, memory),
  ];
}

function blocksOf(content: unknown): Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content).map(({ value }) => value);
}

function mergedTurns(messages: readonly { value: Fields; position: number }[]): Turn[] {
  const turns: Turn[] = [];
  for (const { value, position } of messages) {
    const role = String(value['role']);
    const blocks = blocksOf(value['content']);
    const last = turns.at(-1);
    if (last?.role === role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks, position });
  }
  return turns;
}

function messageVerdicts(message: Fields, place: string, model: string): Verdict[] {
  const role = String(message['role']);
  if (role === 'system' && SYSTEM_TURNS.test(model)) return [];
  const allowed = PLACES[role];
  if (!allowed) {
    return [
      bad(
        `messages: Unexpected role "${role}". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`,
      ),
    ];
  }
  const blocks = blocksOf(message['content']);
  if (blocks.length === 0) {
    return [bad(`${place}: all messages must have non-empty content except for the optional final assistant message`)];
  }
  return [
    ...unknownFields(message, new Set(['role', 'content']), (name) => extra(`${place}.${name}`)),
    ...blocks.flatMap((block, index) => blockVerdicts(block, allowed, `${place}.content.${index}`)),
  ];
}

function extra(name: string): Verdict {
  return bad(`${name}: Extra inputs are not permitted`);
}

function blockVerdicts(block: Fields, allowed: readonly string[], place: string): Verdict[] {
  const type = String(block['type']);
  const known = allowed.includes(type) ? BLOCKS[type] : undefined;
  if (!known) {
    return [
      bad(
        `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: '${allowed.join("', '")}'`,
      ),
    ];
  }
  return [
    ...unknownFields(block, new Set(['type', ...known]), (name) => extra(`${place}.${type}.${name}`)),
    ...(type === 'text' ? textVerdicts(block['text']) : []),
    ...(type === 'tool_use' ? callVerdicts(block, place) : []),
    ...(type === 'tool_result' ? resultVerdicts(block['content'], place) : []),
  ];
}

function textVerdicts(text: unknown): Verdict[] {
  if (typeof text !== 'string' || text === '') return [bad('messages: text content blocks must be non-empty')];
  return text.trim() === '' ? [bad('messages: text content blocks must contain non-whitespace text')] : [];
}

function callVerdicts({ id, name, input }: Fields, place: string): Verdict[] {
  const matches = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);
  return [
    ...(matches(id, ID) ? [] : [bad(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)]),
    ...(matches(name, NAME)
      ? []
      : [bad(`${place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)]),
    ...(isObject(input) ? [] : [bad(`${place}.tool_use.input: Input should be a valid dictionary`)]),
  ];
}

function resultVerdicts(content: unknown, place: string): Verdict[] {
  const types = objectsOf(content).map(({ value }) => String(value['type']));
  const wrong = types.find((type) => !['text', 'image', 'document', 'search_result'].includes(type));
  const texts = objectsOf(content).filter(({ value }) => value['type'] === 'text');
  return [
    ...(wrong === undefined
      ? []
      : [bad(`${place}.tool_result.content: Input tag '${wrong}' does not match any of the expected tags`)]),
    ...texts.flatMap(({ value }) => textVerdicts(value['text'])),
  ];
}

function endVerdicts(turns: readonly Turn[]): Verdict[] {
  return [
    ...(turns[0]?.role === 'user' ? [] : [bad('messages: first message must use the "user" role')]),
    ...(turns.at(-1)?.role === 'assistant'
      ? [bad('This model does not support assistant message prefill. The conversation must end with a user message.')]
      : []),
  ];
}

function pairVerdicts(turns: readonly Turn[]): Verdict[] {
  const ids = turns.flatMap((turn) => idsOf(turn, 'tool_use', 'id'));
  return [
    ...turns.flatMap((turn, index) => answerVerdicts(turn, turns[index + 1])),
    ...turns.flatMap((turn, index) => orphanVerdicts(turn, turns[index - 1])),
    ...(repeated(ids).length > 0 ? [bad('messages: `tool_use` ids must be unique')] : []),
  ];
}

function idsOf({ blocks }: Turn, type: string, key: string): unknown[] {
  return blocks.filter((block) => block['type'] === type).map((block) => block[key]);
}

/** Results stand first in the turn after the calls: what comes behind other content does not count as immediate. */
function answerVerdicts(turn: Turn, next: Turn | undefined): Verdict[] {
  const other = next?.blocks.findIndex((block) => block['type'] !== 'tool_result') ?? -1;
  const leading = next ? { ...next, blocks: other < 0 ? next.blocks : next.blocks.slice(0, other) } : undefined;
  const answered = leading ? idsOf(leading, 'tool_result', 'tool_use_id') : [];
  const missing = idsOf(turn, 'tool_use', 'id').filter((id) => !answered.includes(id));
  if (missing.length === 0) return [];
  return [
    bad(
      `messages.${turn.position}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    ),
  ];
}

function orphanVerdicts(turn: Turn, before: Turn | undefined): Verdict[] {
  const calls = before ? idsOf(before, 'tool_use', 'id') : [];
  const results = idsOf(turn, 'tool_result', 'tool_use_id');
  return [
    ...results
      .filter((id) => !calls.includes(id))
      .map((id) =>
        bad(
          `messages.${turn.position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        ),
      ),
    ...repeated(results).map((id) =>
      bad(`each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`),
    ),
  ];
}

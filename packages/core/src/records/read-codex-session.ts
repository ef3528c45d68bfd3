/** Reads a session file of codex: items of the Responses API, one a line, in an envelope or, in older files, without. */

import type { Content } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';
import { ForeignHistory } from './foreign-history.ts';

type Line = Readonly<Record<string, unknown>>;

export function readCodexSession(lines: readonly Line[]): Content[] {
  const history = new ForeignHistory();
  for (const line of lines) {
    if (line['type'] === 'compacted' && isRecord(line['payload'])) {
      const { message } = line['payload'];
      if (typeof message === 'string' && message !== '') history.restart(message);
      continue;
    }
    const item = itemOf(line);
    if (item) addItem(history, item);
  }
  return history.toContents();
}

export function describeCodexSession(lines: readonly Line[]): { title?: string; root?: string; id?: string } {
  const meta = lines.find(({ type, payload }) => type === 'session_meta' && isRecord(payload))?.['payload'] ?? lines[0];
  const { id, cwd } = isRecord(meta) ? meta : {};
  const title = lines.flatMap((line) => {
    const item = itemOf(line);
    return item?.['type'] === 'message' && item['role'] === 'user' ? (ownText(item) ?? []) : [];
  })[0];
  return {
    ...(title !== undefined && { title }),
    ...(typeof cwd === 'string' && { root: cwd }),
    ...(typeof id === 'string' && { id }),
  };
}

function itemOf(line: Line): Line | undefined {
  if (line['type'] === 'response_item') return isRecord(line['payload']) ? line['payload'] : undefined;
  return line['payload'] === undefined ? line : undefined;
}

function addItem(history: ForeignHistory, item: Line): void {
  const { type, role, name, call_id: id } = item;
  if (type === 'message') {
    if (role === 'assistant') history.text('model', textOf(item['content']));
    else if (role === 'user') history.text('user', ownText(item) ?? '');
    return;
  }
  if (typeof id !== 'string') return;
  if (type === 'function_call' && typeof name === 'string') history.call(id, name, parse(item['arguments']));
  else if (type === 'custom_tool_call' && typeof name === 'string') history.call(id, name, { input: item['input'] });
  else if (type === 'local_shell_call') history.call(id, 'shell', isRecord(item['action']) ? pick(item['action']) : {});
  else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    history.result(id, toResult(item['output']));
  }
}

/** Without what codex itself adds in the role of the user. */
function ownText(item: Line): string | undefined {
  const text = textOf(item['content']);
  const isAdded =
    /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions)|# AGENTS\.md instructions)/;
  return text.trim() === '' || isAdded.test(text) ? undefined : text;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n');
}

function pick({ command }: Line): Line {
  return { command };
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { input: text };
  }
}

/** A text, or JSON with the text and facts about its run. */
function toResult(output: unknown): string {
  const value = typeof output === 'string' && output.startsWith('{') ? parse(output) : output;
  if (isRecord(value) && typeof value['output'] === 'string') return value['output'];
  if (isRecord(value) && value['content'] !== undefined) return textOf(value['content']);
  if (Array.isArray(value)) return textOf(value);
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

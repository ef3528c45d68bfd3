/** Reads a session file of Claude Code: one JSON record a line, of which the messages between user and model count. */

import type { Content } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';
import { ForeignHistory } from './foreign-history.ts';

type Line = Readonly<Record<string, unknown>>;

/** Records of sub-agents and of the program itself are left out. */
export function readClaudeSession(lines: readonly Line[]): Content[] {
  const history = new ForeignHistory();
  for (const line of lines) {
    const { type, message, isSidechain, isMeta, isCompactSummary, isApiErrorMessage } = line;
    if (!isRecord(message) || isSidechain === true || isMeta === true || isApiErrorMessage === true) continue;
    if (type !== 'user' && type !== 'assistant') continue;
    const { content } = message;
    if (isCompactSummary === true) history.restart(textOf(content));
    else if (typeof content === 'string') addText(history, type, content);
    else if (Array.isArray(content)) for (const block of content) if (isRecord(block)) addBlock(history, type, block);
  }
  return history.toContents();
}

/** The title that Claude Code gave it, else the user's first words. */
export function describeClaudeSession(lines: readonly Line[]): { title?: string; root?: string; id?: string } {
  const summary = lines.find(({ type, summary: text }) => type === 'summary' && typeof text === 'string')?.['summary'];
  const known = lines.find(({ cwd }) => typeof cwd === 'string');
  const words = lines.flatMap((line) => wordsOf(line) ?? [])[0];
  const title = typeof summary === 'string' ? summary : words;
  return {
    ...(title !== undefined && { title }),
    ...(known && { root: String(known['cwd']) }),
    ...(typeof known?.['sessionId'] === 'string' && { id: known['sessionId'] }),
  };
}

function wordsOf({ type, message, isSidechain, isMeta }: Line): string | undefined {
  if (type !== 'user' || !isRecord(message) || isSidechain === true || isMeta === true) return undefined;
  const text = textOf(message['content']);
  return text.trim() === '' || isNoise(text) ? undefined : text;
}

function addText(history: ForeignHistory, type: 'user' | 'assistant', text: string): void {
  if (!isNoise(text)) history.text(type === 'user' ? 'user' : 'model', text);
}

/** What the program wrote about its own commands. */
function isNoise(text: string): boolean {
  return /^<(?:command-name|command-message|local-command-\w+|bash-(?:input|stdout|stderr)|system-reminder)>/.test(
    text.trim(),
  );
}

function addBlock(history: ForeignHistory, type: 'user' | 'assistant', block: Line): void {
  const { text, id, name, input, source } = block;
  switch (block['type']) {
    case 'text':
      if (typeof text === 'string') addText(history, type, text);
      return;
    case 'tool_use':
      if (typeof id === 'string' && typeof name === 'string') history.call(id, name, input);
      return;
    case 'tool_result':
      if (typeof block['tool_use_id'] === 'string')
        history.result(block['tool_use_id'], textOf(block['content']), block['is_error'] === true);
      return;
    case 'image':
      addImage(history, source);
      return;
    // Thinking is signed for its own service and cannot be sent to another.
    default:
  }
}

function addImage(history: ForeignHistory, source: unknown): void {
  if (!isRecord(source) || source['type'] !== 'base64') return;
  const { media_type: mimeType, data } = source;
  if (typeof mimeType === 'string' && typeof data === 'string')
    history.part('user', { inlineData: { mimeType, data } });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n');
}

/**
 * Gemini CLI's reading of a session file, to the letter of what is known of it
 * (behaviour 2.6, 9.9) and apart from our own loader, so that one mistake cannot hide in
 * both. It knows none of our records and fields: lines it does not know are skipped, a
 * known field of the wrong shape is a finding.
 */

interface StoredMessage {
  id: string;
  type: string;
  content: unknown;
  toolCalls?: { result?: unknown }[];
}

export interface ReferenceTurn {
  role: 'user' | 'model';
  parts: Record<string, unknown>[];
}

export interface ReferenceReading {
  metadata: Record<string, unknown>;
  messages: StoredMessage[];
  /** What would be sent when it is gone on with, before the next message. */
  contents: ReferenceTurn[];
  findings: string[];
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isTime: Check = (value) => isText(value) && new Date(String(value)).toISOString() === value;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (isRight: Check) => (value: unknown) => Array.isArray(value) && value.every(isRight);
const objectOf = (fields: Record<string, Check>) => (value: unknown) =>
  isObject(value) && Object.entries(fields).every(([key, isRight]) => isRight(value[key]));
const optional = (isRight: Check) => (value: unknown) => value === undefined || isRight(value);
const oneOf =
  (...names: string[]): Check =>
  (value) =>
    names.includes(String(value));
const isContent: Check = (value) =>
  isText(value) || isObject(value) || listOf((part) => isText(part) || isObject(part))(value);

const METADATA = {
  sessionId: isText,
  projectHash: (value: unknown) => /^[0-9a-f]{64}$/.test(String(value)),
  startTime: isTime,
  lastUpdated: isTime,
  kind: oneOf('main', 'subagent'),
  directories: optional(listOf(isText)),
};
const MESSAGE = {
  id: isText,
  timestamp: isTime,
  type: oneOf('user', 'info', 'error', 'warning', 'gemini'),
  content: isContent,
  displayContent: optional(isContent),
  toolCalls: optional(
    listOf(objectOf({ id: isText, name: isText, args: isObject, status: isText, timestamp: isTime })),
  ),
  thoughts: optional(listOf(objectOf({ subject: isText, description: isText, timestamp: isTime }))),
  tokens: optional(
    objectOf({
      input: isNumber,
      output: isNumber,
      cached: isNumber,
      thoughts: isNumber,
      tool: isNumber,
      total: isNumber,
    }),
  ),
  model: optional(isText),
};

export function readAsReference(text: string): ReferenceReading {
  const findings: string[] = [];
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const metadata = JSON.parse(first) as Record<string, unknown>;
  check(metadata, METADATA, 'metadata', findings);
  let messages: StoredMessage[] = [];
  for (const line of lines) {
    const record = JSON.parse(line) as Record<string, unknown>;
    const patch = record['$set'];
    if (isObject(patch)) {
      const { messages: replaced, ...fields } = patch;
      Object.assign(metadata, fields);
      check(metadata, METADATA, 'patched metadata', findings);
      if (Array.isArray(replaced)) messages = [];
      for (const message of Array.isArray(replaced) ? replaced : []) put(messages, message, findings);
    } else if (isText(record['$rewindTo'])) {
      const index = messages.findIndex(({ id }) => id === record['$rewindTo']);
      if (index < 0) findings.push('a rewind to nowhere, which clears all');
      messages = messages.slice(0, Math.max(index, 0));
    } else if (isText(record['id'])) put(messages, record, findings);
    // Metadata is the first line; whatever else there is has to be skipped.
    else if (!Object.keys(record).every((key) => key.startsWith('$'))) findings.push(`an odd line: ${line}`);
  }
  return { metadata, messages, contents: toContents(messages), findings };
}

function check(value: Record<string, unknown>, fields: Record<string, Check>, what: string, findings: string[]): void {
  for (const [key, isRight] of Object.entries(fields)) {
    if (!isRight(value[key])) findings.push(`${what}: ${key} is ${JSON.stringify(value[key])}`);
  }
}

function put(messages: StoredMessage[], message: Record<string, unknown>, findings: string[]): void {
  check(message, MESSAGE, `message ${String(message['id'])}`, findings);
  const index = messages.findIndex(({ id }) => id === message['id']);
  if (index < 0) messages.push(message as unknown as StoredMessage);
  else messages[index] = message as unknown as StoredMessage;
}

/** Turns of one role that follow each other are merged, as they are for every request. */
function toContents(messages: readonly StoredMessage[]): ReferenceTurn[] {
  const contents: ReferenceTurn[] = [];
  for (const { type, content } of messages) {
    if (type !== 'user' && type !== 'gemini') continue;
    const parts = toParts(content);
    const text = parts.map((part) => (isText(part['text']) ? String(part['text']) : '')).join('');
    if (type === 'user' && /^([/?]|<session_context>|<hook_context>)/.test(text)) continue;
    const role = type === 'user' ? 'user' : 'model';
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  }
  return contents;
}

function toParts(content: unknown): Record<string, unknown>[] {
  const list = Array.isArray(content) ? content : [content];
  return list.map((part: unknown) => (isText(part) ? { text: part } : (part as Record<string, unknown>)));
}

/**
 * Parses the placeholders of a custom command's prompt: `@{path}`, `!{command}` and `{{args}}`. A prompt is parsed
 * once, before anything is filled in: text from a file, a command or the user's arguments is never parsed as a
 * placeholder. Pure.
 */

export type Segment =
  | { kind: 'text'; text: string }
  | { kind: 'args' }
  | { kind: 'file'; path: string; raw: string }
  | { kind: 'shell'; command: string }
  /** One of the words of the arguments, or a named one. */
  | { kind: 'word'; name: string };

export class PlaceholderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlaceholderError';
  }
}

export const ARGS = '{{args}}';
const START = /[@!]\{|\{\{args\}\}/g;

/** Throws PlaceholderError when a brace is not closed. */
export function parsePlaceholders(prompt: string): Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  START.lastIndex = 0;
  for (let match = START.exec(prompt); match; match = START.exec(prompt)) {
    if (match.index > position) segments.push({ kind: 'text', text: prompt.slice(position, match.index) });
    if (match[0] === ARGS) {
      segments.push({ kind: 'args' });
      position = START.lastIndex;
      continue;
    }
    const end = findClosing(prompt, START.lastIndex);
    const content = prompt.slice(START.lastIndex, end).trim();
    const raw = prompt.slice(match.index, end + 1);
    segments.push(match[0] === '@{' ? { kind: 'file', path: content, raw } : { kind: 'shell', command: content });
    position = end + 1;
    START.lastIndex = position;
  }
  if (position < prompt.length) segments.push({ kind: 'text', text: prompt.slice(position) });
  return segments;
}

/** Where the brace opened before `start` closes; braces inside must be balanced. */
function findClosing(prompt: string, start: number): number {
  let depth = 1;
  for (let index = start; index < prompt.length; index++) {
    if (prompt[index] === '{') depth++;
    else if (prompt[index] === '}' && --depth === 0) return index;
  }
  const line = prompt.slice(0, start).split('\n').length;
  throw new PlaceholderError(`${prompt.slice(start - 2, start)} in line ${line} of its prompt is not closed`);
}

/** Quotes the text as one word for the shell. */
export function quoteForShell(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return `'${text.replaceAll("'", "''")}'`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

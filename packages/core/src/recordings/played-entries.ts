/** The requests and calls of a recording as a player needs them, and the words for how a run differs from them. Pure. */

import { firstDifference } from './first-difference.ts';
import type { CallLine, FileContent, Recording, RequestLine, ResponseLine, ResultLine } from './recording-lines.ts';

export interface Difference {
  kind: 'request' | 'call' | 'order' | 'missing' | 'files' | 'exit';
  /** One sentence. */
  message: string;
  expected?: string;
  actual?: string;
}

export interface Entry {
  line: RequestLine | CallLine;
  end: ResponseLine | ResultLine | undefined;
  startsAt: number;
  endsAt: number;
  isUsed: boolean;
  /** Its answer was given in full. */
  isDone: boolean;
}

/** Headers that name the version and the machine. */
const UNCOMPARED = new Set(['user-agent', 'content-length', 'x-goog-api-client']);

export interface Described<Line> {
  name: string;
  text: string;
  /** Without what both sides share. */
  body?: string;
  about: (line: Line) => string;
  textOf: (line: Line) => string;
}

export function differenceTo(
  next: Entry,
  kind: 'request' | 'call',
  about: Described<RequestLine | CallLine>,
): Difference {
  const { line } = next;
  if (line.type !== kind)
    return {
      kind: 'order',
      message: `The order differs: ${about.name} comes where the recording has ${nameOf(next)}.`,
    };
  const recorded = about.textOf(line);
  const isBody = about.body !== undefined && line.type === 'request' && recorded === line.body;
  const { where, expected, actual } = firstDifference(recorded, isBody ? (about.body ?? '') : about.text);
  const what =
    about.about(line) === about.name
      ? `${capital(about.name)} differs`
      : `${capital(about.name)} comes where the recording has ${nameOf(next)}`;
  return { kind, message: `${what}, at ${where}.`, expected, actual };
}

export function beyondEnd({ name, text }: Described<never>): Difference {
  return { kind: 'missing', message: `The recorded run ended before ${name}.`, actual: text.slice(0, 200) };
}

export function differenceOfFiles(
  expected: readonly FileContent[],
  actual: readonly FileContent[],
): Difference | undefined {
  const paths = [...new Set([...expected, ...actual].map(({ path }) => path))].sort();
  for (const path of paths) {
    const [one, other] = [expected, actual].map((all) => all.find((each) => each.path === path));
    if (!one) return { kind: 'files', message: `${path} is changed, and was not in the recording.` };
    if (!other) return { kind: 'files', message: `${path} is not changed, and was in the recording.` };
    const [before = '', after = ''] = [one, other].map((each) => each.text ?? each.base64 ?? '');
    if (before === after) continue;
    const { where, ...sides } = firstDifference(before, after);
    return { kind: 'files', message: `${path} has another content at the end, at ${where}.`, ...sides };
  }
  return undefined;
}

export function entriesOf({ lines }: Recording): Entry[] {
  const entries = new Map<number, Entry>();
  for (const [index, line] of lines.entries()) {
    if (line.type === 'request' || line.type === 'call')
      entries.set(line.id, { line, end: undefined, startsAt: index, endsAt: Infinity, isUsed: false, isDone: false });
    else if (line.type === 'response' || line.type === 'result') {
      const entry = entries.get(line.id);
      if (entry) [entry.end, entry.endsAt] = [line, index];
    }
  }
  return [...entries.values()];
}

export function nameOf({ line }: Entry): string {
  return line.type === 'call' ? `the call ${line.tool}` : `the request ${line.method} ${line.url}`;
}

export function comparable(headers: Readonly<Record<string, string>>): string {
  const kept = Object.entries(headers).filter(([name]) => !UNCOMPARED.has(name));
  return kept
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

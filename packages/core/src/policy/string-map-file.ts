/**
 * A JSON object from text to text, with comments and trailing commas, that is edited
 * in place: only the changed entry's bytes change. It reads nothing else; any other
 * JSON is refused.
 */

export interface StringEntry {
  key: string;
  value: string;
  /** Of the value, quotes included. */
  start: number;
  end: number;
}

/** Undefined when the text is anything but such an object. An empty file is an empty object. */
export function parseStringMap(text: string): StringEntry[] | undefined {
  return scan(text)?.entries;
}

/** The text with one entry set; undefined when it cannot be read. */
export function editStringMap(text: string, key: string, value: string): string | undefined {
  if (text.trim() === '') return `{\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}\n}\n`;
  const scanned = scan(text);
  if (scanned === undefined) return undefined;
  const present = scanned.entries.findLast((entry) => entry.key === key);
  if (present !== undefined) {
    return present.value === value
      ? text
      : text.slice(0, present.start) + JSON.stringify(value) + text.slice(present.end);
  }
  const last = scanned.entries.at(-1);
  const entry = `\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  if (last === undefined) return `${text.slice(0, scanned.open)}${entry}\n${text.slice(scanned.open).trimStart()}`;
  const comma = scanned.trailingComma ?? last.end;
  return scanned.trailingComma === undefined
    ? `${text.slice(0, last.end)},${entry}${text.slice(last.end)}`
    : `${text.slice(0, comma)}${entry}${text.slice(comma)}`;
}

interface Scanned {
  entries: StringEntry[];
  /** After the opening brace. */
  open: number;
  /** After a comma that no entry follows. */
  trailingComma?: number;
}

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\.)*"/uy;

function scan(source: string): Scanned | undefined {
  const text = source.replace(/^\ufeff/, ' ');
  let at = 0;
  const blank = () => (at = matchAt(BLANK, text, at) ?? at);
  const take = (character: string) => {
    blank();
    if (text.charAt(at) !== character) return false;
    at += 1;
    return true;
  };
  const takeString = (): { value: string; start: number; end: number } | undefined => {
    blank();
    const start = at;
    const end = matchAt(STRING, text, at);
    if (end === undefined) return undefined;
    at = end;
    const value = parseJsonString(text.slice(start, end));
    return value === undefined ? undefined : { value, start, end };
  };
  if (text.trim() === '') return { entries: [], open: 0 };
  if (!take('{')) return undefined;
  const result: Scanned = { entries: [], open: at };
  while (!take('}')) {
    const key = takeString();
    if (key === undefined || !take(':')) return undefined;
    const value = takeString();
    if (value === undefined) return undefined;
    result.entries.push({ ...value, key: key.value });
    delete result.trailingComma;
    if (take(',')) result.trailingComma = at;
    else if (take('}')) break;
    else return undefined;
  }
  blank();
  return at === text.length ? result : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function parseJsonString(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // An escape JSON does not know: the file is not ours to guess at.
    return undefined;
  }
}

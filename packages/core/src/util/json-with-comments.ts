/**
 * Parses JSON with comments and trailing commas into a tree of spans. Offsets count from
 * the start of the text, a byte order mark included. Written here because every start
 * runs it: loading a library for this costs more than reading all settings.
 */

export type JsonNode = JsonObjectNode | JsonListNode | JsonScalarNode;

interface Span {
  start: number;
  end: number;
}

export interface JsonObjectNode extends Span {
  kind: 'object';
  entries: JsonEntry[];
}

interface JsonListNode extends Span {
  kind: 'list';
  items: JsonNode[];
}

interface JsonScalarNode extends Span {
  kind: 'scalar';
  value: string | number | boolean | null;
}

/** From the first quote of the key to the end of the value. */
export interface JsonEntry extends Span {
  key: string;
  node: JsonNode;
}

/** The offset of a syntax error and what was expected there. */
export class JsonMistake extends Error {
  override readonly name = 'JsonMistake';
  readonly offset: number;

  constructor(offset: number, expected: string) {
    super(expected);
    this.offset = offset;
  }
}

const MAX_DEPTH = 100;
const BLANK = /(?:[ \t\r\n]|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?![\w$])/y;
/** Control characters must be written as escapes. */
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
/** Skipped as a unit after a mistake: a string, a comment or one character. */
const PIECE = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|[^]/y;
const VALUES = 'expected a string in double quotes, a number, true, false, null, a list or an object';

/** Undefined for a text of only blanks and comments. Throws a JsonMistake. */
export function parseJsonNode(text: string): JsonNode | undefined {
  const reader = new Reader(text, text.startsWith('\ufeff') ? 1 : 0);
  if (reader.next() === '') return undefined;
  const node = reader.value(0);
  if (reader.next() !== '') throw new JsonMistake(reader.at, 'expected the end of the file after the object');
  return node;
}

/** The items of a list; an invalid item is replaced by its JsonMistake. Undefined when the text is not a list. */
export function parseJsonItems(text: string): (JsonNode | JsonMistake)[] | undefined {
  try {
    const reader = new Reader(text, text.startsWith('\ufeff') ? 1 : 0);
    return reader.next() === '[' ? reader.items() : undefined;
  } catch (error) {
    if (error instanceof JsonMistake) return undefined;
    throw error;
  }
}

class Reader {
  at: number;
  private readonly text: string;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  /** The next character that is not blank; empty at the end. */
  next(): string {
    this.match(BLANK);
    if (this.text.startsWith('/*', this.at)) throw new JsonMistake(this.at, 'this comment is not closed');
    return this.text.charAt(this.at);
  }

  value(depth: number): JsonNode {
    const character = this.next();
    if (depth > MAX_DEPTH) throw new JsonMistake(this.at, `this is nested more than ${MAX_DEPTH} levels deep`);
    if (character === '{') return this.object(depth);
    if (character === '[') return this.list(depth);
    const start = this.at;
    const word = character === '"' ? this.string() : (this.match(NUMBER) ?? this.match(WORD));
    if (word === undefined) throw new JsonMistake(start, character === '' ? 'expected a value' : VALUES);
    return { kind: 'scalar', start, end: this.at, value: JSON.parse(word) as JsonScalarNode['value'] };
  }

  /** Continues after a mistake with the next item, up to the end of the list or the text. */
  items(): (JsonNode | JsonMistake)[] {
    const items: (JsonNode | JsonMistake)[] = [];
    this.at += 1;
    for (;;) {
      const start = this.at;
      try {
        const character = this.next();
        if (character === '' || character === ']') return items;
        if (character === ',') this.at += 1;
        else items.push(this.item());
      } catch (error) {
        if (!(error instanceof JsonMistake)) throw error;
        items.push(error);
        this.skipItem(start);
      }
    }
  }

  private item(): JsonNode {
    const node = this.value(1);
    if (!['', ',', ']'].includes(this.next())) throw new JsonMistake(this.at, 'expected a comma between two entries');
    return node;
  }

  /** Skips to the comma or bracket after the item that starts here, over at least one piece. */
  private skipItem(start: number): void {
    this.at = start;
    let depth = 0;
    do {
      const piece = this.match(PIECE);
      if (piece === '{' || piece === '[') depth += 1;
      if (piece === '}' || piece === ']') depth -= 1;
    } while (this.at < this.text.length && !(depth <= 0 && /[,\]]/.test(this.text.charAt(this.at))));
  }

  private object(depth: number): JsonObjectNode {
    const start = this.at;
    const entries: JsonEntry[] = [];
    this.each('}', () => entries.push(this.entry(depth)));
    return { kind: 'object', start, end: this.at, entries };
  }

  private list(depth: number): JsonListNode {
    const start = this.at;
    const items: JsonNode[] = [];
    this.each(']', () => items.push(this.value(depth + 1)));
    return { kind: 'list', start, end: this.at, items };
  }

  private entry(depth: number): JsonEntry {
    const start = this.at;
    if (this.next() !== '"') throw new JsonMistake(start, 'expected a key in double quotes');
    const key = JSON.parse(this.string()) as string;
    if (this.next() !== ':') throw new JsonMistake(this.at, 'expected a colon after the key');
    this.at += 1;
    const node = this.value(depth + 1);
    return { start, end: node.end, key, node };
  }

  /** Reads from the opening bracket past the closing one; allows a trailing comma. */
  private each(close: string, read: () => void): void {
    this.at += 1;
    while (this.next() !== close) {
      this.refuseEnd(close);
      read();
      if (this.next() === ',') this.at += 1;
      else if (this.next() !== close) {
        this.refuseEnd(close);
        throw new JsonMistake(this.at, 'expected a comma between two entries');
      }
    }
    this.at += 1;
  }

  private refuseEnd(close: string): void {
    if (this.next() === '') throw new JsonMistake(this.at, `expected a closing ${close}`);
  }

  private string(): string {
    const word = this.match(STRING);
    if (word === undefined) throw this.badString();
    return word;
  }

  private badString(): JsonMistake {
    const [, inside = ''] = /^"((?:[^"\\\r\n]|\\.)*)/.exec(this.text.slice(this.at)) ?? [];
    const isOpen = this.text.charAt(this.at + 1 + inside.length) !== '"';
    if (isOpen) return new JsonMistake(this.at, 'this string has no closing quote');
    const bad = /\\(?!["\\/bfnrt]|u[\da-fA-F]{4})/.exec(inside.replaceAll('\\\\', '--'));
    return bad === null
      ? new JsonMistake(this.at, 'a control character in this string must be a \\u escape')
      : new JsonMistake(this.at + 1 + bad.index, 'invalid JSON escape');
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

/** The entry at the end of a path, with its neighbours; of duplicate keys the last, which is the effective one. */
export function findEntry(
  root: JsonNode | undefined,
  path: readonly string[],
): { entry: JsonEntry; parent: JsonObjectNode } | undefined {
  const [key, ...rest] = path;
  if (root?.kind !== 'object' || key === undefined) return undefined;
  const entry = root.entries.findLast((candidate) => candidate.key === key);
  if (entry === undefined) return undefined;
  return rest.length === 0 ? { entry, parent: root } : findEntry(entry.node, rest);
}

/** The value of the tree, as from JSON.parse. */
export function toValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toValue);
  return Object.fromEntries(node.entries.map(({ key, node: inner }) => [key, toValue(inner)]));
}

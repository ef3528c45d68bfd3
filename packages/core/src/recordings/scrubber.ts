/**
 * Scrubber: removes secrets from what is recorded and writes the folders of this machine under names that every machine has. A secret or
 * a path that a model spelled in pieces is found too: in a stream, the pieces of one text are read together.
 */

import { SECRET_NAME, SECRET_VALUE } from '../util/secret-patterns.ts';
import { isRecord } from '../util/is-record.ts';

export const WORKSPACE = '/castor/workspace';
export const HOME = '/castor/home';
const MASK = '***';
/** Shorter values are too likely to be words. */
const MIN_SECRET = 8;
/** `NAME_KEY=value` in files of variables and in commands; the value is removed. */
const ASSIGNMENT =
  /\b([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)=)(["']?)(?![$"'*])([^\s"'\\&;|]{6,})/g;
const PRIVATE_KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]*?-----END \1-----/g;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'\\]+:)([^\s/@"'\\]+)(?=@)/gi;
/** Never recorded with their value. */
const SECRET_HEADER = /authorization|api-?key|token|cookie|secret|x-goog-user-project/i;

interface Found {
  start: number;
  end: number;
  by: string;
}

export interface ScrubberOptions {
  workspace: readonly string[];
  home: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

export class Scrubber {
  private readonly literals: { from: string; to: string }[];

  constructor({ workspace, home, environment }: ScrubberOptions) {
    const secrets = Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && SECRET_NAME.test(name) ? [value] : [],
    );
    this.literals = [
      ...workspace.map((from) => ({ from, to: WORKSPACE })),
      ...home.map((from) => ({ from, to: HOME })),
    ].filter(({ from }) => from.length > 1);
    this.addSecrets(secrets);
  }

  addSecrets(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < MIN_SECRET) continue;
      // As it is, and as it stands in JSON.
      for (const from of new Set([secret, JSON.stringify(secret).slice(1, -1)])) this.literals.push({ from, to: MASK });
    }
    // A workspace in the home folder is found before the home folder.
    this.literals.sort((one, other) => other.from.length - one.from.length);
  }

  scrub(text: string): string {
    return replace(text, this.find(text));
  }

  headers(given: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name.toLowerCase(), SECRET_HEADER.test(name) ? MASK : this.scrub(String(value))]],
      ),
    );
  }

  /** Pieces of a body as they arrived. They are cut anew where something was removed. */
  chunks(pieces: readonly (readonly [number, string])[]): [number, string][] {
    const whole = pieces.map(([, text]) => text).join('');
    const clean = this.scrub(this.frames(whole));
    if (clean === whole) return pieces.map(([at, text]) => [at, text]);
    const lines = clean.split(/(?<=\n)/);
    return lines.map((line, index) => [pieces[Math.floor((index * pieces.length) / lines.length)]?.[0] ?? 0, line]);
  }

  /** Each line with JSON is a frame; the texts at the same place in all frames are one text. */
  private frames(body: string): string {
    const lines = body.split('\n');
    const frames = lines.map(parseFrame);
    const texts = new Map<string, Leaf[]>();
    for (const frame of frames) if (frame) collect(frame.value, '', texts);
    const changed = new Set<unknown>();
    for (const leaves of texts.values()) this.acrossLeaves(leaves, changed);
    if (changed.size === 0) return body;
    return lines
      .map((line, index) => {
        const frame = frames[index];
        return frame && holdsAny(frame.value, changed)
          ? `${frame.prefix}${JSON.stringify(frame.value)}${frame.suffix}`
          : line;
      })
      .join('\n');
  }

  private acrossLeaves(leaves: readonly Leaf[], changed: Set<unknown>): void {
    if (leaves.length < 2) return;
    const whole = leaves.map(({ holder, key }) => String(holder[key])).join('');
    let offset = 0;
    const found = this.find(whole);
    if (found.length === 0) return;
    for (const leaf of leaves) {
      const text = String(leaf.holder[leaf.key]);
      const [from, to] = [offset, offset + text.length];
      offset = to;
      const inside = found.filter(({ start, end }) => start < to && end > from);
      if (inside.length === 0) continue;
      // What replaces a match is written where the match begins.
      const parts = inside.map(({ start, end, by }) => ({
        ...{ start: Math.max(0, start - from), end: Math.min(text.length, end - from), by: start >= from ? by : '' },
      }));
      leaf.holder[leaf.key] = replace(text, parts);
      changed.add(leaf.holder);
    }
  }

  /** In order, without overlaps. */
  private find(text: string): Found[] {
    const found: Found[] = [];
    const add = (start: number, end: number, by: string) => {
      if (!found.some((each) => start < each.end && end > each.start)) found.push({ start, end, by });
    };
    for (const { from, to } of this.literals)
      for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) {
        // `/home/ann` is neither in `/home/anna` nor in `/mnt/home/ann`.
        const isPart = /[\w.-]/.test(text[at - 1] ?? '') || /[\w-]/.test(text[at + from.length] ?? '');
        if (to !== MASK && isPart) continue;
        add(at, at + from.length, to);
      }
    for (const match of text.matchAll(PRIVATE_KEY)) add(match.index, match.index + match[0].length, MASK);
    for (const match of text.matchAll(SECRET_VALUE)) add(match.index, match.index + match[0].length, MASK);
    for (const match of text.matchAll(ASSIGNMENT)) {
      const end = match.index + match[0].length;
      add(end - (match[3] ?? '').length, end, MASK);
    }
    for (const match of text.matchAll(URL_PASSWORD)) {
      const end = match.index + match[0].length;
      add(end - (match[2] ?? '').length, end, MASK);
    }
    return found.sort((one, other) => one.start - other.start);
  }
}

/** Writes the folders of this machine where a recording has their names. */
export function restorePaths(text: string, { workspace, home }: { workspace: string; home: string }): string {
  return text.replaceAll(WORKSPACE, () => workspace).replaceAll(HOME, () => home);
}

function replace(text: string, found: readonly Found[]): string {
  let written = '';
  let at = 0;
  for (const { start, end, by } of found) {
    written += text.slice(at, start) + by;
    at = end;
  }
  return written + text.slice(at);
}

interface Leaf {
  holder: Record<string, unknown>;
  key: string;
}

interface Frame {
  prefix: string;
  value: unknown;
  suffix: string;
}

function parseFrame(line: string): Frame | undefined {
  const [, prefix = '', json = '', suffix = ''] = /^((?:data:)?\s*)([[{].*[\]}])(\s*)$/.exec(line) ?? [];
  if (json === '') return undefined;
  try {
    return { prefix, value: JSON.parse(json) as unknown, suffix };
  } catch {
    // A line that only looks like JSON is text.
    return undefined;
  }
}

function collect(value: unknown, path: string, texts: Map<string, Leaf[]>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') {
      collect(item, `${path}/${key}`, texts);
      continue;
    }
    const at = `${path}/${key}`;
    const leaf = { holder: value as Record<string, unknown>, key };
    const known = texts.get(at);
    if (known) known.push(leaf);
    else texts.set(at, [leaf]);
  }
}

function holdsAny(value: unknown, changed: ReadonlySet<unknown>): boolean {
  if (changed.has(value)) return true;
  if (Array.isArray(value)) return value.some((item) => holdsAny(item, changed));
  return isRecord(value) && Object.values(value).some((item) => holdsAny(item, changed));
}

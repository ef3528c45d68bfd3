/**
 * Scrubber: writes stand-ins for secrets into what is recorded, and the folders of this machine under names that every machine has. A
 * secret or a path that a model spelled in pieces is found too: in a stream, the pieces of one text are read together.
 */

import { changeTexts } from '../secrets/conceal-value.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { isDistinctive, MARK, normalise } from '../secrets/secret-vault.ts';
import { plainStandIn, standInFor } from '../secrets/stand-in.ts';
import { isSecretVariable } from '../util/secret-variables.ts';
import { SECRET_NAME, SECRET_VALUE } from '../util/secret-patterns.ts';
import { collect, holdsAny, parseFrame } from './stream-frames.ts';
import type { Leaf } from './stream-frames.ts';

export const WORKSPACE = '/castor/workspace';
export const HOME = '/castor/home';
/** For what only looks like a secret: the marks of a session do not know it either. */
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

/** What a recording has in place of a secret. */
export interface StandIn {
  standIn: string;
  /** The variable that had the secret: a replay has the stand-in there. */
  variable?: string;
}

export interface ScrubberOptions {
  workspace: readonly string[];
  home: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Those of a recording stay as they are. */
  standIns?: readonly string[] | undefined;
  /** Stands for a key that no variable holds. */
  keyStandIn?: string | undefined;
}

interface Literal {
  from: string;
  to: () => string;
  isFolder?: true;
}

export class Scrubber {
  private readonly options: ScrubberOptions;
  private readonly literals: Literal[];
  private readonly byValue = new Map<string, number>();
  private readonly known: Set<string>;
  private made: StandIn[] = [];
  private count = 0;

  constructor(options: ScrubberOptions) {
    this.options = options;
    const { workspace, home, environment, standIns = [] } = options;
    this.known = new Set(standIns);
    this.literals = [...folders(workspace, WORKSPACE), ...folders(home, HOME)];
    for (const standIn of standIns) this.addLiteral(standIn, () => standIn);
    for (const [variable, value = ''] of Object.entries(environment))
      if (SECRET_NAME.test(variable) || isSecretVariable(variable, value)) this.addVariable(variable, value);
  }

  /** Keys in use. */
  addSecrets(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (this.literals.some(({ from }) => from === secret)) continue;
      this.addLiteral(secret, () => this.options.keyStandIn ?? MASK);
    }
  }

  /** Since the last time; in the file before a replay needs them. */
  takeStandIns(): StandIn[] {
    const made = this.made;
    this.made = [];
    return made;
  }

  scrub(text: string): string {
    return replace(text, this.find(text));
  }

  /** As JSON. First in the texts: in JSON the escape of a line end would be part of the word after it. Then in names. */
  json(value: unknown): string {
    return this.scrub(JSON.stringify(changeTexts(value, (text) => this.scrub(text))));
  }

  /** The body of a request: JSON inside is read as JSON. */
  body(text: string): string {
    return JSON.parse(this.json(this.inJson(text) ?? text)) as string;
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
    const clean = this.scrub(this.frames(this.inJson(whole) ?? whole));
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

  private addVariable(variable: string, value: string): void {
    const [secret] = findSecrets(value);
    // By its name it is withheld whatever it holds; by its value, where the stand-in has the same form.
    const isNamed = SECRET_NAME.test(variable) || isSecretVariable(variable, '');
    // The vault of a session knows only distinctive values, and so does that of the replay.
    if (!isDistinctive(value)) {
      if (isNamed && secret?.value !== value.trim()) this.addLiteral(value, () => MASK);
      return;
    }
    let standIn: string | undefined;
    const make = () => {
      if (isNamed || !secret)
        return this.note(
          this.unused((number) => plainStandIn(value, number)),
          variable,
        );
      const by = this.standInOf(secret.kind, secret.value);
      return this.note(
        replace(value, [{ start: secret.start, end: secret.start + secret.value.length, by }]),
        variable,
      );
    };
    this.addLiteral(value, () => (standIn ??= make()));
  }

  private standInOf(kind: string, value: string): string {
    if (this.known.has(value)) return value;
    const key = normalise(value);
    const number = this.byValue.get(key);
    const make = (at: number) => standInFor({ kind, value }, at);
    const standIn = number === undefined ? this.unused(make) : make(number);
    this.byValue.set(key, number ?? this.count);
    if (this.known.has(standIn)) return standIn;
    // From now on it is found without its context too.
    if (isDistinctive(value)) this.addLiteral(value, () => standIn);
    return this.note(standIn);
  }

  private note(standIn: string, variable?: string): string {
    this.known.add(standIn);
    this.addLiteral(standIn, () => standIn);
    this.made.push({ standIn, ...(variable !== undefined && { variable }) });
    return standIn;
  }

  /** Not one of a recording that is written anew either. */
  private unused(make: (number: number) => string): string {
    do this.count += 1;
    while (this.known.has(make(this.count)));
    return make(this.count);
  }

  private addLiteral(value: string, to: () => string): void {
    if (value.length < MIN_SECRET) return;
    // As it is, and as it stands in JSON.
    this.literals.push({ from: value, to });
    if (escaped(value) !== value) this.literals.push({ from: escaped(value), to: () => escaped(to()) });
    // A workspace in the home folder is found before the home folder.
    this.literals.sort((one, other) => other.from.length - one.from.length);
  }

  /** Undefined for what is no JSON, or not written as we write it. */
  private inJson(text: string): string | undefined {
    const frame = parseFrame(text);
    if (!frame || JSON.stringify(frame.value) !== text.trim()) return undefined;
    return `${frame.prefix}${this.json(frame.value)}${frame.suffix}`;
  }

  /** In order, without overlaps. */
  private find(text: string): Found[] {
    const found: Found[] = [];
    const add = (start: number, end: number, by: string) => {
      if (!found.some((each) => start < each.end && end > each.start)) found.push({ start, end, by });
    };
    // The marks of the session are no secrets, wherever they are.
    for (const { index, 0: mark } of text.matchAll(MARK)) add(index, index + mark.length, mark);
    // A copy: what is found becomes known.
    for (const { from, to, isFolder } of [...this.literals])
      for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) {
        // `/home/ann` is neither in `/home/anna` nor in `/mnt/home/ann`.
        const isPart = /[\w.-]/.test(text[at - 1] ?? '') || /[\w-]/.test(text[at + from.length] ?? '');
        if (isFolder && isPart) continue;
        add(at, at + from.length, to());
      }
    for (const { kind, value, start } of findSecrets(text))
      add(start, start + value.length, this.standInOf(kind, value));
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

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function folders(paths: readonly string[], name: string): Literal[] {
  return paths.filter((from) => from.length > 1).map((from) => ({ from, to: () => name, isFolder: true }));
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

/**
 * SecretVault: replaces secrets in text by marks such as `‹secret:github-1›`, the same value always by the same mark, and
 * turns marks back into values where that is allowed. Values live in its memory only. Its cost is that of the given text.
 */

import { findSecrets } from './find-secrets.ts';
import type { FoundSecret } from './find-secrets.ts';

export interface SecretMark {
  /** `github-1` of `‹secret:github-1›`. */
  name: string;
  kind: string;
  /** Identifies the value without holding it; absent where none can be computed. */
  fingerprint?: string | undefined;
}

export interface SecretVaultOptions {
  /** Credentials that this program uses; the list may grow. No command gets them. */
  credentials?: readonly string[] | undefined;
  /** Values that are withheld from commands, by the name of their variable. */
  withheld?: Readonly<Record<string, string>> | undefined;
  /** Marks of an earlier run of the session, read when the first is needed: their names are taken, their values keep them. */
  known?: (() => readonly SecretMark[]) | undefined;
  fingerprintOf?: ((value: string) => string | undefined) | undefined;
  /** Called once for each new mark. */
  onMark?: ((mark: MarkedValue) => void) | undefined;
}

export interface MarkedValue extends SecretMark {
  value: string;
  /** False: a credential of this program, or a variable that the user did not grant. */
  isUsable: boolean;
}

export const MARK = /‹secret:([a-z][a-z0-9-]{0,80}-\d{1,6})›/g;
/** A shorter value, or one without letters and digits, would match unrelated words. */
const SHORTEST_LITERAL = 12;
const SHORTEST_CREDENTIAL = 8;
const MAX_LITERALS = 500;
/** Secrets that are recognised by what is before them. */
const NEEDS_CONTEXT: ReadonlySet<string> = new Set(['password', 'aws']);

export function toMark(name: string): string {
  return `‹secret:${name}›`;
}

/** One sentence for the model when the first mark appears. */
export const MARKS_NOTE = `Note: ${toMark('<name>')} stands for a secret that Castor withholds. Use the mark as it is: commands get the value in their environment, and edits write it back.`;

export class SecretVault {
  private readonly options: SecretVaultOptions;
  private readonly byValue = new Map<string, MarkedValue>();
  private readonly byName = new Map<string, MarkedValue>();
  private readonly known = new Map<string, SecretMark>();
  private readonly counts = new Map<string, number>();
  /** Values that are matched as they are, and their kinds. */
  private readonly literals = new Map<string, { kind: string; isUsable: boolean }>();
  private literal: RegExp | undefined;
  private seenCredentials = 0;
  private hasRead = false;
  /** How often each mark replaced a value. */
  readonly replacements = new Map<string, number>();

  constructor(options: SecretVaultOptions = {}) {
    this.options = options;
    for (const [name, value] of Object.entries(options.withheld ?? {}))
      if (isDistinctive(value)) this.literals.set(value, { kind: toKind(name), isUsable: false });
    this.compileLiterals();
  }

  /** The text without its secrets; the same string where it has none. */
  conceal(text: string): string {
    if ((this.options.credentials?.length ?? 0) !== this.seenCredentials) this.compileLiterals();
    const plain = this.literal ? text.replace(this.literal, (value) => this.replace(this.literalMark(value))) : text;
    const found = findSecrets(plain);
    if (found.length === 0) return plain;
    const pieces: string[] = [];
    let end = 0;
    for (const secret of found) {
      pieces.push(plain.slice(end, secret.start), this.replace(this.markOf(secret)));
      end = secret.start + secret.value.length;
    }
    return [...pieces, plain.slice(end)].join('');
  }

  /** The values behind the marks of the text; undefined for a mark whose value this run has not seen. */
  marksIn(text: string): Map<string, MarkedValue | undefined> {
    const names = new Set([...text.matchAll(MARK)].map(([, name = '']) => name));
    return new Map([...names].map((name) => [name, this.byName.get(name)]));
  }

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  private replace({ name }: MarkedValue): string {
    this.replacements.set(name, (this.replacements.get(name) ?? 0) + 1);
    return toMark(name);
  }

  private literalMark(value: string): MarkedValue {
    const { kind, isUsable } = this.literals.get(value) ?? { kind: 'key', isUsable: false };
    return this.markOf({ kind, value, start: 0 }, isUsable);
  }

  private markOf(found: FoundSecret, isUsable = true): MarkedValue {
    const value = normalise(found.value);
    const marked = this.byValue.get(value);
    if (marked) return marked;
    this.readKnown();
    const { fingerprintOf, onMark } = this.options;
    const fingerprint = fingerprintOf?.(value);
    const earlier = fingerprint === undefined ? undefined : this.known.get(fingerprint);
    const name = earlier?.name ?? this.nextName(found.kind);
    const mark: MarkedValue = { name, kind: found.kind, fingerprint, value, isUsable };
    this.byValue.set(value, mark);
    this.byName.set(name, mark);
    // From now on it is found without its context too: a password outside its address.
    if (NEEDS_CONTEXT.has(found.kind) && isDistinctive(value) && this.literals.size < MAX_LITERALS) {
      this.literals.set(value, { kind: found.kind, isUsable });
      this.compileLiterals();
    }
    if (!earlier) onMark?.(mark);
    return mark;
  }

  private readKnown(): void {
    const { known } = this.options;
    if (this.hasRead || !known) return;
    this.hasRead = true;
    for (const mark of known()) {
      const [, kind = mark.kind, count = '0'] = /^(.+)-(\d+)$/.exec(mark.name) ?? [];
      this.counts.set(kind, Math.max(this.counts.get(kind) ?? 0, Number(count)));
      if (mark.fingerprint !== undefined) this.known.set(mark.fingerprint, mark);
    }
  }

  private nextName(kind: string): string {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return `${kind}-${count}`;
  }

  private compileLiterals(): void {
    const { credentials = [] } = this.options;
    this.seenCredentials = credentials.length;
    for (const value of credentials)
      if (value.length >= SHORTEST_CREDENTIAL) this.literals.set(value, { kind: 'castor-key', isUsable: false });
    const values = [...this.literals.keys()].toSorted((left, right) => right.length - left.length);
    this.literal =
      values.length === 0 ? undefined : new RegExp(values.map((value) => escapeForm(value)).join('|'), 'g');
  }
}

function escapeForm(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A key block is one value, whether its lines are joined by line ends or, in JSON, by their escapes. */
export function normalise(value: string): string {
  return value.startsWith('-----BEGIN') ? value.replaceAll('\\n', '\n').replaceAll('\\r', '') : value;
}

/** Has letters and digits, no space, and is no path: such a value is no word of prose or code. */
export function isDistinctive(value: string): boolean {
  if (value.length < SHORTEST_LITERAL || /\s/.test(value) || /^[.~]?\//.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** `MY_DB_TOKEN` becomes `my-db-token`. */
function toKind(name: string): string {
  const kind = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 60);
  return kind === '' ? 'variable' : kind;
}

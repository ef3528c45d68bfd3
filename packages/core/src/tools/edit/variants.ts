/**
 * Generates variants of an edit for a model that escaped too much: the same two texts with
 * one kind of escaping removed from both. A variant counts only when its old text is
 * found, so that a backslash of the code stays.
 */

import { pairEqual } from './pair-equal.ts';
import { tokenize } from './tokens.ts';

export interface EditTexts {
  old: string;
  replacement: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '',
  '"': '"',
  "'": "'",
  '`': '`',
  '\\': '\\',
  '/': '/',
  $: '$',
  '\n': '\n',
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#34;': '"',
  '&#x27;': "'",
  '&amp;': '&',
};

const VARIANTS: readonly ((text: string) => string)[] = [
  // Word processors turn two hyphens into a dash.
  (text) => text.replaceAll('—', '--'),
  (text) => text.replaceAll(String.raw`\"`, '"'),
  // All quotes, for a string literal escaped once too often in JSON.
  (text) => text.replaceAll(/\\(["'`])/g, '$1'),
  // Line breaks and tabs only.
  (text) => text.replaceAll(/(?<!\\)\\([nt])/g, (_, letter: string) => ESCAPES[letter]!),
  // Also those after a backslash, which then continues a line.
  (text) => text.replaceAll(/\\([nt])/g, (_, letter: string) => ESCAPES[letter]!),
  // The same except inside quotes, where they belong to a literal.
  (text) => (text.includes('\n') ? text : breakOutsideQuotes(text)),
  // One whole level.
  (text) => text.replaceAll(/\\([ntr"'`\\/$\n])/g, (_, letter: string) => ESCAPES[letter]!),
  // Backslashes only.
  (text) => text.replaceAll('\\\\', '\\'),
  (text) => text.replaceAll(/&(?:lt|gt|quot|apos|#39|#34|#x27|amp);/g, (entity) => ENTITIES[entity]!),
];

const LINE_NUMBER = /^\s*[Ll]?\d+(?:\t|→| ?[|:] ?)/;

/** Wrappings that are never part of an edit: removed from the new text too when it has them. */
const WRAPPINGS: readonly ((text: string) => string)[] = [
  // An entire answer wrapped in a fence.
  (text) => /^```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text,
  // Line numbers before every line, as listings show them.
  (text) => {
    const lines = text.split('\n');
    const numbered = lines.every(
      (line, index) => LINE_NUMBER.test(line) || (line === '' && index === lines.length - 1),
    );
    return numbered ? lines.map((line) => line.replace(LINE_NUMBER, '')).join('\n') : text;
  },
];

function breakOutsideQuotes(text: string): string {
  let quote = '';
  return text.replaceAll(/\\([^])|(?<!\w)'|'(?!\w)|["`]/g, (found, letter?: string) => {
    if (letter !== undefined) return quote === '' && (letter === 'n' || letter === 't') ? ESCAPES[letter]! : found;
    if (quote === '') quote = found;
    else if (quote === found) quote = '';
    return found;
  });
}

/** Whether a text could be the inside of a JSON string: one line, no bare quote, no bare backslash. */
function isJsonStringBody(text: string): boolean {
  return /^(?:[^"\\\n\t]|\\[ntr"'`\\/$])*$/.test(text);
}

/** Removes one level of JSON escaping; a break inside quotes belongs to a literal and stays. */
function decodeJsonStringBody(text: string): string {
  let isQuoted = false;
  return text.replaceAll(/(?:\\"){3}|\\([ntr"'`\\/$])/g, (escape, letter: string | undefined, at: number) => {
    // Triple quotes open or close a multi-line string.
    if (letter === undefined) return '"""';
    // A quote that is never closed opens nothing.
    if (letter === '"') isQuoted = !isQuoted && text.includes(String.raw`\"`, at + 2);
    return isQuoted && /[ntr]/.test(letter) ? escape : ESCAPES[letter]!;
  });
}

/** Returns the new text unchanged when its lines resemble the unescaped old text: only the old text was escaped. */
function closer(texts: EditTexts, changed: EditTexts): string {
  const hadBreaksOnly = !texts.replacement.includes('\n') && changed.replacement.includes('\n');
  if (changed.replacement === texts.replacement || hadBreaksOnly) return changed.replacement;
  const [asWritten, putRight] = [trimmedLines(texts.old), trimmedLines(changed.old)];
  let votes = 0;
  for (const line of trimmedLines(texts.replacement)) {
    if (asWritten.has(line) === putRight.has(line)) continue;
    votes += putRight.has(line) ? 1 : -1;
  }
  if (votes !== 0) return votes > 0 ? texts.replacement : changed.replacement;
  const tokens = tokenize(changed.old);
  const likeness = (text: string) => {
    const next = tokenize(text);
    const kept = pairEqual(tokens, next).filter((partner) => partner !== undefined).length;
    return kept / (tokens.keys.length + next.keys.length);
  };
  return likeness(texts.replacement) > likeness(changed.replacement) ? texts.replacement : changed.replacement;
}

function trimmedLines(text: string): Set<string> {
  return new Set(text.split('\n').map((line) => line.trim()));
}

/** The variants whose old text differs from the given one, most likely first. */
export function variantsOf(texts: EditTexts): EditTexts[] {
  const { old, replacement } = texts;
  const seen = new Set([old]);
  const variants: EditTexts[] = [];
  const add = (change: (text: string) => string, isCertain = false) => {
    const changed = { old: change(old), replacement: change(replacement) };
    if (seen.has(changed.old) || changed.old.trim() === '') return;
    seen.add(changed.old);
    // A fence around only one of the texts is part of the edit.
    if (isCertain && openingOf(old) !== openingOf(replacement) && replacement.includes(FENCE)) return;
    const next = isCertain ? changed.replacement : goOnLines(changed.old, closer(texts, changed));
    variants.push({ old: changed.old, replacement: next });
  };
  if (old.includes('\\') && isJsonStringBody(old) && isJsonStringBody(replacement)) add(decodeJsonStringBody);
  for (const change of VARIANTS) add(change);
  for (const change of WRAPPINGS) add(change, true);
  return variants;
}

const FENCE = '```';

function openingOf(text: string): string | undefined {
  return text.startsWith(FENCE) ? text.split('\n', 1)[0] : undefined;
}

/**
 * Restores line continuations: a backslash that continues a line in the old text also does
 * so in the new one, where it looks escaped.
 */
function goOnLines(old: string, replacement: string): string {
  const goesOn = /(?<!\\)\\$/m.test(old) && !old.includes('\\\\n');
  return goesOn ? replacement.replaceAll(/(?<!\\)\\\\n/g, '\\\n') : replacement;
}

/**
 * What the model may have meant when it escaped too much: the same pair of texts with
 * one kind of escaping taken away from both. A variant counts only where its old text
 * is found, so that a backslash that belongs to the code stays.
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
  // Quotes only, as when a string literal was written into JSON once too often.
  (text) => text.replaceAll(/\\(["'`])/g, '$1'),
  // Line breaks and tabs only.
  (text) => text.replaceAll(/(?<!\\)\\([nt])/g, (_, letter: string) => ESCAPES[letter]!),
  // The same, but for those inside quotes, which are a literal's own.
  (text) => (text.includes('\n') ? text : breakOutsideQuotes(text)),
  // One whole level.
  (text) => text.replaceAll(/\\([ntr"'`\\/$\n])/g, (_, letter: string) => ESCAPES[letter]!),
  // Backslashes only.
  (text) => text.replaceAll('\\\\', '\\'),
  (text) => text.replaceAll(/&(?:lt|gt|quot|apos|#39|#34|#x27|amp);/g, (entity) => ENTITIES[entity]!),
  // A whole answer wrapped in a fence.
  (text) => /^```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text,
  // Line numbers in front of every line, as listings show them.
  (text) => {
    const lines = text.split('\n');
    const numbered = lines.every(
      (line, index) => /^\s*\d+\s?[|:\t→]/.test(line) || (line === '' && index === lines.length - 1),
    );
    return numbered ? lines.map((line) => line.replace(/^\s*\d+\s?[|:\t→] ?/, '')).join('\n') : text;
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

/** One level of JSON escaping taken away; a break inside quotes is a literal's own and stays. */
function decodeJsonStringBody(text: string): string {
  let isQuoted = false;
  return text.replaceAll(/\\([ntr"'`\\/$])/g, (escape, letter: string) => {
    if (letter === '"') isQuoted = !isQuoted;
    return isQuoted && /[ntr]/.test(letter) ? escape : ESCAPES[letter]!;
  });
}

/** The new text as the model wrote it, where that is more like the old one: only the old one was escaped. */
function closer(old: string, changed: string, written: string): string {
  const hadBreaksOnly = !written.includes('\n') && changed.includes('\n');
  if (changed === written || hadBreaksOnly) return changed;
  const tokens = tokenize(old);
  const likeness = (text: string) => {
    const next = tokenize(text);
    const kept = pairEqual(tokens, next).filter((partner) => partner !== undefined).length;
    return kept / (tokens.keys.length + next.keys.length);
  };
  return likeness(written) > likeness(changed) ? written : changed;
}

/** The variants whose old text differs from the one given, likeliest first. */
export function variantsOf({ old, replacement }: EditTexts): EditTexts[] {
  const seen = new Set([old]);
  const variants: EditTexts[] = [];
  if (old.includes('\\') && isJsonStringBody(old) && isJsonStringBody(replacement)) {
    const decoded = decodeJsonStringBody(old);
    variants.push({ old: decoded, replacement: closer(decoded, decodeJsonStringBody(replacement), replacement) });
  }
  for (const change of VARIANTS) {
    const changed = change(old);
    if (seen.has(changed) || changed.trim() === '') continue;
    seen.add(changed);
    variants.push({ old: changed, replacement: closer(changed, change(replacement), replacement) });
  }
  return variants;
}

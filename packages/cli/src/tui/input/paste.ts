/**
 * Converts a paste: to plain text, to a folded block that one character represents when it is long, or to a reference
 * to an image. A block is one grapheme for every motion, deletion and undo, and is expanded when the prompt is sent.
 */

import { countLines } from './lines.ts';

export interface PastedBlocks {
  /** What is shown for the character that represents a block. */
  readonly labels: ReadonlyMap<string, string>;
  readonly contents: ReadonlyMap<string, string>;
}

export const NO_BLOCKS: PastedBlocks = { labels: new Map(), contents: new Map() };

/** Longer pastes are folded. */
const MAX_LINES = 5;
const MAX_CHARACTERS = 1000;
const MAX_KEPT = 20;
const MAX_KEPT_CHARACTERS = 8_000_000;
/** The end of the last private plane: no font draws there, and no text contains it. */
const FIRST_CODE = 0x10f000;
const LAST_CODE = 0x10fffd;
const BLOCK = /[\u{10f000}-\u{10fffd}]/gu;
const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp|svg|heic|heif)$/i;

export function isLongPaste(text: string): boolean {
  return text.length > MAX_CHARACTERS || countLines(text, MAX_LINES + 1) > MAX_LINES;
}

/**
 * The blocks with one more, and the character that represents it. A number distinguishes blocks of one size in the same
 * `text`.
 */
export function foldPaste(
  { labels, contents }: PastedBlocks,
  pasted: string,
  text = '',
): { blocks: PastedBlocks; character: string } {
  const lastCode = [...contents.keys()].at(-1)?.codePointAt(0) ?? FIRST_CODE - 1;
  const character = String.fromCodePoint(lastCode >= LAST_CODE ? FIRST_CODE : lastCode + 1);
  // A trailing line break does not count as a line.
  const lines = countLines(pasted) - (/[\r\n]$/.test(pasted) ? 1 : 0);
  const size = lines > 1 ? `${lines} lines` : `${pasted.length} chars`;
  const taken = new Set([...labels].filter(([key]) => text.includes(key)).map(([, label]) => label));
  let label = `[Pasted Text: ${size}]`;
  for (let number = 2; taken.has(label); number++) label = `[Pasted Text: ${size} #${number}]`;
  return {
    character,
    blocks: { labels: new Map(labels).set(character, label), contents: new Map(contents).set(character, pasted) },
  };
}

/** The newest blocks, as many as may be kept for recalling them. */
export function keepRecent({ labels, contents }: PastedBlocks): PastedBlocks {
  const kept: string[] = [];
  let size = 0;
  for (const [character, text] of [...contents].toReversed().slice(0, MAX_KEPT)) {
    size += text.length;
    if (size > MAX_KEPT_CHARACTERS) break;
    kept.unshift(character);
  }
  if (kept.length === contents.size) return { labels, contents };
  return {
    labels: new Map(kept.map((character) => [character, labels.get(character)!])),
    contents: new Map(kept.map((character) => [character, contents.get(character)!])),
  };
}

/** Folds the known blocks of an expanded text again. */
export function refold(text: string, { contents }: PastedBlocks): string {
  let folded = text;
  for (const [character, content] of contents) folded = folded.replaceAll(content, character);
  return folded;
}

/** A text with every block as its label. */
export function showLabels(text: string, { labels }: PastedBlocks): string {
  return labels.size === 0 ? text : text.replaceAll(BLOCK, (character) => labels.get(character) ?? character);
}

/** A text with every block expanded. */
export function unfold(text: string, { contents }: PastedBlocks): string {
  return contents.size === 0 ? text : text.replaceAll(BLOCK, (character) => contents.get(character) ?? character);
}

/** Replaces characters of outside text that would represent one of our blocks. */
export function withoutBlocks(text: string, { contents }: PastedBlocks): string {
  if (contents.size === 0) return text;
  return text.replaceAll(BLOCK, (character) => (contents.has(character) ? '\ufffd' : character));
}

/** The path when a paste is only the path of an image: quoted, escaped or as a file URL. */
export function toImagePath(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 4096 || trimmed.includes('\n') || !IMAGE.test(trimmed.replace(/['"]$/, ''))) return undefined;
  const unquoted = /^(['"])(.+)\1$/.exec(trimmed)?.[2] ?? trimmed;
  if (unquoted.startsWith('file://')) {
    try {
      return decodeURIComponent(new URL(unquoted).pathname);
    } catch {
      // An invalid file URL is text.
      return undefined;
    }
  }
  const plain = unquoted === trimmed ? unquoted.replaceAll(/\\(.)/g, '$1') : unquoted;
  return /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])/.test(plain) ? plain : undefined;
}

/** A path as written after `@`: blanks and signs that would end it are escaped. */
export function escapeReference(path: string): string {
  return path.replaceAll(/[\s\\,;!?()[\]{}'"`@$&|<>*#]/gu, String.raw`\$&`);
}

/** A text in which no `@` names a file. */
export function escapeAt(text: string): string {
  return text.replaceAll(/(?<![\w\\@])@/g, String.raw`\@`);
}

/**
 * Renders Markdown inside a line: code, bold, italic, strike-through, links. One pass over the line with a small stack;
 * an unclosed mark is shown as written. Pure.
 */

import type { Style, Styles } from '../theme/styles.ts';

interface Span {
  readonly mark: string;
  readonly style: Style;
}

const LINK = /^!?\[([^\]\n]*)\]\(\s*<?([^)\s>]+)>?(?:\s+["'][^"')]*["'])?\s*\)/;
/** Incomplete links. */
const OPEN_LINK = /^!?(?:\[[^\]\n]*(?:\](?:\([^)]*)?)?)?$/;
const OPEN_ADDRESS = /^<(?:[hm][^>\s]*)?$/;
const AUTOLINK = /^<((?:https?|mailto):[^>\s]+)>/;
const ADDRESS = /^https?:\/\/[^\s<>"'`)\]}]*[^\s<>"'`)\]}.,;:!?]/;
const ESCAPED = /^\\([\\`*_{}[\]()#+\-.!~>|<])/;
const SPECIAL = /[\\`*_~[!<h]/;

/** A part of a line that is rendered as a unit. */
export interface InlinePiece {
  readonly rendered: string;
  /** Characters of the source text. */
  readonly length: number;
  /** It may change, and everything after it, when the line continues. */
  readonly isOpen: boolean;
}

export function renderInline(text: string, styles: Styles): string {
  if (!SPECIAL.test(text)) return text;
  let rendered = '';
  for (let index = 0; index < text.length;) {
    const taken = takeAt(text, index, styles);
    rendered += taken?.rendered ?? text[index];
    index += taken?.length ?? 1;
  }
  return rendered;
}

export function* inlinePieces(text: string, styles: Styles): Generator<InlinePiece> {
  for (let index = 0; index < text.length;) {
    const taken = takeAt(text, index, styles) ?? { rendered: text[index] ?? '', length: 1 };
    const isOpen = taken.isOpen === true || (SPECIAL.test(text[index] ?? '') && index + taken.length >= text.length);
    yield { rendered: taken.rendered, length: taken.length, isOpen };
    index += taken.length;
  }
}

interface Taken {
  rendered: string;
  length: number;
  /** Its closing mark is missing so far. */
  isOpen?: boolean;
}

function takeAt(text: string, index: number, styles: Styles): Taken | undefined {
  switch (text[index]) {
    case '\\': {
      const match = ESCAPED.exec(text.slice(index, index + 2));
      return match ? { rendered: match[1] ?? '', length: 2 } : undefined;
    }
    case '`':
      return takeCode(text, index, styles);
    case '*':
    case '_':
    case '~':
      return takeSpan(text, index, styles);
    case '[':
    case '!':
      return takeLink(text.slice(index), styles);
    case '<': {
      const match = AUTOLINK.exec(text.slice(index));
      if (match) return { rendered: styles.link(match[1] ?? ''), length: match[0].length };
      return OPEN_ADDRESS.test(text.slice(index)) ? { rendered: '<', length: 1, isOpen: true } : undefined;
    }
    case 'h':
      return takeAddress(text, index, styles);
    default:
      return undefined;
  }
}

function takeCode(text: string, index: number, styles: Styles): Taken | undefined {
  const fence = /^`+/.exec(text.slice(index))?.[0] ?? '`';
  const end = text.indexOf(fence, index + fence.length);
  if (end < 0) return { rendered: fence, length: fence.length, isOpen: true };
  const code = text.slice(index + fence.length, end);
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
  const length = end + fence.length - index;
  if (styles.keepsMarks) return { rendered: text.slice(index, index + length), length };
  return { rendered: styles.symbol(isPadded ? code.slice(1, -1) : code), length };
}

function takeSpan(text: string, index: number, styles: Styles): Taken | undefined {
  const span = spanAt(text, index, styles);
  if (!span) return undefined;
  const { mark, style } = span;
  const start = index + mark.length;
  const next = text[start];
  if (next === undefined || /\s/.test(next)) return { rendered: mark, length: mark.length };
  // Underscores inside a word are part of it.
  if (mark.startsWith('_') && /\w/.test(text[index - 1] ?? '')) return { rendered: mark, length: mark.length };
  const end = closingMark(text, start, mark);
  if (end < 0) return { rendered: mark, length: mark.length, isOpen: true };
  const inner = renderInline(text.slice(start, end), styles);
  const styled = style(inner);
  // The mark stays only where no weight can stand for it.
  const rendered = styles.keepsMarks && styled === inner ? `${mark}${inner}${mark}` : styled;
  return { rendered, length: end + mark.length - index };
}

function spanAt(text: string, index: number, styles: Styles): Span | undefined {
  const character = text[index] ?? '';
  const run = /^(.)\1*/.exec(text.slice(index, index + 4))?.[0].length ?? 1;
  if (character === '~') return run >= 2 ? { mark: '~~', style: styles.strike } : undefined;
  if (run >= 3) return { mark: character.repeat(3), style: (inner) => styles.bold(styles.italic(inner)) };
  if (run === 2) return { mark: character.repeat(2), style: styles.bold };
  return { mark: character, style: styles.italic };
}

function closingMark(text: string, start: number, mark: string): number {
  for (let from = start; ;) {
    const end = text.indexOf(mark, from);
    if (end < 0) return -1;
    const isOpen = /\s/.test(text[end - 1] ?? ' ');
    const isInWord = mark.startsWith('_') && /\w/.test(text[end + mark.length] ?? '');
    const isLonger = mark.length === 1 && text[end + 1] === mark;
    if (!isOpen && !isInWord && !isLonger && end > start) return end;
    from = end + (isLonger ? 2 : mark.length);
  }
}

/** The address is always shown: a misleading text must not hide it. */
function takeLink(rest: string, styles: Styles): Taken | undefined {
  const match = LINK.exec(rest);
  if (!match) return OPEN_LINK.test(rest) ? { rendered: rest[0] ?? '', length: 1, isOpen: true } : undefined;
  const [whole, label = '', address = ''] = match;
  const isSame = label === '' || label === address;
  const rendered = isSame
    ? styles.link(address)
    : `${styles.link(renderInline(label, styles))} (${styles.secondary(address)})`;
  return { rendered, length: whole.length };
}

function takeAddress(text: string, index: number, styles: Styles): Taken | undefined {
  if (!text.startsWith('http', index) || /\w/.test(text[index - 1] ?? '')) return undefined;
  const match = ADDRESS.exec(text.slice(index));
  return match ? { rendered: styles.link(match[0]), length: match[0].length } : undefined;
}

/**
 * Finds the boundaries of user-perceived characters in a string, and the cells a terminal gives them. Every returned
 * offset lies on a boundary, so that no surrogate pair, accent or joined emoji is ever cut. The cost depends on the
 * neighbourhood, not on the line.
 */

import fastStringWidth from 'fast-string-width';

/** How this terminal counts what standards leave open; see width-probe.ts. */
export interface WidthProfile {
  /** Cells of one pictograph. */
  readonly emoji: 1 | 2;
  /** Whether joined emoji, flags and skin tones take the cells of one. */
  readonly joins: boolean;
  /** Cells of a text symbol with an emoji variation selector, such as a red heart. */
  readonly variation: 1 | 2;
  /** Cells of the vowel signs of Indic scripts that stand beside their letter. */
  readonly spacingMarks: 0 | 1;
}

export const DEFAULT_WIDTHS: WidthProfile = { emoji: 2, joins: true, variation: 2, spacingMarks: 1 };

export const TAB_CELLS = 4;

/** No cluster in real text is longer; longer ones are cut between code points. */
const WINDOW = 128;
/** Below this no character combines with its neighbour, and two such never combine. */
const FIRST_COMBINING = 0x300;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const SPACING_MARK = /^\p{Mc}$/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}|^\p{Emoji_Modifier}/u;
const REGIONAL_LETTER = /^\p{Regional_Indicator}$/u;
const EMOJI_VARIATION = '\ufe0f';
/** Reorders or hides text around it: shown as a mark, so that the visible text is the text that is sent. */
const DECEIVING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/u;
/** Takes no cell when it stands alone. */
const INVISIBLE =
  /^(?:\u034f|[\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0])$/u;
/** Letters that are invisible to a user but that a model reads: tags outside a flag, and chains of variation selectors. */
const SMUGGLED = /[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]{2}/u;
const TAGS = /[\u{e0000}-\u{e0fff}]/gu;
const TAGGED_FLAG = '\u{1f3f4}';
const REPLACEMENT = '\ufffd';
const LONE_MARK = /^[\p{Mn}\p{Me}]/u;

let segmenter: Intl.Segmenter | undefined;

/** The first boundary after `offset`, which lies on one. */
export function nextBoundary(line: string, offset: number): number {
  if (offset >= line.length) return line.length;
  if (isSimple(line, offset) && (offset + 1 === line.length || isSimple(line, offset + 1))) return offset + 1;
  const [first] = segments(line.slice(offset, wholeOffset(line, offset + WINDOW)));
  return offset + (first?.segment.length ?? 1);
}

/** The last boundary before `offset`, which lies on one. */
export function previousBoundary(line: string, offset: number): number {
  if (offset <= 0) return 0;
  if (isSimple(line, offset - 1) && (offset === 1 || isSimple(line, offset - 2))) return offset - 1;
  const start = wholeOffset(line, Math.max(0, offset - WINDOW));
  let last = start;
  for (const { index } of segments(line.slice(start, offset))) last = start + index;
  return last;
}

/** `offset` when it lies on a boundary, else the next one. */
export function snapToBoundary(line: string, offset: number): number {
  if (offset <= 0 || offset >= line.length) return Math.max(0, Math.min(offset, line.length));
  if (isSimple(line, offset - 1) && isSimple(line, offset)) return offset;
  const start = wholeOffset(line, Math.max(0, offset - WINDOW));
  for (const { index, segment } of segments(line.slice(start, wholeOffset(line, offset + WINDOW)))) {
    if (start + index >= offset) return start + index;
    if (start + index + segment.length > offset) return start + index + segment.length;
  }
  return line.length;
}

/** Cells of one grapheme as `displayGrapheme` shows it. */
export function graphemeWidth(grapheme: string, widths: WidthProfile = DEFAULT_WIDTHS): number {
  const code = grapheme.charCodeAt(0);
  if (grapheme.length === 1 && code < 0x7f) return code === 0x09 ? TAB_CELLS : 1;
  if (grapheme.length === 1 && isIdeograph(code)) return 2;
  const shown = displayGrapheme(grapheme);
  let cells = 0;
  let isPictograph = false;
  for (const character of shown) {
    if (character === EMOJI_VARIATION) {
      if (cells === 1) cells = widths.variation;
      continue;
    }
    isPictograph ||= PICTOGRAPH.test(character);
    cells += characterWidth(character, widths);
  }
  if (!isPictograph || !widths.joins) return cells;
  return Math.min(cells, shown.includes(EMOJI_VARIATION) ? 2 : widths.emoji);
}

/** The printed form of a grapheme: itself, unless it would control the terminal or hide something. */
export function displayGrapheme(grapheme: string): string {
  const code = grapheme.charCodeAt(0);
  if (code === 0x09) return ' '.repeat(TAB_CELLS);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (grapheme.length === 1 && code < 0x7f) return grapheme;
  if (code === 0x7f) return '\u2421';
  if ((code > 0x7f && code <= 0x9f) || !grapheme.isWellFormed()) return REPLACEMENT;
  if (DECEIVING.test(grapheme) || INVISIBLE.test(grapheme)) return REPLACEMENT;
  if (SMUGGLED.test(grapheme) && !grapheme.startsWith(TAGGED_FLAG)) return grapheme.replaceAll(TAGS, '') + REPLACEMENT;
  return LONE_MARK.test(grapheme) ? `\u25cc${grapheme}` : grapheme;
}

function characterWidth(character: string, widths: WidthProfile): number {
  if (ZERO_WIDTH.test(character)) return 0;
  if (SPACING_MARK.test(character)) return widths.spacingMarks;
  // Two of them make a flag.
  if (REGIONAL_LETTER.test(character)) return 1;
  const cells = fastStringWidth(character);
  return cells === 2 && PICTOGRAPH.test(character) ? widths.emoji : cells;
}

function isSimple(line: string, offset: number): boolean {
  const code = line.charCodeAt(offset);
  return code < FIRST_COMBINING || isIdeograph(code);
}

/** Han, Hangul syllables and kana without their marks: always two cells each. */
function isIdeograph(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa)
  );
}

/** Not between the halves of a surrogate pair. */
function wholeOffset(line: string, offset: number): number {
  const code = line.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}

function segments(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

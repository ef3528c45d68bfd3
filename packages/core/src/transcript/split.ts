/**
 * Finds where streamed markdown may be cut in two without either half rendering differently: after a blank line, or
 * before a code fence that is still open, never inside one. The scan is incremental: `advance` reads the new text
 * only, so a streamed answer is scanned once, in however many pieces it arrived.
 */

/** More than any line needs to be recognised as a fence. */
const HEAD_LENGTH = 80;

const OPENING = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/s;
const CLOSING = /^\s*(`{3,}|~{3,})\s*$/;

interface OpenFence {
  /** Index of the line that opened it. */
  readonly start: number;
  readonly marker: string;
  readonly follows: boolean;
}

/** The last line, which more text may still continue. */
interface UnfinishedLine {
  readonly start: number;
  readonly length: number;
  /** Its first characters, at most `HEAD_LENGTH`. */
  readonly head: string;
  readonly isBlank: boolean;
  /** A backtick follows after the head; an opening fence may have none after its marker. */
  readonly hasLateBacktick: boolean;
}

/** The state of the scan so far. Indices count from the start of the text. */
export interface SplitScan {
  readonly length: number;
  readonly line: UnfinishedLine;
  readonly fence: OpenFence | undefined;
  /** Just after the last blank line outside fences that has text before it; 0 if there is none. */
  readonly lastBreak: number;
  readonly hasTextSinceBreak: boolean;
}

export const EMPTY_SCAN: SplitScan = {
  length: 0,
  line: beginLine(0),
  fence: undefined,
  lastBreak: 0,
  hasTextSinceBreak: false,
};

/** The scan of the text with `delta` appended. */
export function advance(scan: SplitScan, delta: string): SplitScan {
  let next = scan;
  let from = 0;
  for (let newline = delta.indexOf('\n'); newline !== -1; newline = delta.indexOf('\n', from)) {
    next = endLine({ ...next, line: growLine(next.line, delta.slice(from, newline)) });
    from = newline + 1;
  }
  const rest = from === 0 ? delta : delta.slice(from);
  return { ...next, line: growLine(next.line, rest), length: scan.length + delta.length };
}

/** Where to cut the scanned text; its length when it should stay whole, 0 when all of it is an open fence. */
export function splitPointOf(scan: SplitScan): number {
  const start = openFenceStart(scan);
  if (start === undefined) return scan.lastBreak || scan.length;
  return (scan.fence?.follows ?? hasText(scan)) ? start : 0;
}

/** The scan of the rest when the text is cut at `splitPointOf(scan)`. */
export function cutScan(scan: SplitScan, point: number): SplitScan {
  const atBreak = point === scan.lastBreak;
  return {
    length: scan.length - point,
    line: { ...scan.line, start: scan.line.start - point },
    fence: scan.fence && { ...scan.fence, start: scan.fence.start - point },
    lastBreak: 0,
    hasTextSinceBreak: atBreak && scan.hasTextSinceBreak,
  };
}

/**
 * The last index at which `content` may be cut, or its length if it should stay
 * whole. With `idealMaxLength`, the last such index within that length; when there
 * is none, the last one beyond it.
 */
export function findLastSafeSplitPoint(content: string, idealMaxLength?: number): number {
  if (idealMaxLength !== undefined && idealMaxLength < content.length) {
    const point = splitPointOf(advance(EMPTY_SCAN, content.slice(0, idealMaxLength)));
    if (point > 0 && point < idealMaxLength) return point;
  }
  return splitPointOf(advance(EMPTY_SCAN, content));
}

/** Index of the line that opens the code block around `index`; -1 outside code blocks. */
export function findEnclosingCodeBlockStart(content: string, index: number): number {
  return openFenceStart(advance(EMPTY_SCAN, content.slice(0, index))) ?? -1;
}

export function isIndexInsideCodeBlock(content: string, index: number): boolean {
  return findEnclosingCodeBlockStart(content, index) !== -1;
}

/** Treats the unfinished line as what it looks like so far. */
function openFenceStart({ fence, line }: SplitScan): number | undefined {
  if (fence) return closes(line, fence) ? undefined : fence.start;
  return openingMarker(line) === undefined ? undefined : line.start;
}

function hasText({ lastBreak, hasTextSinceBreak }: SplitScan): boolean {
  return hasTextSinceBreak || lastBreak > 0;
}

function beginLine(start: number): UnfinishedLine {
  return { start, length: 0, head: '', isBlank: true, hasLateBacktick: false };
}

function growLine(line: UnfinishedLine, piece: string): UnfinishedLine {
  if (piece === '') return line;
  const room = HEAD_LENGTH - line.head.length;
  return {
    start: line.start,
    length: line.length + piece.length,
    head: room > 0 ? line.head + piece.slice(0, room) : line.head,
    isBlank: line.isBlank && !/\S/.test(piece),
    hasLateBacktick: line.hasLateBacktick || piece.includes('`', Math.max(room, 0)),
  };
}

function endLine(scan: SplitScan): SplitScan {
  const { line, fence } = scan;
  const end = line.start + line.length + 1;
  const ended = { ...scan, line: beginLine(end) };
  if (fence) return closes(line, fence) ? { ...ended, fence: undefined, hasTextSinceBreak: true } : ended;
  const marker = openingMarker(line);
  if (marker !== undefined) return { ...ended, fence: { start: line.start, marker, follows: hasText(scan) } };
  if (!line.isBlank) return { ...ended, hasTextSinceBreak: true };
  return hasText(scan) ? { ...ended, lastBreak: end, hasTextSinceBreak: false } : ended;
}

function openingMarker(line: UnfinishedLine): string | undefined {
  const [, backticks, tildes] = OPENING.exec(line.head) ?? [];
  return line.hasLateBacktick ? tildes : (backticks ?? tildes);
}

function closes(line: UnfinishedLine, fence: OpenFence): boolean {
  if (line.length > HEAD_LENGTH) return false;
  const marker = CLOSING.exec(line.head)?.[1];
  return marker !== undefined && marker.startsWith(fence.marker);
}

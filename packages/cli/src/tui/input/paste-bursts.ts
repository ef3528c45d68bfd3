/**
 * Detects pastes in terminals that do not mark them: text that arrives faster than typing, with line breaks that must
 * not submit. A line break after fast text is buffered until nothing follows it. Other tokens pass unchanged.
 */

import type { Clock } from '@castor/core';
import type { InputToken } from './key-parser.ts';
import { createRestartableTimer } from './restartable-timer.ts';

/** A piece that follows within this time belongs to the burst before it. */
const BURST_MS = 12;
/** So many characters, each at most FAST_MS after the one before, were not typed. */
const BURST_CHARACTERS = 8;
const FAST_MS = 3;

export interface PasteBursts {
  /** A piece has arrived: its delay after the one before tells typing from a paste. */
  notePiece(tokens: readonly InputToken[]): void;
  /** The tokens with each burst as a paste; one that may continue is buffered. */
  find(tokens: readonly InputToken[]): InputToken[];
  /** Flushes the buffer: the burst is over. */
  close(): InputToken[];
  dispose(): void;
}

/** `onClosed` gets a burst that nothing followed. */
export function createPasteBursts(clock: Clock, onClosed: (tokens: InputToken[]) => void): PasteBursts {
  const timer = createRestartableTimer(clock);
  /** Text of the current burst; its first character is a buffered line break. */
  let burst: string[] | undefined;
  let fastCharacters = 0;
  let lastPiece = Number.NEGATIVE_INFINITY;

  const close = (): InputToken[] => {
    timer.cancel();
    if (burst === undefined) return [];
    const text = burst.join('');
    burst = undefined;
    // A line break alone was a key after all.
    return text === '\r' ? [enterToken()] : [{ type: 'paste', text }];
  };

  const takeRun = (run: readonly InputToken[], out: InputToken[]) => {
    const pieces = run.map((token) => writtenText(token) ?? '');
    const isPasted = burst !== undefined || pieces.slice(0, -1).some(isControl);
    if (isPasted) {
      burst ??= [];
      for (const piece of pieces) burst.push(piece);
    } else if (pieces.at(-1) === '\r' && (pieces.length > 1 || fastCharacters >= BURST_CHARACTERS)) {
      out.push(...run.slice(0, -1));
      burst = ['\r'];
    } else {
      out.push(...run);
    }
    if (burst !== undefined) timer.start(BURST_MS, () => onClosed(close()));
  };

  return {
    notePiece(tokens) {
      const now = clock.now();
      const written = tokens.reduce((sum, token) => sum + (writtenText(token) ?? '').length, 0);
      fastCharacters = now - lastPiece <= FAST_MS ? fastCharacters + written : written;
      lastPiece = now;
    },
    find(tokens) {
      const out: InputToken[] = [];
      for (let index = 0; index < tokens.length;) {
        const end = runEnd(tokens, index);
        if (end > index) takeRun(tokens.slice(index, end), out);
        const other = tokens[end];
        // A report may fall into a paste; it neither belongs to it nor ends it.
        if (other?.type === 'key') out.push(...close());
        if (other !== undefined) out.push(other);
        index = end + 1;
      }
      return out;
    },
    close,
    dispose: () => timer.cancel(),
  };
}

/** The end of the tokens from `index` on that can be part of a paste. */
function runEnd(tokens: readonly InputToken[], index: number): number {
  for (let end = index; ; end++) {
    const token = tokens[end];
    if (token === undefined || writtenText(token) === undefined) return end;
  }
}

/** The token as pasted text; undefined for tokens that are not text. */
function writtenText(token: InputToken): string | undefined {
  if (token.type === 'text') return token.text;
  if (token.type !== 'key') return undefined;
  const { name, ctrl, alt, shift } = token.key;
  if (alt || shift) return undefined;
  if (name === 'enter' && !ctrl) return '\r';
  if (name === 'tab' && !ctrl) return '\t';
  return name === 'j' && ctrl ? '\n' : undefined;
}

function isControl(text: string): boolean {
  return text === '\r' || text === '\n' || text === '\t';
}

function enterToken(): InputToken {
  return { type: 'key', key: { name: 'enter', ctrl: false, alt: false, shift: false, cmd: false, text: '' } };
}

/**
 * Adds time to the parser: a lone Esc counts as the key when nothing follows it for a moment, and an unclosed sequence
 * or paste is flushed after a while. Terminals that mark pastes are trusted; for others paste-bursts.ts detects them.
 */

import type { Clock } from '@castor/core';
import { createKeyParser } from './key-parser.ts';
import type { InputToken } from './key-parser.ts';
import { createPasteBursts } from './paste-bursts.ts';
import { createRestartableTimer } from './restartable-timer.ts';

export interface InputReader {
  feed(bytes: Uint8Array | string): void;
  expectCursorReports(count: number): void;
  dispose(): void;
}

export interface InputReaderOptions {
  readonly clock: Clock;
  /** All tokens of one piece of bytes, so that they are drawn once. */
  readonly onTokens: (tokens: readonly InputToken[]) => void;
}

const ESCAPE_MS = 40;
const SEQUENCE_MS = 300;
/** An unclosed paste is flushed after this time. */
const PASTE_MS = 5000;

export function createInputReader({ clock, onTokens }: InputReaderOptions): InputReader {
  const parser = createKeyParser();
  const heldTimer = createRestartableTimer(clock);
  const bursts = createPasteBursts(clock, onTokens);
  let marksPastes = false;

  const handle = (tokens: InputToken[]) => {
    if (parser.waitsFor() === 'paste' || tokens.some(({ type }) => type === 'paste')) marksPastes = true;
    const out = marksPastes ? [...bursts.close(), ...tokens] : bursts.find(tokens);
    if (out.length > 0) onTokens(out);
    armHeldTimer();
  };

  const armHeldTimer = () => {
    heldTimer.cancel();
    const waited = parser.waitsFor();
    if (waited === 'nothing') return;
    const ms = waited === 'escape' ? ESCAPE_MS : waited === 'paste' ? PASTE_MS : SEQUENCE_MS;
    heldTimer.start(ms, () => {
      handle(parser.flush());
      // The rest of a paste that was cut off arrives without marks.
      if (waited === 'paste') marksPastes = false;
    });
  };

  return {
    feed(bytes) {
      const tokens = parser.push(bytes);
      bursts.notePiece(tokens);
      handle(tokens);
    },
    expectCursorReports: (count) => parser.expectCursorReports(count),
    dispose() {
      heldTimer.cancel();
      bursts.dispose();
    },
  };
}

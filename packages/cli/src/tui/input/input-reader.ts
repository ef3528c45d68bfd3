/**
 * The parser in time: a lone Esc is one when nothing follows it for a moment, and
 * text that comes faster than hands is a paste even where the terminal does not mark
 * it, so that its line breaks never submit. A terminal that marks pastes is believed.
 */

import type { Clock } from '@castor/core';
import { createKeyParser } from './key-parser.ts';
import type { InputToken } from './key-parser.ts';

export interface InputReader {
  feed(bytes: Uint8Array | string): void;
  expectCursorReports(count: number): void;
  dispose(): void;
}

export interface InputReaderOptions {
  readonly clock: Clock;
  /** All that one piece of bytes came to, so that it is shown once. */
  readonly onTokens: (tokens: readonly InputToken[]) => void;
}

const ESCAPE_MS = 40;
const SEQUENCE_MS = 300;
/** A paste whose end never comes is taken as it is. */
const PASTE_MS = 5000;
/** A piece that goes on within this time belongs to the burst before it. */
const BURST_MS = 12;
/** So many characters, each at most FAST_MS after the one before, were not typed. */
const BURST_CHARACTERS = 8;
const FAST_MS = 3;

export function createInputReader({ clock, onTokens }: InputReaderOptions): InputReader {
  const parser = createKeyParser();
  const heldTimer = createTimer(clock);
  const burstTimer = createTimer(clock);
  let marksPastes = false;
  /** Text of the burst that is going on; the first is a line break that was not believed. */
  let burst: string[] | undefined;
  let fastCharacters = 0;
  let lastFeed = Number.NEGATIVE_INFINITY;

  const handle = (tokens: InputToken[]) => {
    if (parser.waitsFor() === 'paste' || tokens.some(({ type }) => type === 'paste')) marksPastes = true;
    const out = marksPastes ? [...closeBurst(), ...tokens] : findBursts(tokens);
    if (out.length > 0) onTokens(out);
    armHeldTimer();
  };

  const armHeldTimer = () => {
    heldTimer.cancel();
    const waited = parser.waitsFor();
    if (waited === 'nothing') return;
    const ms = waited === 'escape' ? ESCAPE_MS : waited === 'paste' ? PASTE_MS : SEQUENCE_MS;
    heldTimer.start(ms, () => {
      const tokens = parser.flush();
      handle(tokens);
      // The rest of a paste that was cut off comes without marks.
      if (waited === 'paste') marksPastes = false;
    });
  };

  const closeBurst = (): InputToken[] => {
    burstTimer.cancel();
    if (burst === undefined) return [];
    const text = burst.join('');
    burst = undefined;
    // A line break alone was a key after all.
    return text === '\r' ? [enterToken()] : [{ type: 'paste', text }];
  };

  const findBursts = (tokens: readonly InputToken[]): InputToken[] => {
    const out: InputToken[] = [];
    let index = 0;
    while (index < tokens.length) {
      const end = runEnd(tokens, index);
      if (end === index) {
        // A report may fall into a paste; it neither belongs to it nor ends it.
        if (tokens[index]!.type === 'key') out.push(...closeBurst());
        out.push(tokens[index]!);
        index++;
        continue;
      }
      takeRun(tokens.slice(index, end), out);
      index = end;
    }
    return out;
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
    if (burst !== undefined) burstTimer.start(BURST_MS, () => onTokens(closeBurst()));
  };

  return {
    feed(bytes) {
      const now = clock.now();
      const tokens = parser.push(bytes);
      const written = tokens.reduce((sum, token) => sum + (writtenText(token) ?? '').length, 0);
      fastCharacters = now - lastFeed <= FAST_MS ? fastCharacters + written : written;
      lastFeed = now;
      handle(tokens);
    },
    expectCursorReports: (count) => parser.expectCursorReports(count),
    dispose() {
      heldTimer.cancel();
      burstTimer.cancel();
    },
  };
}

/** The end of the tokens from `index` on that a paste may be made of. */
function runEnd(tokens: readonly InputToken[], index: number): number {
  let end = index;
  while (end < tokens.length && writtenText(tokens[end]!) !== undefined) end++;
  return end;
}

/** What a token would have been in a pasted text; undefined for what no text holds. */
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

interface Timer {
  start(ms: number, run: () => void): void;
  cancel(): void;
}

function createTimer(clock: Clock): Timer {
  let current: AbortController | undefined;
  const cancel = () => {
    current?.abort();
    current = undefined;
  };
  return {
    cancel,
    start(ms, run) {
      cancel();
      const mine = (current = new AbortController());
      void clock.sleep(ms, mine.signal).then(
        () => {
          if (!mine.signal.aborted) run();
        },
        () => undefined, // Cancelled: what it waited for came.
      );
    },
  };
}

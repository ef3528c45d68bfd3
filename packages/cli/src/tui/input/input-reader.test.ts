import { setImmediate as nextLoop } from 'node:timers/promises';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { formatKey } from './key.ts';
import { createInputReader } from './input-reader.ts';
import type { InputToken } from './key-parser.ts';

function start() {
  const clock = createFakeClock();
  const batches: string[][] = [];
  const reader = createInputReader({ clock, onTokens: (tokens) => batches.push(tokens.map(show)) });
  return { clock, reader, batches };
}

function show(token: InputToken): string {
  if (token.type === 'key') return formatKey(token.key);
  if (token.type === 'text' || token.type === 'paste') return `${token.type} ${JSON.stringify(token.text)}`;
  return token.type;
}

/** All timers of the fake clock have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextLoop();
}

/** The pieces with nothing between them, then silence. */
async function feed(...pieces: string[]): Promise<string[]> {
  const { reader, batches } = start();
  for (const piece of pieces) reader.feed(piece);
  await settle();
  return batches.flat();
}

describe('createInputReader', () => {
  it('takes an escape with nothing behind it for the key, after a moment', async () => {
    const { clock, reader, batches } = start();
    reader.feed('\x1b');
    expect(batches).toEqual([]);
    await settle();
    expect({ batches, sleeps: clock.sleeps }).toEqual({ batches: [['escape']], sleeps: [40] });
  });

  it.each<[string, string[], string[]]>([
    ['typed keys', ['h', 'i', '\r'], ['text "h"', 'text "i"', 'enter']],
    ['a line typed ahead', ['hello\r'], ['text "hello"', 'enter']],
    ['an arrow cut in two', ['\x1b', '[A'], ['up']],
    ['lines without marks', ['one\rtwo\rthree'], ['paste "one\\rtwo\\rthree"']],
    ['lines that end with a break', ['one\r\ntwo\r\n'], ['paste "one\\r\\ntwo\\r\\n"']],
    ['lines in two pieces', ['one\rtw', 'o\rthree\r'], ['paste "one\\rtwo\\rthree\\r"']],
    ['lines cut behind a break', ['one\r', 'two'], ['text "one"', 'paste "\\rtwo"']],
    ['tabs inside a line', ['a\tb'], ['paste "a\\tb"']],
    ['a completion typed ahead', ['/he\t'], ['text "/he"', 'tab']],
    ['a key behind pasted lines', ['one\rtwo', '\x1b[A'], ['paste "one\\rtwo"', 'up']],
    ['a change of focus among pasted lines', ['one\r', '\x1b[O', 'two'], ['text "one"', 'focus', 'paste "\\rtwo"']],
    ['a marked paste', ['\x1b[200~one\r', 'two\r\x1b[201~'], ['paste "one\\rtwo\\r"']],
    [
      'typing ahead where pastes are marked',
      ['\x1b[200~x\x1b[201~', 'a\rb\r'],
      ['paste "x"', 'text "a"', 'enter', 'text "b"', 'enter'],
    ],
  ])('reads %s', async (_, pieces, tokens) => {
    expect(await feed(...pieces)).toEqual(tokens);
  });

  it('never submits a text pasted without marks, wherever it is cut', async () => {
    const text = 'first line\r\r\nsecond\tline\rthird 漢字\r';
    for (let cut = 1; cut < text.length; cut++) {
      const tokens = await feed(text.slice(0, cut), text.slice(cut));
      expect(tokens).not.toContain('enter');
      const written = tokens.map((token) => JSON.parse(token.slice(token.indexOf('"'))) as string).join('');
      expect(written).toBe(text);
    }
  });

  it('never submits a text that comes a byte at a time, faster than hands', async () => {
    const tokens = await feed(...'twelve chars\rand more\r');
    expect(tokens).not.toContain('enter');
  });

  it('tells the tokens of one piece at once', () => {
    const { reader, batches } = start();
    reader.feed('ab\x1b[A\x1b[B');
    expect(batches).toEqual([['text "ab"', 'up', 'down']]);
  });

  it('takes a paste whose end never comes', async () => {
    const { clock, reader, batches } = start();
    reader.feed('\x1b[200~lost');
    await settle();
    expect({ batches, sleeps: clock.sleeps }).toEqual({ batches: [['paste "lost"']], sleeps: [5000] });
  });
});

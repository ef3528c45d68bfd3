import { describe, expect, it } from 'vitest';
import { formatKey } from './key.ts';
import { createKeyParser } from './key-parser.ts';
import type { InputToken } from './key-parser.ts';

const encoder = new TextEncoder();

/** Tokens short enough for a table: keys as they are spelled, text in quotes. */
function show(token: InputToken): string {
  if (token.type === 'key') return formatKey(token.key);
  if (token.type === 'report') return JSON.stringify(token.report);
  if (token.type === 'focus') return `focus ${token.isFocused}`;
  return `${token.type} ${JSON.stringify(token.text)}`;
}

function parse(...pieces: (Uint8Array | string)[]): string[] {
  const parser = createKeyParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.flush()].map(show);
}

/** Text is one token however many pieces it came in. */
function joinTexts(tokens: string[]): string[] {
  const joined: string[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (last?.startsWith('text ') && token.startsWith('text ')) {
      joined[joined.length - 1] = `text ${JSON.stringify(JSON.parse(last.slice(5)) + JSON.parse(token.slice(5)))}`;
    } else {
      joined.push(token);
    }
  }
  return joined;
}

const TABLE: [string, string[]][] = [
  ['hello', ['text "hello"']],
  ['a漢😀', ['text "a漢😀"']],
  ['\r', ['enter']],
  ['\n', ['ctrl+j']],
  ['\t', ['tab']],
  ['\x7f', ['backspace']],
  ['\x08', ['ctrl+h']],
  ['\x00', ['ctrl+space']],
  ['\x01\x1a', ['ctrl+a', 'ctrl+z']],
  ['\x1f', ['ctrl+/']],
  ['\x1bb', ['alt+b']],
  ['\x1bB', ['alt+shift+b']],
  ['\x1b\r', ['alt+enter']],
  ['\x1b\x7f', ['alt+backspace']],
  ['\x1b漢', ['alt+漢']],
  ['\x1b[A\x1b[B\x1b[C\x1b[D', ['up', 'down', 'right', 'left']],
  ['\x1bOA\x1bOH\x1bOF', ['up', 'home', 'end']],
  ['\x1b[1;5C\x1b[1;3D\x1b[1;2A', ['ctrl+right', 'alt+left', 'shift+up']],
  ['\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~', ['home', 'end', 'home', 'end', 'home', 'end']],
  ['\x1b[3~\x1b[3;5~\x1b[5~\x1b[6~\x1b[2~', ['delete', 'ctrl+delete', 'pageup', 'pagedown', 'insert']],
  ['\x1b[3$\x1b[3^\x1b[3@', ['shift+delete', 'ctrl+delete', 'ctrl+shift+delete']],
  ['\x1b[a\x1bOd', ['shift+up', 'ctrl+left']],
  ['\x1b[Z', ['shift+tab']],
  ['\x1bOP\x1b[11~\x1b[[A\x1b[24~\x1b[15;2~', ['f1', 'f1', 'f1', 'f12', 'shift+f5']],
  ['\x1b\x1b[A', ['alt+up']],
  ['\x1bOM\x1bOp', ['enter', '0']],
  // Shift and Return, in every way terminals write it.
  ['\x1b[13;2u\x1b[27;2;13~\x1b[13;5u\x1b[13;9u', ['shift+enter', 'shift+enter', 'ctrl+enter', 'cmd+enter']],
  ['\x1b[97;5u\x1b[122;6u\x1b[98;3u', ['ctrl+a', 'ctrl+shift+z', 'alt+b']],
  ['\x1b[97;2u\x1b[97:65;2u\x1b[49:33;2u', ['A', 'A', '!']],
  ['\x1b[97;69u\x1b[97;133u', ['ctrl+a', 'ctrl+a']],
  ['\x1b[27u\x1b[9;2u\x1b[127;5u\x1b[32;5u', ['escape', 'shift+tab', 'ctrl+backspace', 'ctrl+space']],
  ['\x1b[97;5:1u\x1b[97;5:2u\x1b[97;5:3u\x1b[1;5:3A', ['ctrl+a', 'ctrl+a']],
  ['\x1b[57400u\x1b[57419u\x1b[57376u\x1b[57441u', ['1', 'up', 'f13']],
  ['\x1b[233;;233u', ['é']],
  ['\x1b[I\x1b[O', ['focus true', 'focus false']],
  ['\x1b[200~a\r\nb\tc\x1b[201~', ['paste "a\\r\\nb\\tc"']],
  ['\x1b[200~\x1b[201~x', ['paste ""', 'text "x"']],
  ['\x1b[200~a\x1b[Ib\x1b[<0;3;4Mc\x1b[Od\x1b[201~', ['paste "abcd"']],
  ['\x1b[200~a\x1b[20\x1b[201~', ['paste "a\\u001b[20"']],
  ['\x1b]11;rgb:1e1e/1e1e/2e2e\x07', ['{"kind":"color","slot":11,"value":"rgb:1e1e/1e1e/2e2e"}']],
  ['\x1b]11;rgb:00/00/00\x1b\\x', ['{"kind":"color","slot":11,"value":"rgb:00/00/00"}', 'text "x"']],
  ['\x1b[?62;22c', ['{"kind":"device","data":"?62;22"}']],
  ['\x1b[12;40R', ['{"kind":"cursor","row":12,"column":40}']],
  ['\x1b[?1u', ['{"kind":"keyboard","flags":1}']],
  ['\x1b[?2026;2$y', ['{"kind":"mode","mode":2026,"value":2}']],
  ['\x1b[<64;10;5M', ['{"kind":"mouse","button":64,"column":10,"row":5,"isRelease":false}']],
  ['\x1b[M !!', ['{"kind":"mouse","button":0,"column":1,"row":1,"isRelease":false}']],
  ['\x1bP>|kitty\x1b\\', ['{"kind":"other","sequence":"\\u001bP>|kitty\\u001b\\\\"}']],
  ['\x1b[99;99;99z', ['{"kind":"other","sequence":"\\u001b[99;99;99z"}']],
];

/** What means something else with something behind it. */
const ENDINGS: [string, string[]][] = [
  ['\x1b', ['escape']],
  ['\x1b\x1b', ['escape', 'escape']],
  ['\x1b[', ['alt+[']],
  ['\x1bO', ['alt+shift+o']],
  // Broken off: nothing of it lands in the text.
  ['\x1b[1;5', []],
  ['\x1b]11;rgb', []],
  ['\x1b[12\x1b[A', ['up']],
];

describe('createKeyParser', () => {
  it.each([...TABLE, ...ENDINGS])('reads %j', (bytes, tokens) => {
    expect(parse(encoder.encode(bytes))).toEqual(tokens);
  });

  it('reads the same at every place the bytes may be cut', () => {
    const whole = encoder.encode(TABLE.map(([bytes]) => bytes).join('.'));
    const expected = joinTexts(parse(whole));
    for (let cut = 1; cut < whole.length; cut++) {
      expect(joinTexts(parse(whole.subarray(0, cut), whole.subarray(cut)))).toEqual(expected);
    }
    expect(joinTexts(parse(...Array.from(whole, (byte) => Uint8Array.of(byte))))).toEqual(expected);
  });

  it('takes a cursor report in the first row for one only when it was asked for', () => {
    const parser = createKeyParser();
    parser.expectCursorReports(1);
    expect(parser.push('\x1b[1;3R\x1b[1;3R').map(show)).toEqual(['{"kind":"cursor","row":1,"column":3}', 'alt+f3']);
  });

  it('gives a paste of a megabyte exactly, in small pieces', () => {
    const text = 'línea 漢字 😀\r\n'.repeat(50_000);
    const bytes = encoder.encode(`\x1b[200~${text}\x1b[201~`);
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += 1021) pieces.push(bytes.subarray(start, start + 1021));
    const parser = createKeyParser();
    const tokens = pieces.flatMap((piece) => parser.push(piece));
    expect(tokens.length).toBe(1);
    expect(tokens[0]).toEqual({ type: 'paste', text });
  });

  it('says what it waits for', () => {
    const parser = createKeyParser();
    const waits = ['\x1b', '[', '200', '~abc', '\x1b[201~'].map((piece) => {
      parser.push(piece);
      return parser.waitsFor();
    });
    expect(waits).toEqual(['escape', 'sequence', 'sequence', 'paste', 'nothing']);
  });
});

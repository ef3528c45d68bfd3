import { describe, expect, it } from 'vitest';
import { cleanOutput, OutputCleaner } from './clean-output.ts';

const BEL = '\u0007';
const ESC = '\u001B';

/** Payload, and what a model and a screen get of it. */
const PAYLOADS: [name: string, payload: string | Uint8Array, clean: string][] = [
  ['colours', `${ESC}[1;31mred${ESC}[0m plain\n`, 'red plain\n'],
  ['colours with colons', `${ESC}[38:2::1:2:3mred${ESC}[m\n`, 'red\n'],
  ['cursor movement', `a${ESC}[2A${ESC}[10;20Hb${ESC}[2Jc\n`, 'abc\n'],
  ['a question to the terminal', `${ESC}[6n${ESC}[>c${ESC}[?1049hx\n`, 'x\n'],
  ['a window title', `${ESC}]0;evil title${BEL}ok\n`, 'ok\n'],
  ['the clipboard', `${ESC}]52;c;ZXZpbA==${ESC}\\ok\n`, 'ok\n'],
  ['a hidden link', `${ESC}]8;;https://evil.example/${ESC}\\text${ESC}]8;;${ESC}\\\n`, 'text\n'],
  ['a device string', `${ESC}P+q544e${ESC}\\ok\n`, 'ok\n'],
  ['an application string', `${ESC}_Gf=100;AAAA${ESC}\\${ESC}^private${ESC}\\${ESC}Xsos${ESC}\\ok\n`, 'ok\n'],
  ['a string that never ends', `${ESC}]0;never closed\nnext line\n`, '\nnext line\n'],
  ['a sequence that never ends', `${ESC}[12;\nnext line\n`, '\nnext line\n'],
  ['a reset', `${ESC}cok\n`, 'ok\n'],
  ['a character set', `${ESC}(0lqqk${ESC}(B${ESC})Aok\n`, 'lqqkok\n'],
  ['saved and restored cursors', `${ESC}7a${ESC}8b\n`, 'ab\n'],
  ['an escape in an escape', `${ESC}${ESC}[31mx${ESC}[${ESC}[0my\n`, 'xy\n'],
  ['an escape in a string', `${ESC}]0;a${ESC}[31mx\n`, 'x\n'],
  ['8-bit controls', `\u009B31mred\u009B0m \u009D0;title\u009Cok \u0090dcs\u009C\u0085x\n`, 'red ok x\n'],
  ['raw 8-bit bytes', Uint8Array.from([0x9b, 0x33, 0x31, 0x6d, 0x61, 0x0a]), '\uFFFD31ma\n'],
  ['bells and other controls', `a${BEL}b\u0000c\u000Ed\u007Fe\u000Bf\u000Cg\n`, 'abcdefg\n'],
  ['tabs', 'a\tb\n', 'a\tb\n'],
  ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
  ['a progress bar', '10%\r50%\r100%\ndone\n', '100%\ndone\n'],
  ['a redraw that clears the line', `10%\r${ESC}[K20%\r${ESC}[K\n`, '20%\n'],
  ['a spinner that npm draws', `⠙${ESC}[1G${ESC}[0Kname: ${ESC}[7G${ESC}[?25h`, 'name: '],
  ['a spinner that is erased at the end', `hi\r\n⠙${ESC}[1G${ESC}[0K⠹${ESC}[1G${ESC}[0K`, 'hi\n'],
  ['a bar that is erased at the end', `100%\r${ESC}[K`, '100%'],
  ['a return at the end', 'kept\r', 'kept'],
  ['overstruck text', 'b\bbo\bol\bld\bd\n', 'bold\n'],
  ['a spinner', '|\b/\b-\b\\\b done\n', ' done\n'],
  ['no newline at the end', 'Password: ', 'Password: '],
  ['text of many scripts', 'grüße 你好 😀\n', 'grüße 你好 😀\n'],
  ['invalid UTF-8', Uint8Array.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x0a]), 'a\uFFFD\uFFFD(\uFFFD\n'],
  ['UTF-8 cut at the end', Uint8Array.from([0x61, 0xe2, 0x82]), 'a\uFFFD'],
  ['encoded surrogates', Uint8Array.from([0xed, 0xa0, 0x80]), '\uFFFD\uFFFD\uFFFD'],
];

const toBytes = (payload: string | Uint8Array) =>
  typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;

describe('cleanOutput', () => {
  it.each(PAYLOADS)('makes %s harmless', (_name, payload, clean) => {
    expect(cleanOutput(toBytes(payload))).toBe(clean);
  });

  it.each(PAYLOADS)('gives the same for %s cut at every byte', (_name, payload, clean) => {
    const bytes = toBytes(payload);
    const cleaner = new OutputCleaner();
    const pieces = Array.from(bytes, (byte) => cleaner.write(Uint8Array.of(byte)));
    expect(pieces.join('') + cleaner.end()).toBe(clean);
  });

  it('gives the same for all payloads in a row, cut anywhere in two', () => {
    const all = toBytes(
      PAYLOADS.filter(([, payload]) => typeof payload === 'string')
        .map(([, payload]) => payload as string)
        .join(''),
    );
    const whole = cleanOutput(all);
    for (let cut = 1; cut < all.length; cut++) {
      const cleaner = new OutputCleaner();
      const text = cleaner.write(all.subarray(0, cut)) + cleaner.write(all.subarray(cut)) + cleaner.end();
      expect(text).toBe(whole);
    }
    // oxlint-disable-next-line no-control-regex -- these must be gone
    expect(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(whole)).toBe(false);
  });
});

describe('OutputCleaner', () => {
  it('holds back the line that may still be redrawn and shows it as unfinished', () => {
    const cleaner = new OutputCleaner();
    const first = cleaner.write(toBytes('done\nName: '));
    expect({ first, unfinished: cleaner.unfinishedLine, rest: cleaner.end() }).toEqual({
      first: 'done\n',
      unfinished: 'Name: ',
      rest: 'Name: ',
    });
  });

  it('does not collect a line without end', () => {
    const cleaner = new OutputCleaner();
    const chunk = toBytes('x'.repeat(64 * 1024));
    let passed = 0;
    for (let count = 0; count < 100; count++) passed += cleaner.write(chunk).length;
    expect({ passed, held: cleaner.unfinishedLine.length }).toEqual({ passed: 100 * 64 * 1024, held: 0 });
  });
});

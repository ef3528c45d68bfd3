/** What a person who looks elsewhere is told, and what the terminal says about itself. */

import { call, say } from '@castor/testkit';
import type { Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import type { OpenTerminalOptions } from './open-terminal.ts';
import { variants } from '../house/variants.ts';

const FOCUS_OUT = '\x1b[O';
const FOCUS_IN = '\x1b[I';
const EDIT = call('write_file', { file_path: 'new.txt', content: 'new\n' });

function open(general: object, options: OpenTerminalOptions = {}) {
  return openTerminal({ settings: { general }, script: [EDIT, say('Written.')], ...options });
}

/** A call that is asked about, is approved and ends. */
async function work(terminal: Terminal): Promise<void> {
  terminal.type('Write\r');
  await terminal.waitForText('Yes, once');
  terminal.type('1');
  await terminal.waitForText('Written.');
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
}

/** Notifications and lone bells, in their order; titles, colours and other questions left out. */
function notices(terminal: Terminal): string[] {
  // oxlint-disable-next-line no-control-regex -- what a terminal is told is looked for
  const found = terminal.bytes.matchAll(/\x1b\](\d+);([^\x07\x1b]*)(?:\x07|\x1b\\)|\x07/g);
  return [...found]
    .filter(([, code]) => code === undefined || code === '9' || code === '777')
    .map(([whole, code, text]) => (code === undefined ? whole : `${code} ${text}`));
}

describe('a user who looks elsewhere', () => {
  const texts = ['Castor: Action required (project)', 'Castor: Done (project)'];

  variants.each([
    ['osc9', {}, texts.map((text) => `9 ${text}`)],
    ['osc777', {}, texts.map((text) => `777 notify;Castor;${text}`)],
    ['bell', {}, ['\x07', '\x07']],
    ['auto', { TERM_PROGRAM: 'iTerm.app' }, texts.map((text) => `9 ${text}`)],
    ['auto', { TERM_PROGRAM: '', VTE_VERSION: '7600' }, texts.map((text) => `777 notify;Castor;${text}`)],
    ['auto', {}, ['\x07', '\x07']],
  ])('is told by %s in %j when a question waits and when it is done', async (notificationMethod, env, expected) => {
    await using opened = await open({ enableNotifications: true, notificationMethod }, { env });
    const { terminal } = opened;
    terminal.type(FOCUS_OUT);
    await work(terminal);
    expect(notices(terminal)).toEqual(expected);
  });

  variants.each([
    ['who came back is not told', { enableNotifications: true }, FOCUS_OUT + FOCUS_IN],
    ['is not told unless they want to be', {}, FOCUS_OUT],
  ])('%s', async (_title, general, focus) => {
    await using opened = await open({ notificationMethod: 'bell', ...general });
    const { terminal } = opened;
    terminal.type(focus);
    await work(terminal);
    expect(notices(terminal)).toEqual([]);
  });
});

describe('a terminal that says what colour it has', () => {
  const DARK = '38;2;203;178;255';
  const LIGHT = '38;2;106;43;208';
  const truecolor = { COLORTERM: 'truecolor' };
  const sign = (color: string) => `\x1b[${color}m❯`;

  variants.each([
    ['rgb:ffff/ffff/ffff', LIGHT],
    ['rgb:f5/f5/dc', LIGHT],
    ['rgb:1c1c/1c1c/1c1c', DARK],
    ['nonsense', DARK],
  ])('of %s is drawn on in colours that can be read there', async (background, expected) => {
    await using opened = await open({}, { background, env: truecolor });
    const { terminal } = opened;
    await terminal.waitUntil(({ bytes }) => bytes.includes('\x1b]11;?'));
    await terminal.waitUntil(({ bytes }) => bytes.includes(sign(expected)));
    // What comes later is drawn in the same colours.
    const before = terminal.bytes.length;
    terminal.type('hello');
    terminal.type('\x15!');
    await terminal.waitForText('a command for your shell');
    terminal.type('\x7f');
    await terminal.waitForText(READY);
    expect([LIGHT, DARK].filter((color) => terminal.bytes.slice(before).includes(sign(color)))).toEqual([expected]);
  });

  it('and one that never answers is not waited for: the prompt is there before the question', async () => {
    await using opened = await open({}, { env: truecolor });
    const { terminal } = opened;
    terminal.type('typed at once');
    await terminal.waitForText('❯ typed at once');
    await terminal.waitUntil(({ bytes }) => bytes.includes('\x1b]11;?'));
    const { bytes } = terminal;
    expect(bytes.indexOf(READY)).toBeLessThan(bytes.indexOf('\x1b]11;?'));
    expect([bytes.includes(sign(DARK)), bytes.includes(sign(LIGHT))]).toEqual([true, false]);
  });
});

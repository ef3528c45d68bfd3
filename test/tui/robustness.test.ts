/** Whatever is sent, and whatever ends it, the terminal is as it was. */

import { answer, call, createWorkspace, fakeModel, gate, say, startTerminal, text, thought } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { escapesOf } from './escapes-of.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const READY = 'Type your message';
const RESTORED = { isAlternate: false, hasBracketedPaste: false, hasMouse: false, hasFocusReports: false };

describe('the terminal', () => {
  variants.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('is given back on %s', async (signal, code) => {
    const held = gate();
    await using model = await fakeModel([answer(text('Some words'), held)]);
    await using terminal = await startTerminal([], { model });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitForText('Some words');
    terminal.kill(signal);
    expect(await terminal.done).toMatchObject({ code });
    expect([terminal.modes(), terminal.cursor().isVisible]).toEqual([RESTORED, true]);
    expect(terminal.lines().join('\n')).not.toContain(READY);
    held.release();
  });

  it('is given back when something breaks', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': '{"ui": {' } });
    await using terminal = await startTerminal([], { workspace, env: { GEMINI_API_KEY: 'x' } });
    expect((await terminal.done).code).not.toBe(0);
    expect([terminal.modes(), terminal.cursor().isVisible]).toEqual([RESTORED, true]);
    expect(terminal.lines().join('\n')).toContain('settings.json');
  });
});

const PAYLOADS: readonly (readonly [string, string])[] = [
  ['OSC 52', '\x1b]52;c;aGFja2Vk\x07'],
  ['OSC 0', '\x1b]0;hacked title\x07'],
  ['OSC 8', '\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\'],
  ['DCS', '\x1bP+q544e\x1b\\'],
  ['APC', '\x1b_Gf=100;AAAA\x1b\\'],
  ['CSI moves', '\x1b[2J\x1b[H\x1b[10A'],
  ['a question to the terminal', '\x1b[6n\x1b[c'],
  ['OSC without an end', '\x1b]0;never ends'],
  ['a reset', '\x1bc'],
  ['the other screen', '\x1b[?1049h\x1b[?1000h'],
  ['8-bit CSI', '\u009b2J\u009b?1049h'],
  ['hidden text', '\x1b[8mhidden'],
  ['turned direction', '\u202edlrow\u202c\u2066x\u2069'],
  ['invisible text', 'a\u200b\u2060\ufeffb\u{e0041}\u{e0042}'],
  ['carriage returns', 'safe\rrm -rf /'],
];

/** Several at once: a start takes longer than they do. What gets through is in the message of a failure. */
const GROUPS = [0, 3, 6, 9, 12].map((from) => PAYLOADS.slice(from, from + 3));

describe('text of others', () => {
  const inTerminal = sharedTerminal();

  variants.each(GROUPS.map((group) => [group.map(([name]) => name).join(', '), group] as const))(
    'cannot speak to the terminal: %s',
    async (_names, group) => {
      const payloads = group.map(([, payload]) => payload);
      const script = [
        answer(
          ...payloads.map((payload) => thought(`**${payload}** and ${payload}`)),
          ...payloads.map((payload) => text(`before ${payload} after\n\n`)),
          ...payloads.map((_payload, index) => call('run_shell_command', { command: `cat evil${index}.txt` })),
          ...payloads.map((payload, index) => call(`no_such_tool${index}`, { path: payload })),
        ),
        answer(
          ...payloads.map((payload) =>
            call('run_shell_command', { command: `touch 'x${payload.replaceAll("'", '')}'` }),
          ),
        ),
        say('The end.'),
      ];
      await inTerminal(script, async ({ terminal, workspace, output }) => {
        for (const [index, payload] of payloads.entries()) await workspace.write(`evil${index}.txt`, `${payload}\n`);
        terminal.type('Go\r');
        for (let count = 1; count < payloads.length; count++) {
          await terminal.waitForText('Yes, once');
          const title = terminal.screen().join('');
          terminal.type('1');
          await terminal.waitUntil((seen) => seen.screen().join('') !== title);
        }
        await terminal.waitForText('Yes, once');
        const during = terminal.modes();
        terminal.type('\x03');
        await terminal.waitForText('Request cancelled.');
        expect(escapesOf({ bytes: output() })).toEqual([]);
        expect(during).toMatchObject({ isAlternate: false, hasMouse: false });
        expect(terminal.title()).toMatch(/^(◇|✦|✋) .*\(project\)$/u);
      });
    },
  );
});

describe('a start that cannot be worked with', () => {
  it('says what is wrong and keeps the words that could not be sent', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/policies/bad.toml': '[[rule]\nx' } });
    await using model = await fakeModel([]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitForText('bad.toml:1');
    terminal.type('my long words\r');
    await terminal.waitUntil((seen) => seen.lines().filter((line) => line.includes('invalid policy')).length === 2);
    await terminal.waitForText('❯ my long words');
  });
});

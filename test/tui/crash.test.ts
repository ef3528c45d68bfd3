/** Whatever breaks, the terminal is as it was, and the user reads what happened. */

import { constants } from 'node:os';
import { answer, call, createWorkspace, fakeModel, gate, runCli, say, startTerminal, text } from '@castor/testkit';
import type { Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const READY = 'Type your message';
const RESTORED = { isAlternate: false, hasBracketedPaste: false, hasMouse: false, hasFocusReports: false };

/** Loaded before the program: what goes wrong when SIGUSR2 comes. */
const FAULTS = {
  'an uncaught exception': `throw new Error('broken on purpose')`,
  'an unhandled rejection': `Promise.reject(new Error('broken on purpose'))`,
  // The layout counts rows with it, for every frame there still is.
  'frames that cannot be drawn': `Math.ceil = () => { throw new Error('broken on purpose'); }`,
  'an end from elsewhere': `process.stderr.write('not shown'); process.exit(1)`,
  // The abort has no listener, so that nothing winds up.
  'winding up that never ends': `
    AbortController.prototype.abort = () => {};
    throw new Error('broken on purpose')`,
};

/** The rows of a frame are cut by Ink, and no other code maps with these words. */
const BREAK_COMPONENTS = `
  const { map } = Array.prototype;
  Array.prototype.map = function (each, self) {
    if (String(each).includes('truncate')) throw new Error('broken on purpose');
    return map.call(this, each, self);
  }`;

async function openWith(fault: string): Promise<Terminal> {
  const workspace = await createWorkspace({
    files: { 'fault.cjs': `process.on('SIGUSR2', () => { ${fault}; });` },
  });
  const model = await fakeModel([answer(text('Some words\n\nand more'), gate())]);
  const terminal = await startTerminal([], {
    model,
    workspace,
    env: { NODE_OPTIONS: `--require ${workspace.project}/fault.cjs` },
  });
  const tidyUp = async () => {
    await Promise.all([model.close(), workspace.dispose()]);
  };
  terminal.done.then(tidyUp, tidyUp).catch(() => {});
  return terminal;
}

describe('the terminal', () => {
  variants.each(Object.entries(FAULTS))('is given back after %s', async (name, fault) => {
    await using terminal = await openWith(fault);
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitForText('and more');
    process.kill(terminal.pid, 'SIGUSR2');
    expect((await terminal.done).code).toBe(1);
    const lines = terminal.lines();
    expect([terminal.modes(), terminal.cursor().isVisible]).toEqual([RESTORED, true]);
    expect(lines.filter((line) => line.includes(READY) || /^─+$/.test(line))).toEqual([]);
    expect(lines).toContain('Some words');
    if (name !== 'an end from elsewhere') expect(lines.join('\n')).toContain('broken on purpose');
  });
});

describe('a signal', () => {
  variants.each([
    ['SIGTERM', { code: 143, signal: undefined }],
    ['SIGHUP', { code: 129, signal: undefined }],
    ['SIGQUIT', { code: 0, signal: constants.signals.SIGQUIT }],
  ] as const)('%s gives the terminal back, with the mouse and the keyboard', async (signal, exit) => {
    const homeFiles = { '.gemini/settings.json': '{"ui": {"useAlternateBuffer": true}}' };
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel([answer(text('Some words\n\nand more'), gate())]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitForText(READY);
    // The terminal says that it knows the protocol of kitty.
    terminal.type('\x1b[?1u');
    await terminal.waitUntil((seen) => seen.bytes.includes('\x1b[>1u') && seen.modes().hasMouse);
    terminal.type('Go\r');
    await terminal.waitForText('and more');
    process.kill(terminal.pid, signal);
    expect(await terminal.done).toEqual(exit);
    expect([terminal.modes(), terminal.cursor().isVisible]).toEqual([RESTORED, true]);
    expect(terminal.bytes.lastIndexOf('\x1b[<u')).toBeGreaterThan(terminal.bytes.lastIndexOf('\x1b[>1u'));
  });
});

describe('a conversation', () => {
  it('goes on when a component breaks', async () => {
    await using terminal = await openWith(BREAK_COMPONENTS);
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitForText('and more');
    process.kill(terminal.pid, 'SIGUSR2');
    await terminal.waitForText('Drawing a part of the screen failed: broken on purpose');
    terminal.type('still here');
    await terminal.waitForText('❯ still here');
    terminal.type('\x1b');
    await terminal.waitForText('Request cancelled.');
  });

  it('goes on when a command is killed', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([
      call('run_shell_command', { command: 'echo before; kill -9 $$' }),
      say('Ok.'),
    ]);
    await using terminal = await startTerminal(['--yolo'], { model, workspace });
    await terminal.waitForText(READY);
    terminal.type('Go\r');
    await terminal.waitForText('Ok.');
    await terminal.waitForText(READY);
    expect(terminal.lines()).toContain('  └ before');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/signal/i);
  });
});

describe('a program that waits for what never comes', () => {
  it('says so instead of just ending', async () => {
    const stdin = `Object.defineProperty(process, 'stdin', { value: new (require('node:stream').Readable)({ read() {} }) });`;
    await using workspace = await createWorkspace({ files: { 'fault.cjs': stdin } });
    const { code, stderr } = await runCli(['-m', 'offline', '--input-format', 'stream-json'], {
      workspace,
      stdin: 'never read',
      env: { NODE_OPTIONS: `--require ${workspace.project}/fault.cjs` },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('event loop was empty')]);
  });
});

/** The ways in which commands run, each inside a real sandbox: with a terminal, in the background, cancelled. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BackgroundProcesses } from '../tools/shell/background.ts';
import { ShellRunner } from '../tools/shell/shell-runner.ts';
import { openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';
import type { TestSandbox } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
const signal = () => new AbortController().signal;
const environmentOf = (box: TestSandbox) => ({ PATH: process.env['PATH'] ?? '', HOME: box.home, LC_ALL: 'C' });

function openRunner(box: TestSandbox, useTerminal: boolean): ShellRunner {
  const tempDirectory = join(box.home, 'temp');
  return new ShellRunner({ environment: environmentOf(box), tempDirectory, useTerminal, confine: box.sandbox.confine });
}

describe.skipIf(reason !== undefined)(
  `commands in a sandbox${reason === undefined ? '' : `: skipped, ${reason}`}`,
  () => {
    it('have their terminal, with its size', async () => {
      using box = await openTestSandbox();
      const runner = openRunner(box, true);
      try {
        const { output, exitCode } = await runner.run({
          command: 'test -t 0 && test -t 1 && echo terminal; stty size; echo $SANDBOX; echo x > "$HOME/evil"; exit 5',
          directory: box.root,
          signal: signal(),
        });
        expect(output).toMatch(/terminal\s+\d+ \d+\s+bwrap[^]*(?:Read-only file system|No such file)/);
        expect(exitCode).toBe(5);
      } finally {
        await runner.dispose();
      }
    });

    it('get the Ctrl-C of their terminal, and may go on', async () => {
      using box = await openTestSandbox();
      const runner = openRunner(box, true);
      try {
        let pid = 0;
        let seen = '';
        const { output, exitCode } = await runner.run({
          command: `trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done`,
          directory: box.root,
          signal: signal(),
          onPid: (id) => (pid = id),
          onOutput: (text) => {
            const isFirst = !seen.includes('ready');
            seen += text;
            if (isFirst && seen.includes('ready')) runner.write(pid, '\u0003');
          },
        });
        expect([output.includes('caught'), exitCode]).toEqual([true, 7]);
      } finally {
        await runner.dispose();
      }
    });

    it('follow the size of the terminal, and go on in the background', { tags: 'wide' }, async () => {
      using box = await openTestSandbox();
      const runner = openRunner(box, true);
      try {
        let pid = 0;
        let seen = '';
        const moved = await runner.run({
          command: `trap 'stty size; echo resized' WINCH; echo ready; until [ -e go ]; do sleep 0.05; done; echo on > made`,
          directory: box.root,
          signal: signal(),
          onPid: (id) => (pid = id),
          onOutput: (text) => {
            const before = seen;
            seen += text;
            if (!before.includes('ready') && seen.includes('ready')) runner.resizeTerminals({ columns: 93, rows: 31 });
            if (!before.includes('resized') && seen.includes('resized')) runner.moveToBackground(pid);
          },
        });
        expect([moved.ending, seen.includes('31 93')]).toEqual(['moved_to_background', true]);
        box.write(join(box.root, 'go'), '');
        expect((await moved.moved?.finished)?.code).toBe(0);
        expect(readFileSync(join(box.root, 'made'), 'utf8')).toBe('on\n');
      } finally {
        await runner.dispose();
      }
    });

    it.skipIf(!existsSync('/usr/bin/vim'))('edit a file with vim', async () => {
      using box = await openTestSandbox({ files: { 'notes.txt': 'first\n' } });
      const runner = openRunner(box, true);
      try {
        let pid = 0;
        let seen = '';
        const { exitCode } = await runner.run({
          command: '/usr/bin/vim -u NONE -i NONE -n notes.txt',
          directory: box.root,
          signal: signal(),
          onPid: (id) => (pid = id),
          onOutput: (text) => {
            const before = seen;
            seen += text;
            if (!before.includes('first') && seen.includes('first')) runner.write(pid, 'osecond\u001b:wq\r');
          },
        });
        expect([exitCode, readFileSync(join(box.root, 'notes.txt'), 'utf8')]).toEqual([0, 'first\nsecond\n']);
      } finally {
        await runner.dispose();
      }
    });

    it('are gone when they are cancelled, whatever they started', async () => {
      using box = await openTestSandbox();
      const runner = openRunner(box, false);
      const cancelled = new AbortController();
      try {
        const { ending } = await runner.run({
          command: `for i in $(seq 40); do setsid sleep 300 & done; echo started; sleep 300`,
          directory: box.root,
          signal: cancelled.signal,
          onOutput: (text) => {
            if (text.includes('started')) cancelled.abort();
          },
        });
        expect(ending).toBe('cancelled');
      } finally {
        await runner.dispose();
      }
    });

    it('run in the background within the same bounds', async () => {
      using box = await openTestSandbox();
      const background = new BackgroundProcesses({
        ...{ logDirectory: join(box.home, 'logs'), environment: environmentOf(box), confine: box.sandbox.confine },
      });
      try {
        const { pid, finished } = await background.start(
          'echo $SANDBOX; echo x > "$HOME/evil"; echo inside > made',
          box.root,
        );
        expect((await finished).code).toBe(0);
        const { text } = await background.readLogTail(pid);
        expect(text).toMatch(/^bwrap\n[^]*(?:Read-only file system|No such file)/);
      } finally {
        await background.dispose();
      }
    });
  },
);

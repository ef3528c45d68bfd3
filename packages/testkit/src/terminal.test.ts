import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTerminal } from './terminal.ts';

/** Writes the second half of its frame when a key is pressed. */
const PROGRAM = `
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?2026hOne');
process.stdin.once('data', () => {
  process.stdout.write(' whole frame\\x1b[?2026l', () => process.exit(0));
});
`;

describe('a terminal', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'castor-terminal-'));
    program = join(folder, 'program.cjs');
    await writeFile(program, PROGRAM);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('shows a test whole frames only, and bytes as they come', async () => {
    await using terminal = await startTerminal([], { program });
    await terminal.waitForBytes((bytes) => bytes.includes('One'));
    const seen = Promise.all([
      terminal.waitForText('One').then(() => terminal.screen()),
      terminal.waitUntil((shown) => shown.screen().length > 0).then(() => terminal.screen()),
      terminal.waitForNoText('Two').then(() => terminal.screen()),
    ]);
    terminal.type('x');
    expect(await seen).toEqual([['One whole frame'], ['One whole frame'], ['One whole frame']]);
  });

  it('tells what stood on the screen when the program ends before what is waited for', async () => {
    await using terminal = await startTerminal([], { program });
    await terminal.waitForBytes((bytes) => bytes.includes('One'));
    const waiting = expect(terminal.waitForText('Two')).rejects.toThrow(/"Two" on the screen.*\nOne whole frame/s);
    terminal.type('x');
    await waiting;
  });
});

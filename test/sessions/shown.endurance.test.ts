/** Killed while an answer arrives: what the user has read of it is in the session. */

import { execFileSync } from 'node:child_process';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, createWorkspace, fakeModel, gate, runCli, say, seededRandom, startCli } from '@castor/testkit';
import { startTerminal, text } from '@castor/testkit';
import type { FakeModel, Workspace } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { untilRecorded } from './session-folder.ts';
import { variants } from '../house/variants.ts';

const KILLS = inject('isEndurance') ? 24 : 2;
/** It takes longer to start. */
const KILLS_OF_TUI = KILLS / 2;
const MOST_WORDS = 300;

interface Run {
  workspace: Workspace;
  model: FakeModel;
  /** The first process of the session. */
  isFirst: boolean;
  /** The program is killed as soon as this word was shown. */
  lastWord: string;
}

/** Each is there once, so that it is known which were read; ten to a line. */
const wordsOf = (answerNumber: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${answerNumber}w${index}${index % 10 === 9 ? '\n' : ' '}`);

/** The last may be cut off. */
const readWords = (output: string): string[] => output.match(/\d+w\d+(?=\D)/g) ?? [];

async function runStreamJson({ workspace, model, isFirst, lastWord }: Run): Promise<string> {
  const words = isFirst ? ['-p', 'Count'] : ['--continue'];
  await using cli = await startCli([...words, '-o', 'stream-json'], { workspace, model });
  await cli.waitForStdout(new RegExp(`${lastWord}\\D`));
  cli.kill('SIGKILL');
  return (await cli.done).stdout;
}

async function runTerminal(args: string[], { workspace, model, lastWord }: Run): Promise<string> {
  await using terminal = await startTerminal(args, { workspace, model });
  await terminal.waitForBytes((bytes) => readWords(bytes).includes(lastWord));
  terminal.kill('SIGKILL');
  await terminal.done;
  return terminal.bytes;
}

const runText = (run: Run) => runTerminal(run.isFirst ? ['-p', 'Count'] : ['-r', '-p', 'Again'], run);
const runTui = (run: Run) => runTerminal(run.isFirst ? ['-i', 'Count'] : ['--continue'], run);

describe('an answer that was shown in part', () => {
  variants.each([
    ['as stream-json', runStreamJson, KILLS],
    ['as text in a terminal', runText, KILLS],
    ['on the screen', runTui, KILLS_OF_TUI],
  ])(
    'is in the session, %s, wherever the program is killed',
    async (_, run, kills) => {
      const random = seededRandom(kills);
      await using workspace = await createWorkspace();
      let sent: string[] = [];
      await using model = await fakeModel(() => answer(...sent.map((word) => text(word)), gate()));
      const seen: string[] = [];
      for (let count = 0; count < kills; count++) {
        sent = wordsOf(count, 2 + Math.floor(random() * MOST_WORDS));
        const lastWord = sent[Math.floor(random() * sent.length)]!.trim();
        seen.push(...readWords(await run({ workspace, model, isFirst: count === 0, lastWord })));
      }
      const { stdout } = await runCli(['sessions', 'show'], { workspace });
      const recorded = new Set(readWords(stdout));
      expect(seen.filter((word) => !recorded.has(word))).toEqual([]);
      expect([stdout.match(/\(The program stopped\.\)/g)?.length, model.violations]).toEqual([kills, []]);
    },
    120_000,
  );

  it('stays there, and the model goes on from it', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([answer(text('One '), gate()), say('Two.')]);
    await using cli = await startCli(['-p', 'Count', '-o', 'stream-json'], { workspace, model });
    await cli.waitForStdout('One ');
    cli.kill('SIGKILL');
    await cli.done;
    await runCli(['--continue'], { workspace, model });
    expect(JSON.stringify(model.requests[1]?.body)).toContain('One ');
    const { stdout } = await runCli(['sessions', 'show'], { workspace });
    expect(stdout).toBe('> Count\n\nOne\n\n(The program stopped.)\n\n> Count\n\nTwo.\n');
  });
});

type Place = Pick<Run, 'workspace' | 'model'>;
type Killable = AsyncDisposable & { kill(signal: 'SIGKILL'): void; done: Promise<unknown> };

describe('a prompt that was shown and not sent', () => {
  variants.each<[string, (options: Place) => Promise<Killable>]>([
    ['in the terminal', (options) => startTerminal(['-i', 'Remember me'], options)],
    ['headless', (options) => startCli(['-p', 'Remember me'], options)],
  ])('is in the session, and is sent when it goes on: %s', async (_, start) => {
    const hooks = { BeforeAgent: [{ hooks: [{ type: 'command', command: 'cat "$GEMINI_PROJECT_DIR/pipe"' }] }] };
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': JSON.stringify({ hooks }) },
    });
    const pipe = join(workspace.project, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const chats = (await runCli(['sessions', 'path'], { workspace })).stdout.trim();
    await mkdir(chats, { recursive: true });
    await using model = await fakeModel([say('Sent.')]);
    await using program = await start({ workspace, model });
    await untilRecorded(chats, '$prompt');
    // Opens when the hook reads: a program that is killed before it has started the hook leaves none to read.
    const hook = await open(pipe, 'w');
    program.kill('SIGKILL');
    await program.done;
    // The hook outlives the program that waited for it.
    await hook.close();
    await rm(pipe);
    await writeFile(pipe, '{}');
    expect((await runCli(['--list-sessions'], { workspace })).stdout).toContain('1. Remember me');
    const resumed = await runCli(['--continue'], { workspace, model });
    expect([resumed.stdout, model.requests.length]).toEqual(['Sent.\n', 1]);
    expect((await runCli(['sessions', 'show'], { workspace })).stdout).toBe('> Remember me\n\nSent.\n');
  });
});

describe('castor --continue in a terminal', () => {
  it('finishes the prompt that was interrupted, in a copy with --fork', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const waiting = gate();
    await using model = await fakeModel([answer(text('One '), waiting), say('In a copy.'), say('In place.')]);
    await using cli = await startCli(['-p', 'Count'], { workspace, model });
    await waiting.reached;
    cli.kill('SIGKILL');
    await cli.done;
    for (const [args, expected] of [
      [['--continue', '--fork'], 'In a copy.'],
      [['-r', '1', '--continue'], 'In place.'],
    ] as const) {
      await using terminal = await startTerminal(args, { workspace, model });
      await terminal.waitForText(expected);
    }
    expect(model.requests.map(({ body }) => JSON.stringify(body.contents).match(/Count/g)?.length)).toEqual([1, 1, 1]);
    expect((await runCli(['--list-sessions'], { workspace })).stdout).toContain('(2)');
  });
});

/** Stdout gets a large answer whole: a slow reader, one large frame, a pipe that is always full. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  answer,
  bigFrame,
  createWorkspace,
  fakeModel,
  finish,
  runCli,
  seededRandom,
  startCli,
  text,
} from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';

const BYTES = inject('isEndurance')
  ? { slow: 4_000_000, frame: 9_000_000, answer: 100_000_000 }
  : { slow: 1_000_000, frame: 2_000_000, answer: 5_000_000 };

describe('stdout of castor', () => {
  it('gets a long answer whole, however slow its reader', async () => {
    const long = 'x'.repeat(BYTES.slow);
    await using model = await fakeModel([answer(text(long), finish())]);
    await using cli = await startCli(['-p', 'hi'], { model, paused: true });
    await model.waitForRequest(1);
    await model.waitForIdle();
    cli.resume();
    const result = await cli.done;
    expect([result.stdout.length, result.code]).toEqual([long.length + 1, 0]);
  });

  it(`gets a frame of ${BYTES.frame} bytes`, { tags: 'wide' }, async () => {
    await using model = await fakeModel([bigFrame(BYTES.frame)]);
    const { code, stdout } = await runCli(['-p', 'hi'], { model });
    expect([code, stdout.length]).toEqual([0, BYTES.frame + 1]);
  });

  it(`gets an answer of ${BYTES.answer} bytes whole while the pipe is always full`, async () => {
    const random = seededRandom(1);
    // Digits in no order: nothing the model could be said to repeat.
    const block = Array.from({ length: 60_000 }, () => random().toFixed(17)).join(' ');
    const pieces = Array.from(
      { length: Math.ceil(BYTES.answer / block.length) },
      (_, index) => `${index} ${block.slice(index)}\n`,
    );
    await using model = await fakeModel([answer(...pieces.map((each) => text(each)), finish())]);
    await using workspace = await createWorkspace();
    const program = new URL('../../packages/cli/bin/castor.cjs', import.meta.url).pathname;
    const child = spawn(process.execPath, [program, '-p', 'go'], {
      cwd: workspace.project,
      env: { HOME: workspace.home, GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += (chunk as Buffer).length;
      // One turn of the loop for every piece keeps the pipe full.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [code] = child.exitCode === null ? ((await once(child, 'exit')) as [number]) : [child.exitCode];
    expect([code, bytes]).toEqual([0, pieces.reduce((sum, each) => sum + each.length, 0)]);
  }, 120_000);
});

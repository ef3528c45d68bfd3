/** The contract of an engine as a suite: what every engine promises to workers, users and the budget. */

import { expect, it } from 'vitest';
import type { BatchEngine, BatchLimits, Claim, NewBatch } from './engine.ts';
import type { TaskResult } from './task-result.ts';
import type { Task } from './task.ts';

export interface OpenedEngine extends AsyncDisposable {
  engine: BatchEngine;
  /** Ends the worker that made a claim, as a kill would. */
  kill(worker: string): void;
  /** Moves the engine's clock. */
  advance(ms: number): void | Promise<void>;
}

export const task = (id: string, more: Partial<Task> = {}): Task => ({
  ...{ id, prompt: `do ${id}`, place: { kind: 'folder', folder: '/nowhere' }, files: [], environment: [] },
  ...{ limits: {}, tries: 1, labels: [], ...more },
});

const options = { flags: [], isInPlace: false, directory: '/nowhere' };
const batch = (id: string, tasks: Task[], limits: BatchLimits = {}, priority = 0): NewBatch => ({
  ...{ id, title: id, tasks, options, limits, priority },
});
const FREE = { cost: 0, tokens: 0 };

function result(id: string, status: TaskResult['status'] = 'success'): TaskResult {
  return { id, status, cost_usd: 0, tokens: 0, tries: 1, ended_at: '2026-01-01T00:00:00.000Z' };
}

async function claimed(engine: BatchEngine, worker = 'w1', labels: string[] = []): Promise<Claim> {
  const found = await engine.claim({ id: worker, labels });
  if (found.kind !== 'claim') throw new Error(`Nothing to claim: ${found.kind}.`);
  return found.claim;
}

const end = (engine: BatchEngine, claim: Claim, spent = FREE, status: TaskResult['status'] = 'success') =>
  engine.settle(claim, { kind: 'result', result: result(claim.task.id, status), spent });

export function engineContract(open: () => Promise<OpenedEngine>): void {
  const promise = (title: string, test: (opened: OpenedEngine) => Promise<void>) =>
    it(title, async () => {
      await using opened = await open();
      await test(opened);
    });

  promise('gives every task to one worker, in order, and is idle in the end', async ({ engine }) => {
    await engine.submit(batch('a', [task('1'), task('2')]));
    const [one, two] = [await claimed(engine), await claimed(engine, 'w2')];
    expect([one.task.id, two.task.id]).toEqual(['1', '2']);
    expect((await engine.claim({ id: 'w3', labels: [] })).kind).toBe('wait');
    expect([await end(engine, two), await end(engine, one)]).toEqual([true, true]);
    expect((await engine.claim({ id: 'w1', labels: [] })).kind).toBe('idle');
    expect((await engine.results('a', 0)).map(({ id }) => id)).toEqual(['2', '1']);
    expect((await engine.results('a', 1)).map(({ id }) => id)).toEqual(['1']);
  });

  promise('counts a result once', async ({ engine }) => {
    await engine.submit(batch('a', [task('1')]));
    const claim = await claimed(engine);
    expect([await end(engine, claim), await end(engine, claim)]).toEqual([true, false]);
    expect(await engine.results('a', 0)).toHaveLength(1);
  });

  promise(
    'gives the task of a dead worker to another, and refuses the result of the dead one',
    async ({ engine, kill }) => {
      await engine.submit(batch('a', [task('1')]));
      const lost = await claimed(engine, 'w1');
      expect([lost.isContinued, lost.interruptions]).toEqual([false, 0]);
      kill('w1');
      const taken = await claimed(engine, 'w2');
      expect([taken.isContinued, taken.interruptions]).toEqual([true, 1]);
      expect([await engine.isHeld(lost), await engine.isHeld(taken)]).toEqual([false, true]);
      expect([await end(engine, lost), await end(engine, taken)]).toEqual([false, true]);
    },
  );

  promise('gives a task up that its workers die of, and names it', async ({ engine, kill }) => {
    await engine.submit(batch('a', [task('poison')]));
    for (const worker of ['w1', 'w2', 'w3']) {
      await claimed(engine, worker);
      kill(worker);
    }
    expect((await engine.claim({ id: 'w4', labels: [] })).kind).toBe('idle');
    expect(await engine.results('a', 0)).toMatchObject([
      { id: 'poison', status: 'crashed', error: { type: 'WorkerDiedError' } },
    ]);
  });

  promise('tries again after a failed try, and waits before it does after an overload', async ({ engine, advance }) => {
    await engine.submit(batch('a', [task('1', { tries: 2 })]));
    await engine.settle(await claimed(engine), { kind: 'again', spent: FREE });
    const second = await claimed(engine);
    expect([second.failedTries, second.isContinued]).toEqual([1, false]);
    await engine.settle(second, { kind: 'return', spent: FREE, delayMs: 60_000 });
    expect((await engine.claim({ id: 'w1', labels: [] })).kind).toBe('wait');
    await advance(60_001);
    const third = await claimed(engine);
    expect([third.failedTries, third.isContinued]).toEqual([1, true]);
  });

  promise('takes turns between batches, and priorities first', async ({ engine }) => {
    const tasks = ['1', '2', '3'].map((id) => task(id));
    await engine.submit(batch('a', tasks));
    await engine.submit(batch('b', tasks));
    await engine.submit(batch('c', [task('first')], {}, 5));
    const order = [];
    for (let count = 0; count < 5; count += 1) order.push((await claimed(engine)).batch);
    expect(order).toEqual(['c', 'a', 'b', 'a', 'b']);
  });

  promise('starts the tasks of a batch by their priority, also one that comes back', async ({ engine }) => {
    const [low, high, urgent] = [{ priority: -1 }, { priority: 1 }, { priority: 10, model: 'x/m' }];
    await engine.submit(
      batch('a', [task('low', low), task('1'), task('high', high), task('2'), task('urgent', urgent)]),
    );
    const [first, second] = [await claimed(engine), await claimed(engine)];
    expect([first.task.id, second.task.id]).toEqual(['urgent', 'high']);
    await engine.settle(second, { kind: 'again', spent: FREE });
    const order = [];
    for (let count = 0; count < 4; count += 1) order.push((await claimed(engine)).task.id);
    expect(order).toEqual(['high', '1', '2', 'low']);
  });

  promise('serves the named batch only, and workers with the labels', async ({ engine }) => {
    await engine.submit(batch('a', [task('gpu', { labels: ['gpu'] }), task('any')]));
    await engine.submit(batch('b', [task('other')]));
    const named = await engine.claim({ id: 'w', labels: [] }, 'a');
    expect(named).toMatchObject({ kind: 'claim', claim: { batch: 'a', task: { id: 'any' } } });
    expect((await claimed(engine, 'w2', ['gpu', 'linux'])).task.id).toBe('other');
    expect((await claimed(engine, 'w2', ['gpu', 'linux'])).task.id).toBe('gpu');
  });

  promise(
    'reserves money before a task, settles it after, and never gives out more than there is',
    async ({ engine }) => {
      await engine.submit(
        batch(
          'a',
          ['1', '2', '3', '4'].map((id) => task(id)),
          { cost: 1 },
        ),
      );
      const first = await claimed(engine);
      expect(first.reserved.cost).toBeCloseTo(0.25);
      const second = await claimed(engine);
      await end(engine, first, { cost: 0.5, tokens: 7 });
      const third = await claimed(engine);
      expect(third.reserved.cost! + second.reserved.cost! + 0.5).toBeLessThanOrEqual(1 + 1e-9);
      await end(engine, third, { cost: 0.25, tokens: 7 });
      await end(engine, second, { cost: 0.25, tokens: 7 });
      expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('idle');
      const [status] = await engine.batches();
      expect(status).toMatchObject({ ended: { success: 3, budget: 1 }, spent: { cost: 1, tokens: 21 } });
    },
  );

  promise('counts the total of a task once, however often it is told', async ({ engine, kill }) => {
    await engine.submit(batch('a', [task('1', { tries: 2 })], { cost: 9 }));
    await engine.settle(await claimed(engine), { kind: 'again', spent: { cost: 0.5, tokens: 5 } });
    // A full disk has lost a part of the logs: the total does not fall.
    await engine.settle(await claimed(engine), { kind: 'return', spent: { cost: 0.25, tokens: 2 }, delayMs: 0 });
    expect((await engine.batches())[0]?.spent).toEqual({ cost: 0.5, tokens: 5 });
    await claimed(engine, 'w2');
    kill('w2');
    await end(engine, await claimed(engine, 'w3'), { cost: 0.75, tokens: 8 });
    expect((await engine.batches())[0]?.spent).toEqual({ cost: 0.75, tokens: 8 });
  });

  promise('starts nothing after the deadline', async ({ engine, advance }) => {
    await engine.submit(batch('a', [task('1')], { deadline: Date.now() + 60_000 }));
    await advance(61_000);
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('idle');
    expect(await engine.results('a', 0)).toMatchObject([{ status: 'budget' }]);
  });

  promise('slows all workers of a provider down together, and back up', async ({ engine }) => {
    const tasks = Array.from({ length: 12 }, (_, index) => task(`${index}`, { model: 'x/m' }));
    await engine.submit(batch('a', [...tasks, task('other', { model: 'y/m' })]));
    const running = [];
    for (let count = 0; count < 4; count += 1) running.push(await claimed(engine, `w${count}`));
    await engine.slowDown(running[0]!);
    // Two at once now: four run, so none of that provider starts until three have ended.
    expect((await claimed(engine, 'w5')).task.id).toBe('other');
    for (const claim of running.slice(0, 2)) await end(engine, claim);
    expect((await engine.claim({ id: 'w5', labels: [] })).kind).toBe('wait');
    await end(engine, running[2]!);
    const next = await claimed(engine, 'w5');
    expect(next.task.model).toBe('x/m');
    for (let count = 0; count < 4; count += 1) await engine.speedUp(next);
    expect((await claimed(engine, 'w6')).task.model).toBe('x/m');
  });

  promise('cancels: waiting tasks end at once, a running one when it is settled', async ({ engine }) => {
    await engine.submit(batch('a', [task('1'), task('2')]));
    const claim = await claimed(engine);
    expect(await engine.isHeld(claim)).toBe(true);
    await engine.change('a', 'cancelled');
    expect(await engine.isHeld(claim)).toBe(false);
    expect((await engine.results('a', 0)).map(({ id, status }) => [id, status])).toEqual([['2', 'cancelled']]);
    await engine.settle(claim, { kind: 'return', spent: FREE, delayMs: 0 });
    expect((await engine.results('a', 0)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  promise('stops: nothing starts, and it can go on', async ({ engine }) => {
    await engine.submit(batch('a', [task('1')]));
    await engine.change('a', 'stopping');
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('idle');
    await engine.change('a', 'open');
    expect((await claimed(engine)).task.id).toBe('1');
  });

  promise('retries what did not succeed, or what is named, with all tries', async ({ engine }) => {
    await engine.submit(batch('a', [task('good'), task('bad')]));
    // A server may show a job as running for a moment after its result.
    const counts = async () =>
      (await engine.batches('a')).map(({ waiting, running, ended }) => [waiting + running, ended]);
    await end(engine, await claimed(engine));
    expect(await counts()).toEqual([[1, { success: 1 }]]);
    await end(engine, await claimed(engine), FREE, 'failed');
    expect(await counts()).toEqual([[0, { success: 1, failed: 1 }]]);
    expect(await engine.retry('a')).toBe(1);
    expect([await counts(), await engine.batches('b')]).toEqual([[[1, { success: 1 }]], []]);
    const again = await claimed(engine);
    expect([again.task.id, again.failedTries, again.isContinued]).toEqual(['bad', 0, false]);
    await end(engine, again);
    expect([await engine.retry('a'), await engine.retry('a', ['good'])]).toEqual([0, 1]);
    // A reader that has seen one result goes on behind it, also where an older one is gone.
    await end(engine, await claimed(engine));
    expect((await engine.results('a', 1)).map(({ id }) => id)).toEqual(['good']);
  });

  promise('forgets a batch that is removed', async ({ engine }) => {
    await engine.submit(batch('a', [task('1')]));
    const claim = await claimed(engine);
    await engine.remove('a');
    expect([await engine.batches(), await engine.isHeld(claim), await end(engine, claim)]).toEqual([[], false, false]);
  });
}

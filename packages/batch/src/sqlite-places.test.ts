import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { task } from './engine-contract.fixture.ts';
import type { Claim } from './engine.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import type { TaskResult } from './task-result.ts';

const FREE = { cost: 0, tokens: 0 };

/** Batches of four tasks, each with a worker of its own name; this machine has `places` for all of them. */
async function openMachine(priorities: Readonly<Record<string, number>>, places: number) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-places-'));
  const path = join(folder, 'batches.sqlite');
  let offset = 0;
  const engine = new SqliteEngine(path, { now: () => Date.now() + offset });
  const running = new Map<string, Claim[]>();
  const options = { flags: [], isInPlace: false, directory: '/nowhere' };
  for (const [id, priority] of Object.entries(priorities))
    await engine.submit({
      ...{ id, title: id, tasks: ['1', '2', '3', '4'].map((name) => task(name)), options, priority },
      limits: {},
    });
  return {
    engine,
    /** What the worker of the batch gets: the number of its running tasks, or why none starts. */
    async ask(batch: string, own = places): Promise<number | string> {
      const found = await engine.claim({ id: `worker-${batch}`, labels: [], places: own }, batch);
      if (found.kind !== 'claim') return found.kind === 'wait' && found.isCrowded ? 'crowded' : found.kind;
      const claims = [...(running.get(batch) ?? []), found.claim];
      running.set(batch, claims);
      return claims.length;
    },
    async end(batch: string): Promise<void> {
      const [claim, ...rest] = running.get(batch) ?? [];
      running.set(batch, rest);
      const result = { id: claim!.task.id, status: 'success' } as TaskResult;
      await engine.settle(claim!, { kind: 'result', spent: FREE, result });
    },
    advance: (ms: number) => void (offset += ms),
    async [Symbol.asyncDispose]() {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('the places of a machine', () => {
  it('belong to one batch while it is alone, and to the one with fewer running tasks when there are two', async () => {
    await using machine = await openMachine({ a: 0, b: 0 }, 2);
    const { ask, end } = machine;
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual([1, 2, 'crowded']);
    await end('a');
    expect([await ask('a'), await ask('b'), await ask('b')]).toEqual(['crowded', 1, 'crowded']);
    await end('a');
    expect([await ask('b'), await ask('a')]).toEqual(['crowded', 1]);
    // It has one more, and none waits in the other.
    for (const each of ['b', 'a']) await end(each);
    expect([await ask('b'), await ask('a')]).toEqual([1, 1]);
  });

  it('go to the higher priority first, as they become free', async () => {
    await using machine = await openMachine({ low: 0, high: 5 }, 2);
    const { ask, end } = machine;
    expect([await ask('low'), await ask('low'), await ask('high')]).toEqual([1, 2, 'crowded']);
    await end('low');
    expect([await ask('low'), await ask('high')]).toEqual(['crowded', 1]);
    await end('low');
    expect([await ask('low'), await ask('high')]).toEqual(['crowded', 2]);
    for (let left = 2; left > 0; left -= 1) {
      await end('high');
      expect([await ask('low'), await ask('high')]).toEqual(['crowded', 2]);
    }
    await end('high');
    expect([await ask('high'), await ask('low')]).toEqual(['wait', 1]);
  });

  it('are as many as the largest of the workers wants', async () => {
    await using machine = await openMachine({ a: 0, b: 0 }, 2);
    const { ask } = machine;
    expect([await ask('a'), await ask('a'), await ask('b', 3), await ask('b', 3)]).toEqual([1, 2, 1, 'crowded']);
  });

  it('do not wait for a worker that has stopped asking', async () => {
    await using machine = await openMachine({ low: 0, high: 5 }, 1);
    const { ask, end, advance } = machine;
    expect([await ask('low'), await ask('high')]).toEqual([1, 'crowded']);
    await end('low');
    expect(await ask('low')).toBe('crowded');
    advance(6_000);
    expect(await ask('low')).toBe(1);
    await end('low');
    // Nor does a clock that was set back keep one asking.
    expect(await ask('high')).toBe(1);
    await end('high');
    advance(-86_400_000);
    expect(await ask('low')).toBe(1);
  });

  it('are not shared by a worker that says so, such as one of a batch inside a task', async () => {
    await using machine = await openMachine({ outer: 0, inner: 0 }, 1);
    expect(await machine.ask('outer')).toBe(1);
    const inner = await machine.engine.claim({ id: 'inner', labels: [] }, 'inner');
    expect(inner.kind).toBe('claim');
  });
});

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineContract, task } from './engine-contract.fixture.ts';
import type { OpenedEngine } from './engine-contract.fixture.ts';
import { SqliteEngine } from './sqlite-engine.ts';

async function open(): Promise<OpenedEngine & { path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-engine-'));
  const path = join(folder, 'batches.sqlite');
  const dead = new Set<string>();
  let offset = 0;
  // All workers of this test are this process; a dead one is told apart by its name.
  const isAlive = (_pid: number, started: string) => !dead.has(started);
  const engine = new SqliteEngine(path, { now: () => Date.now() + offset, isAlive });
  return {
    engine,
    path,
    kill(worker) {
      const write = new DatabaseSync(path);
      write.prepare('UPDATE workers SET started = ? WHERE id = ?').run(worker, worker);
      write.close();
      dead.add(worker);
    },
    advance: (ms) => void (offset += ms),
    async [Symbol.asyncDispose]() {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('the embedded engine', () => {
  engineContract(open);

  it('is a file of the user alone, which two processes may open', async () => {
    await using opened = await open();
    expect(statSync(opened.path).mode & 0o777).toBe(0o600);
    const other = new SqliteEngine(opened.path);
    await opened.engine.submit({
      ...{ id: 'a', title: 'a', tasks: [task('1')], limits: {}, priority: 0 },
      options: { flags: [], isInPlace: false, directory: '/nowhere' },
    });
    expect((await other.batches()).map(({ id }) => id)).toEqual(['a']);
    await other.close();
  });

  it('does not wait for a moment that a clock set back has put far away', async () => {
    await using opened = await open();
    const { engine, advance } = opened;
    await engine.submit({
      ...{ id: 'a', title: 'a', tasks: [task('1')], limits: {}, priority: 0 },
      options: { flags: [], isInPlace: false, directory: '/nowhere' },
    });
    const first = await engine.claim({ id: 'w', labels: [] });
    if (first.kind !== 'claim') throw new Error(first.kind);
    await engine.settle(first.claim, { kind: 'return', spent: { cost: 0, tokens: 0 }, delayMs: 60_000 });
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('wait');
    await advance(-86_400_000);
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('claim');
  });

  it('is refused when a newer Castor has written it', async () => {
    await using opened = await open();
    const write = new DatabaseSync(opened.path);
    write.exec('PRAGMA user_version = 99');
    write.close();
    expect(() => new SqliteEngine(opened.path)).toThrow('was written by a newer version of Castor.');
  });
});

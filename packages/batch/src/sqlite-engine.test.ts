import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineContract, task } from './engine-contract.fixture.ts';
import type { OpenedEngine } from './engine-contract.fixture.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import type { TaskResult } from './task-result.ts';

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

  it('keeps a deadline while the clock is set forward', async () => {
    await using opened = await open();
    let [now, steady] = [0, 0];
    const engine = new SqliteEngine(opened.path, { now: () => now, steadyNow: () => steady });
    await engine.submit({
      ...{ id: 'a', title: 'a', tasks: [task('1'), task('2')], limits: { deadline: 60_000 }, priority: 0 },
      options: { flags: [], isInPlace: false, directory: '/nowhere' },
    });
    now = 3_600_000;
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('claim');
    steady = 60_000;
    expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('wait');
    expect(await engine.results('a', 0)).toMatchObject([{ id: '2', status: 'budget' }]);
    await engine.close();
  });

  it('is a file of the user alone, which two processes may open', async () => {
    await using opened = await open();
    expect(statSync(opened.path).mode & 0o777).toBe(0o600);
    const other = new SqliteEngine(opened.path);
    await opened.engine.submit({
      ...{ id: 'a', title: 'a', tasks: [task('1'), task('2')], limits: {}, priority: 0 },
      options: { flags: [], isInPlace: false, directory: '/nowhere' },
    });
    expect((await other.batches()).map(({ id }) => id)).toEqual(['a']);
    expect((await other.batches('a'))[0]).toMatchObject({ waiting: 2, running: 0, ended: {} });
    // Each counts what the other did.
    for (const engine of [opened.engine, other]) {
      const found = await engine.claim({ id: 'w', labels: [] });
      if (found.kind !== 'claim') throw new Error(found.kind);
      const result = { id: found.claim.task.id, status: 'success' } as TaskResult;
      await engine.settle(found.claim, { kind: 'result', spent: { cost: 0, tokens: 0 }, result });
      for (const each of [opened.engine, other])
        expect(await each.batches('a')).toEqual((await each.batches()).filter(({ id }) => id === 'a'));
    }
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

  it('counts what the workers of a task spent that is given up, by its logs', async () => {
    await using opened = await open();
    const directory = join(opened.path, '..', 'a');
    mkdirSync(join(directory, 'tasks', 'poison'), { recursive: true });
    const spent = JSON.stringify({ type: 'spent', stats: { total_tokens: 15, cost_usd: 0.5 } });
    await opened.engine.submit({
      ...{ id: 'a', title: 'a', tasks: [task('poison')], limits: { tokens: 100 }, priority: 0 },
      options: { flags: [], isInPlace: false, directory },
    });
    for (const worker of ['w1', 'w2', 'w3']) {
      expect((await opened.engine.claim({ id: worker, labels: [] })).kind).toBe('claim');
      const init = JSON.stringify({ type: 'init', session_id: 's', model: 'm' });
      appendFileSync(join(directory, 'tasks', 'poison', 'run-1.jsonl'), `${init}\n${spent}\n`);
      opened.kill(worker);
    }
    expect((await opened.engine.claim({ id: 'w4', labels: [] })).kind).toBe('idle');
    expect(await opened.engine.results('a', 0)).toMatchObject([{ status: 'crashed', tokens: 45, cost_usd: 1.5 }]);
    expect((await opened.engine.batches('a'))[0]?.spent).toEqual({ cost: 1.5, tokens: 45 });
  });

  it('goes on with the file of an older Castor', async () => {
    await using opened = await open();
    const write = new DatabaseSync(opened.path);
    write.exec('CREATE INDEX tasks_by_state ON tasks (batch, state, position); DROP INDEX tasks_by_standing');
    write.exec('PRAGMA user_version = 2');
    await new SqliteEngine(opened.path).close();
    const names = write.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE 'tasks_by%'`).all();
    write.close();
    expect(names.map(({ name }) => name)).toEqual(['tasks_by_standing']);
  });

  it('is refused when a newer Castor has written it', async () => {
    await using opened = await open();
    const write = new DatabaseSync(opened.path);
    write.exec('PRAGMA user_version = 99');
    write.close();
    expect(() => new SqliteEngine(opened.path)).toThrow('was written by a newer version of Castor.');
  });
});

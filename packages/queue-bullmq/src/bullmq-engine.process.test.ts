/** The distributed engine meets the contract of engines, on real servers. */

import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineContract, task } from '../../batch/src/engine-contract.fixture.ts';
import type { OpenedEngine } from '../../batch/src/engine-contract.fixture.ts';
import { openConnection } from './connection.ts';
import { openQueue } from './index.ts';
import { Lane } from './lane.ts';
import { findPostgres, findRedis, startPostgres, startRedis } from './servers.fixture.ts';
import type { QueueServer } from './servers.fixture.ts';

const EVERY_TABLE = `DO $$ DECLARE t text; BEGIN
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'castor' AND tablename NOT LIKE '%migration%' LOOP
    EXECUTE format('TRUNCATE castor.%I CASCADE', t);
  END LOOP; END $$`;

async function wipe(url: string): Promise<void> {
  if (url.startsWith('redis')) {
    const client = new Redis(url);
    await client.flushall();
    client.disconnect();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  await client.query(EVERY_TABLE);
  await client.end();
}

/** Delayed jobs of a test's batches start now. */
async function promote(url: string): Promise<void> {
  const connection = await openConnection(url, { lease: 60_000, look: 60_000 });
  for (const id of ['a', 'b', 'c']) await connection.backend.forQueue(`${id}.0`).promoteJobs();
  await connection.close();
}

async function open(url: string): Promise<OpenedEngine> {
  await wipe(url);
  const dead = new Set<string>();
  let offset = 0;
  const engine = await openQueue(url, {
    now: () => Date.now() + offset,
    isAlive: ({ token }) => !dead.has(token.split('/').at(-1) ?? ''),
  });
  return {
    engine,
    kill: (worker) => void dead.add(worker),
    async advance(ms) {
      offset += ms;
      await promote(url);
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

const SERVERS = [
  ['Postgres', findPostgres() !== undefined, startPostgres, {}],
  ['Redis', findRedis() !== undefined, startRedis, { tags: 'wide' }],
] as const;
const MISSING = ' (no server on this machine)';

for (const [name, isThere, start, tags] of SERVERS)
  describe.skipIf(!isThere)(`the distributed engine on ${name}${isThere ? '' : MISSING}`, tags, () => {
    let server: QueueServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    engineContract(() => open(server.url));

    it('returns the task of a dead worker while others wait', async () => {
      await wipe(server.url);
      const options = { flags: [], isInPlace: false, directory: '/nowhere' };
      const isAlive = ({ token, returner }: { token: string; returner?: string }) =>
        returner !== undefined || !token.endsWith('/dead');
      const tasks = ['1', '2', '3', '4'].map((id) => task(id));
      const one = await openQueue(server.url, { isAlive });
      await one.submit({ id: 'a', title: 'a', tasks, options, limits: {}, priority: 0 });
      for (const id of ['1', '2']) {
        expect(await one.claim({ id: 'dead', labels: [] })).toMatchObject({ claim: { task: { id } } });
      }
      const two = await openQueue(server.url, { isAlive });
      expect((await two.claim({ id: 'w', labels: [] })).kind).toBe('claim');
      expect(await two.batches()).toMatchObject([{ running: 1, waiting: 3 }]);
      // Also by one process only, where two look at once.
      expect((await one.claim({ id: 'dead', labels: [] })).kind).toBe('claim');
      const returned = await Promise.all([one.recover(), two.recover(), one.recover()]);
      expect(returned.reduce((sum, count) => sum + count)).toBe(1);
      await one.close();
      await two.close();
    });

    it('counts what the workers of a task spent that is given up', async () => {
      await wipe(server.url);
      const options = { flags: [], isInPlace: false, directory: '/nowhere' };
      const spentHere = () => ({ cost: 1.5, tokens: 45 });
      const engine = await openQueue(server.url, { isAlive: () => false, spentHere });
      await engine.submit({ id: 'a', title: 'a', tasks: [task('1')], options, limits: {}, priority: 0 });
      for (let death = 0; death < 3; death += 1)
        expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('claim');
      expect((await engine.claim({ id: 'w', labels: [] })).kind).toBe('idle');
      expect(await engine.results('a', 0)).toMatchObject([{ status: 'crashed', tokens: 45 }]);
      expect((await engine.batches('a'))[0]?.spent).toEqual({ cost: 1.5, tokens: 45 });
      await engine.close();
    });

    it('runs a task whose job has ended without a result of the task', async () => {
      await using opened = await open(server.url);
      const options = { flags: [], isInPlace: false, directory: '/nowhere' };
      await opened.engine.submit({ id: 'a', title: 'a', tasks: [task('1')], options, limits: {}, priority: 0 });
      const connection = await openConnection(server.url, { lease: 60_000, look: 60_000 });
      const lane = new Lane(connection.backend, 'a.0');
      const job = await lane.take('token');
      await job?.moveToCompleted('success', 'token', false);
      await lane.close();
      await connection.close();
      const found = await opened.engine.claim({ id: 'w', labels: [] });
      expect(found).toMatchObject({ kind: 'claim', claim: { task: { id: '1' } } });
    });

    it('leaves a begun task to its own machine for a while, then starts it over on another', async () => {
      await wipe(server.url);
      const options = { flags: [], isInPlace: false, directory: '/nowhere' };
      let offset = 0;
      const now = () => Date.now() + offset;
      const one = await openQueue(server.url, { machine: 'one', now });
      const two = await openQueue(server.url, { machine: 'two', now });
      await one.submit({ id: 'a', title: 'a', tasks: [task('1')], options, limits: { cost: 1 }, priority: 0 });
      const first = await one.claim({ id: 'w', labels: [] });
      if (first.kind !== 'claim') throw new Error(first.kind);
      await one.settle(first.claim, { kind: 'return', spent: { cost: 0.25, tokens: 1 }, delayMs: 0 });
      expect((await two.claim({ id: 'w', labels: [] })).kind).toBe('wait');
      await promote(server.url);
      const again = await one.claim({ id: 'w', labels: [] });
      expect(again).toMatchObject({ kind: 'claim', claim: { isContinued: true, reserved: { cost: 0.75 } } });
      if (again.kind !== 'claim') throw new Error(again.kind);
      await one.settle(again.claim, { kind: 'return', spent: { cost: 0.25, tokens: 1 }, delayMs: 0 });
      expect((await two.claim({ id: 'w', labels: [] })).kind).toBe('wait');
      offset = 61_000;
      await promote(server.url);
      const over = await two.claim({ id: 'w', labels: [] });
      expect(over).toMatchObject({ kind: 'claim', claim: { number: 3 } });
      if (over.kind !== 'claim') throw new Error(over.kind);
      await two.settle(over.claim, {
        ...{ kind: 'result', spent: { cost: 0.5, tokens: 2 } },
        result: { id: '1', status: 'success', cost_usd: 0.5, tokens: 2, tries: 1, ended_at: new Date().toISOString() },
      });
      // What both machines spent counts.
      expect((await one.batches())[0]?.spent).toEqual({ cost: 0.75, tokens: 3 });
      await one.close();
      await two.close();
    });
  });

describe('a queue that cannot be opened', () => {
  it('is named with the address, without its password', async () => {
    const url = 'postgres://user:secret@127.0.0.1:1/x';
    await expect(openQueue(url, { patienceMs: 0 })).rejects.toThrow(
      'The queue postgres://user:…@127.0.0.1:1/x cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
    );
    await expect(openQueue('redis://127.0.0.1:1', { patienceMs: 0 })).rejects.toThrow(
      'cannot be reached: connect ECONN',
    );
    await expect(openQueue('mysql://x')).rejects.toThrow('"mysql://x" is not the address of a queue.');
  });
});

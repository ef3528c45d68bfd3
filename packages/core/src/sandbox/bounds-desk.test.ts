/** Questions about bounds: each is asked once, one at a time, ends by itself, and opens what was allowed for as long as was said. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BoundsDesk } from './bounds-desk.ts';
import type { BoundsDeskOptions } from './bounds-desk.ts';

function openDesk(options: Partial<BoundsDeskOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'castor-desk-'));
  mkdirSync(join(home, '.gemini'));
  const given = { home, root: '/project', writable: [], reachesRegistries: () => false, ...options };
  return {
    home,
    desk: new BoundsDesk(given),
    again: () => new BoundsDesk(given),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

describe('a question about a host', () => {
  it('holds every connection to it until the one answer', async () => {
    const asked: string[] = [];
    const answered = Promise.withResolvers<'once'>();
    using env = openDesk({
      ask: ({ what }) => {
        asked.push(what);
        return answered.promise;
      },
    });
    const both = [env.desk.decideHost('example.org', 443), env.desk.decideHost('example.org', 80)];
    answered.resolve('once');
    const decided = await Promise.all(both);
    expect([decided.map(({ isAllowed }) => isAllowed), asked]).toEqual([[true, true], ['example.org']]);
    // Once lasts until the command has ended.
    expect((await env.desk.decideHost('example.org', 443)).isAllowed).toBe(true);
    expect(asked).toHaveLength(1);
    env.desk.closePassing();
    await env.desk.decideHost('example.org', 443);
    expect(asked).toHaveLength(2);
  });

  it('that was answered with no is not asked again; one that was not answered in time is', async () => {
    const asked: string[] = [];
    const ask: BoundsDeskOptions['ask'] = ({ what }, signal) => {
      asked.push(what);
      if (what === 'no.example') return Promise.resolve('no');
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))));
    };
    using env = openDesk({ ask, answerLimitMs: 1 });
    for (const host of ['no.example', 'no.example', 'away.example', 'away.example'])
      expect((await env.desk.decideHost(host, 443)).isAllowed).toBe(false);
    expect(asked).toEqual(['no.example', 'away.example', 'away.example']);
  });

  it('is withdrawn when the last program that waits for it is gone, and asked again for the next one', async () => {
    const asked: AbortSignal[] = [];
    const answers: string[] = [];
    const ask: BoundsDeskOptions['ask'] = (_, signal) => {
      asked.push(signal);
      return new Promise(() => undefined);
    };
    using env = openDesk({ ask, onAnswer: (_, answer) => answers.push(answer) });
    const gone = [new AbortController(), new AbortController()];
    const decided = gone.map(({ signal }) => env.desk.decideHost('example.org', 443, signal));
    const queued = env.desk.decideHost('other.example', 443, AbortSignal.abort());
    gone[0]?.abort();
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]?.aborted).toBe(false);
    gone[1]?.abort();
    for (const each of [...decided, queued]) expect((await each).isAllowed).toBe(false);
    // The second was never asked, and neither was answered.
    expect([asked.map(({ aborted }) => aborted), answers]).toEqual([[true], []]);
    const again = new AbortController();
    const next = env.desk.decideHost('example.org', 443, again.signal);
    await expect.poll(() => asked.length).toBe(2);
    again.abort();
    expect((await next).isAllowed).toBe(false);
  });

  it('is about the port as well where it is not that of the web', async () => {
    using env = openDesk({ ask: async () => 'always' });
    await env.desk.decideHost('example.org', 8443);
    expect(JSON.parse(readFileSync(join(env.home, '.gemini/sandbox-grants.json'), 'utf8'))).toEqual({
      grants: [{ kind: 'host', what: 'example.org:8443', root: '/project' }],
    });
    expect(env.again().hosts).toEqual(['example.org:8443']);
  });

  it('is not asked where no user is, nor in an airgap', async () => {
    using alone = openDesk();
    expect(await alone.desk.decideHost('example.org', 443)).toEqual({
      isAllowed: false,
      why: 'example.org is not an allowed host',
    });
    using closed = openDesk({ isAirgapped: true, reachesRegistries: () => true, ask: async () => 'always' });
    expect(await closed.desk.decideHost('registry.npmjs.org', 443)).toMatchObject({ isAllowed: false, isFinal: true });
    expect(closed.desk.hosts).toEqual([]);
  });
});

it('reaches registries as long as the mode says so, or a command runs that may', async () => {
  let reaches = true;
  using env = openDesk({ reachesRegistries: () => reaches });
  const isAllowed = async () => (await env.desk.decideHost('registry.npmjs.org', 443)).isAllowed;
  expect([await isAllowed(), env.desk.list().includes('host registry.npmjs.org')]).toEqual([true, true]);
  reaches = false;
  expect(await isAllowed()).toBe(false);
  const close = env.desk.openRegistries();
  expect(await isAllowed()).toBe(true);
  close();
  expect(await isAllowed()).toBe(false);
});

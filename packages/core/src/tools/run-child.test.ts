import { describe, expect, it } from 'vitest';
import { runChild } from './run-child.ts';
import type { ChildRequest } from './run-child.ts';

/** Runs a node program and notes what its guard is told. */
async function runGuarded(script: string, options: Partial<ChildRequest> = {}) {
  const told: string[] = [];
  const outcome = await runChild({
    command: process.execPath,
    args: ['-e', script],
    cwd: process.cwd(),
    env: {},
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    onStdout: () => true,
    guard: { prepare: () => ({}), watch: () => void told.push('watch'), unwatch: () => void told.push('unwatch') },
    ...options,
  });
  return { code: outcome.code, told };
}

describe('runChild with a guard', () => {
  it('has the group watched while the program runs', async () => {
    expect(await runGuarded('')).toEqual({ code: 0, told: ['watch', 'unwatch'] });
  });

  it('does not trouble the guard with a program that is done before', async () => {
    expect(await runGuarded('', { guardAfterMs: 60_000 })).toEqual({ code: 0, told: ['unwatch'] });
  });

  it('has one watched that takes longer', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const run = runGuarded('setInterval(() => {}, 1000)', {
      guardAfterMs: 1,
      signal: controller.signal,
      guard: { prepare: () => ({}), watch: () => resolve(), unwatch: () => undefined },
    });
    await promise;
    controller.abort();
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  });
});

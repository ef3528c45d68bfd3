/** A worker with real git and a program of its own: when the place of a task is free for the next one. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BatchLimits } from './engine.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { work } from './worker.ts';

/** The second task waits until the git of the first one is at the gate, and opens it. */
const PROGRAM = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const tell = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
tell({ type: 'init', session_id: 's', model: 'm' });
if (readFileSync(0, 'utf8') === 'second' && existsSync(process.env.GATE)) writeFileSync(process.env.GATE, 'go');
tell({ type: 'message', role: 'assistant', content: 'done' });
tell({ type: 'result', status: 'success', stats: { total_tokens: 1 } });
`;

/** The first look at what a task changed waits at the gate, where there is one. */
const GIT = (git: string, gate: string) => `#!/bin/sh
case " $* " in *" status "*) if test -p '${gate}'; then cat '${gate}' > /dev/null; rm '${gate}'; fi; esac
exec ${git} "$@"
`;

async function runTwo({ limits = {}, isGated = false }: { limits?: BatchLimits; isGated?: boolean }) {
  const root = mkdtempSync(join(tmpdir(), 'castor-worker-'));
  const repository = join(root, 'repository');
  const gate = join(root, 'gate');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd: repository });
  try {
    mkdirSync(repository);
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'first');
    if (isGated) execFileSync('mkfifo', [gate]);
    mkdirSync(join(root, 'bin'));
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(root, 'bin', 'git'), GIT(real, gate));
    chmodSync(join(root, 'bin', 'git'), 0o755);
    writeFileSync(join(root, 'program.cjs'), PROGRAM);
    const engine = new SqliteEngine(join(root, 'batches.sqlite'));
    const task = (id: string) => ({
      ...{ id, prompt: id, place: { kind: 'folder', folder: repository } as const, limits: {}, files: [] },
      ...{ environment: [], tries: 1, labels: [] },
    });
    const options = { flags: [], isInPlace: false, directory: join(root, 'b') };
    await engine.submit({
      ...{ id: 'b', title: 'b', tasks: [task('first'), task('second')], options, limits, priority: 0 },
    });
    const { signal } = new AbortController();
    const worker = work({
      ...{ engine, identity: { id: 'w', labels: [] }, batch: 'b', concurrency: 1, stop: signal, cancel: signal },
      program: [process.execPath, join(root, 'program.cjs')],
      environment: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, GATE: gate },
    });
    const events: string[] = [];
    for await (const event of worker) {
      if (event.type === 'started') events.push(`${event.task} started`);
      if (event.type === 'ended') events.push(`${event.result.id} ${event.result.status}`);
    }
    await engine.close();
    return { events, worktrees: String(git('worktree', 'list')).trim().split('\n') };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

it('starts the next task while git looks at what the last one changed', async () => {
  const { events, worktrees } = await runTwo({ isGated: true });
  // Which of the two ends first is left to git and the disk.
  expect([events.slice(0, 2), events.slice(2).sort()]).toEqual([
    ['first started', 'second started'],
    ['first success', 'second success'],
  ]);
  expect(worktrees).toHaveLength(1);
});

it('waits until a task has returned what it leaves of the budget', async () => {
  const { events } = await runTwo({ limits: { tokens: 1_000 } });
  expect(events).toEqual(['first started', 'first success', 'second started', 'second success']);
});

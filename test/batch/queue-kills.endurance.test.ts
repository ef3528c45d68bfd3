/**
 * Workers, the submitter and the server of a queue are killed at random: every task ends with exactly one result, and no worktree or
 * process is left. CASTOR_KILLS=2000,200 chooses the number of tasks and of kills.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, fakeModel, runCli, say, startCli } from '@castor/testkit';
import type { CliProcess, ModelRequest } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { findPostgres, findRedis, startPostgres, startRedis } from '../../packages/queue-bullmq/src/servers.fixture.ts';
import { jsonl, openBatchPlace } from './batch.fixture.ts';

const [TASKS = 3, KILLS = 1] = (process.env['CASTOR_KILLS'] ?? (inject('isEndurance') ? '40,12' : '3,1'))
  .split(',')
  .map(Number);
const WORKERS = 2;

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Each task appends its own line once; a second time would show in its check. */
function script(request: ModelRequest) {
  const body = JSON.stringify(request.body);
  const [, name = ''] = /task (\d+)\./.exec(body) ?? [];
  const [last = ''] = body.split('"functionResponse"').slice(1).reverse();
  const command = (text: string) => answer(call('run_shell_command', { command: text }));
  // As a model does that hears that its call was interrupted.
  if (/Cancelled|The program stopped/.test(last)) return command(`test -s log.txt || echo ${name} >> log.txt`);
  return last === '' ? command(`echo ${name} >> log.txt`) : say(`did ${name}`);
}

function processesIn(folder: string): string[] {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder) && !line.startsWith('ps '));
}

const SERVERS = [
  ['Postgres', findPostgres() !== undefined, startPostgres],
  ['Redis', findRedis() !== undefined && inject('isEndurance'), startRedis],
] as const;

for (const [name, isThere, start] of SERVERS)
  describe.skipIf(!isThere)(`a queue on ${name} whose processes are killed${isThere ? '' : ' (not run)'}`, () => {
    it(`ends ${TASKS} tasks once each after ${KILLS} kills`, { tags: 'wide', timeout: 3_000_000 }, async () => {
      await using server = await start();
      await using place = await openBatchPlace({ 'log.txt': '' });
      await using model = await fakeModel(script);
      const { workspace } = place;
      const env = { CASTOR_QUEUE: server.url };
      const tasks = Array.from({ length: TASKS }, (_, index) => ({
        ...{ id: `n${index}`, prompt: `task ${index}.`, tries: 9, check: `test "$(cat log.txt)" = ${index}` },
      }));
      await workspace.write('tasks.jsonl', jsonl(tasks));
      const startWorker = () => startCli(['worker', '--concurrency', '2'], { workspace, model, env });
      const follower = await place.start(['run', 'tasks.jsonl', '--', '-y'], { env });
      await follower.waitForStderr('castor: batch');
      const workers: CliProcess[] = [];
      for (let count = 0; count < WORKERS; count += 1) workers.push(await startWorker());
      const next = random(11);
      // A task makes two requests.
      const each = Math.max(1, Math.floor((TASKS * 2) / (KILLS + 1)));
      for (let kill = 0; kill < KILLS && model.requests.length < TASKS * 2; kill += 1) {
        await model.waitForRequest(Math.min(TASKS * 2, model.requests.length + 1 + Math.floor(next() * each)));
        if (kill === 1) {
          // The submitter is not needed.
          follower.kill('SIGKILL');
          await follower.done;
        } else if (kill % 8 === 5 || (KILLS <= 2 && kill === 0)) {
          await server.kill();
          await server.restart();
        } else {
          const victim = Math.floor(next() * workers.length);
          workers[victim]?.kill('SIGKILL');
          await workers[victim]?.done;
          workers[victim] = await startWorker();
        }
      }
      const last = await runCli(['worker', '--until-idle'], { workspace, model, env });
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map(({ done }) => done));
      const { lines } = await place.run(['results'], { env });
      expect(lines.map(({ id }) => id).sort(), last.stderr).toEqual(tasks.map(({ id }) => id).sort());
      const failed = lines.filter(({ status }) => status !== 'success');
      expect(failed.map(({ id, status, error }) => ({ id, status, error }))).toEqual([]);
      // A task that started over in its folder would have written two lines, and a second try would hide it.
      expect(lines.filter(({ tries }) => tries !== 1)).toEqual([]);
      const state = join(workspace.home, '.local', 'state', 'castor', 'worker');
      const left = readdirSync(state).map((batch) => join(state, batch, 'work'));
      expect(left.flatMap((path) => (existsSync(path) ? readdirSync(path) : []))).toEqual([]);
      expect(place.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
      await expect.poll(() => processesIn(workspace.root), { timeout: 60_000 }).toEqual([]);
    });
  });

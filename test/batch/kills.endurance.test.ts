/**
 * Workers of a batch are killed at random: every task ends with exactly one result, and nothing is left behind. CASTOR_KILLS=2000,200
 * chooses the number of tasks and of kills.
 */

import { execFileSync } from 'node:child_process';
import { answer, call, fakeModel, say } from '@castor/testkit';
import type { ModelRequest } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { jsonl, openBatchPlace } from './batch.fixture.ts';

const [TASKS = 4, KILLS = 2] = (process.env['CASTOR_KILLS'] ?? (inject('isEndurance') ? '300,60' : '4,2'))
  .split(',')
  .map(Number);

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Each task appends its own line once; a second time would show in its patch. */
function script(request: ModelRequest) {
  const body = JSON.stringify(request.body);
  const [, name = ''] = /task (\d+)\./.exec(body) ?? [];
  const [last = ''] = body.split('"functionResponse"').slice(1).reverse();
  const command = (text: string) => answer(call('run_shell_command', { command: text }));
  // As a model does that hears that its call was interrupted.
  if (/Cancelled|The program stopped/.test(last)) return command(`test -s log.txt || echo ${name} >> log.txt`);
  return last === '' ? command(`echo ${name} >> log.txt`) : say(`did ${name}`);
}

/** Processes of this test that still run, by their folder. */
function processesIn(folder: string): string[] {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder) && !line.startsWith('ps '));
}

describe('a batch whose workers are killed', () => {
  it(`ends ${TASKS} tasks once each after ${KILLS} kills`, { tags: 'wide', timeout: 3_600_000 }, async () => {
    await using place = await openBatchPlace({ 'log.txt': '' });
    await using model = await fakeModel(script);
    const tasks = Array.from({ length: TASKS }, (_, index) => ({
      ...{ id: `n${index}`, prompt: `task ${index}.`, tries: 9, check: `test "$(cat log.txt)" = ${index}` },
    }));
    await place.workspace.write('tasks.jsonl', jsonl(tasks));
    const next = random(7);
    const each = Math.max(1, Math.floor((TASKS * 2) / KILLS));
    let words = ['run', 'tasks.jsonl', '--concurrency', '4', '--', '-y'];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await using batch = await place.start(words, { model });
      words = ['resume', '--concurrency', '4'];
      const wanted = model.requests.length + 1 + Math.floor(next() * each);
      // Ends by itself when few tasks are left.
      const isDone = await Promise.race([batch.done.then(() => true), model.waitForRequest(wanted).then(() => false)]);
      if (isDone) break;
      batch.kill('SIGKILL');
      await batch.done;
    }
    const last = await place.run(['resume', '--concurrency', '4'], { model });
    const { lines } = await place.run(['results']);
    expect(lines.map(({ id }) => id).sort(), last.stderr).toEqual(tasks.map(({ id }) => id).sort());
    const failed = lines.filter(({ status }) => status !== 'success');
    expect(failed.map(({ id, status, error }) => ({ id, status, error }))).toEqual([]);
    // A task that started over in its folder would have written two lines, and a second try would hide it.
    expect(lines.filter(({ tries }) => tries !== 1)).toEqual([]);
    expect(place.left()).toEqual([]);
    // What a killed worker left ends by itself, within seconds.
    await expect.poll(() => processesIn(place.workspace.root), { timeout: 60_000 }).toEqual([]);
  });
});

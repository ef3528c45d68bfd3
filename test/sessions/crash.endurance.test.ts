/** Killed at any moment, a program resumes its session: the calls and their effects are compared with what the model was told. */

import { describe, expect, inject, it } from 'vitest';
import { CALLS, hasEffect, indexOf, runKilled } from './crash-driver.ts';
import type { KilledSession, Turn } from './crash-driver.ts';

const KILLS = inject('isEndurance') ? 200 : 2;
/** Of one session; then it may end. */
const KILLS_EACH = inject('isEndurance') ? 12 : 2;
const AT_ONCE = inject('isEndurance') ? 2 : 1;

/** Calls of the conversation with what the model was told of each, in order. */
function callsOf(turns: readonly Turn[]) {
  const parts = turns.flatMap((turn) => turn.parts);
  const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  return parts.flatMap(({ functionCall }) => {
    if (!functionCall) return [];
    const told = responses.filter(({ id }) => id === functionCall.id).map(({ response }) => response);
    return [{ index: indexOf(functionCall.args), told, status: told[0]?.['status'] ?? 'finished' }];
  });
}

/** Where we are is told anew by every process, as it is by then: the folder fills while the calls are made. */
function withoutPlace({ role, parts }: Turn): Turn {
  return { role, parts: parts.filter(({ text = '' }) => !text.startsWith('<session_context>')) };
}

function check({ kills, last, requests, violations, effects, files, lines }: KilledSession): void {
  const final = requests.at(-1) ?? [];
  const calls = callsOf(final);
  // Killed with the answer on record, there is nothing left to go on with; else it is given.
  const hasAnswered = /the session has no interrupted prompt/.test(last.stderr);
  const ending = { code: hasAnswered ? 42 : 0, answer: hasAnswered ? '' : 'All thirty calls are made.' };
  const said = { code: last.code, answer: last.stdout.trimEnd().split('\n').at(-1) };
  expect({ ...said, stderr: said.code === ending.code ? '' : last.stderr }).toEqual({ ...ending, stderr: '' });
  // What the calls changed is recorded by a process of its own, also after the answer.
  const spoken = lines.findLast((line) => !line.startsWith('{"$workspaceChange"'));
  expect([violations, spoken]).toEqual([[], expect.stringContaining('All thirty calls are made.')]);

  // Everything the model was told is still there, in order, once: every request extends the one before.
  for (const [index, turns] of requests.entries()) {
    const before = requests[index - 1] ?? [];
    expect(turns.slice(0, before.length).map(withoutPlace)).toEqual(before.map(withoutPlace));
  }

  // Every call is answered once; a call is asked for again only if it is known not to have begun.
  expect(calls.filter(({ told }) => told.length !== 1)).toEqual([]);
  for (let index = 0; index < CALLS; index++) {
    const statuses = calls.filter((made) => made.index === index).map(({ status }) => status);
    expect(statuses.slice(0, -1).filter((status) => status !== 'not_started')).toEqual([]);
    const times = effects.filter((effect) => effect === index).length;
    const expected = !hasEffect(index) ? [0] : statuses.at(-1) === 'unknown' ? [0, 1] : [1];
    expect(expected).toContain(times);
  }

  // No stumps: one session, unlocked, and no line that is not whole but where a process died while writing it.
  const sessions = files.filter((name) => name.endsWith('.jsonl'));
  expect([sessions.length, files.filter((name) => name.startsWith(`${sessions[0]}.`))]).toEqual([1, []]);
  expect(lines.filter((line) => !line.endsWith('}')).length).toBeLessThanOrEqual(kills);
}

describe('a program that is killed', () => {
  it(`resumes after each of ${KILLS} kills: nothing is lost, doubled or run again`, async () => {
    const results: KilledSession[] = [];
    const killed = () => results.reduce((sum, { kills }) => sum + kills, 0);
    let seed = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (killed() < KILLS) results.push(await runKilled(++seed, KILLS_EACH));
      }),
    );
    for (const result of results) check(result);
    if (!inject('isEndurance')) return;
    // So many kills are spread over all that can be under way; otherwise they would prove little.
    const statuses = results.flatMap(({ requests }) => callsOf(requests.at(-1) ?? []).map(({ status }) => status));
    expect(statuses).toEqual(expect.arrayContaining(['finished', 'not_started', 'unknown']));
  }, 300_000);
});

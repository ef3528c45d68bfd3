import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RunLog } from './run-log.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-run-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stats = (tokens: number) => ({ stats: { total_tokens: tokens, cost_usd: tokens / 1000, models: {} } });
const init = { type: 'init', session_id: 's', model: 'm' };

/** What a new reader finds when each of the texts was written by a run of its own. */
function spentAfter(...runs: readonly (object | string)[][]) {
  const path = join(folder, 'run.jsonl');
  for (const run of runs) {
    const log = new RunLog(path);
    log.read();
    log.endLine();
    for (const line of run) appendFileSync(path, typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
  }
  const log = new RunLog(path);
  log.read();
  return log.spent;
}

it('adds the runs of a file, each by the last it told', () => {
  const run = [init, { type: 'spent', ...stats(100) }, { type: 'result', status: 'success', ...stats(200) }];
  expect(spentAfter(run, run)).toEqual({ cost: 0.4, tokens: 400 });
});

it('keeps what a run has spent when the next one fails before it begins', () => {
  const refused = [{ type: 'result', status: 'error', ...stats(0) }];
  expect(spentAfter([init, { type: 'result', status: 'error', ...stats(200) }], refused).tokens).toBe(200);
  expect(spentAfter([init, { type: 'spent', ...stats(100) }], refused, refused).tokens).toBe(300);
});

it('reads the run behind a line that a full disk has cut', () => {
  const cut = '{"type":"tool_result","output":"aaaa';
  const next = [init, { type: 'spent', ...stats(30) }];
  expect(spentAfter([init, { type: 'spent', ...stats(100) }, cut], next).tokens).toBe(130);
});

/** `castor eval` from a suite to results: the suite of this repository with the offline model, and a scripted one that varies. */

import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { answer, call, fakeModel, gate, say, text } from '@castor/testkit';
import type { ModelRequest } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openBatchPlace } from './batch.fixture.ts';
import type { BatchPlace } from './batch.fixture.ts';
import { runCli, startCli } from '@castor/testkit';
import type { CliOptions } from '@castor/testkit';

const ROOT = join(import.meta.dirname, '..', '..');

interface Results {
  runs: { task: string; model: string; prompt: string; status: string; cause?: string; turns: number }[];
  summaries: { model: string; prompt: string; passed: { rate: number }; flips: object[]; failures: object[] }[];
}

const evaluate = (place: BatchPlace, words: readonly string[], options: CliOptions = {}) =>
  runCli(['eval', ...words], { workspace: place.workspace, ...options });

function read(path: string): Results {
  return JSON.parse(readFileSync(path, 'utf8')) as Results;
}

/** The files that the tasks of the suite look at: a checkout of all others would take most of the time. */
function slice(to: string): void {
  const looked = ['LICENSE', 'ARCHITECTURE.md', 'packages/*/package.json', 'packages/cli/src/commands/parse-words.ts'];
  const paths = execFileSync('git', ['ls-files', ...looked, '*.fixture.ts'], { cwd: ROOT, encoding: 'utf8' });
  for (const path of [...paths.trim().split('\n'), 'evals/suite.json', 'evals/tasks'])
    cpSync(join(ROOT, path), join(to, path), { recursive: true });
}

describe('the suite of this repository', () => {
  it('has ten tasks, which the offline model passes', { tags: 'wide', timeout: 240_000 }, async () => {
    await using place = await openBatchPlace();
    slice(place.workspace.project);
    place.git('add', '--all');
    place.git('commit', '--quiet', '--message', 'slice');
    const { code, stdout, stderr } = await evaluate(place, ['run', '--model', 'offline', '--min-pass', '100']);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toContain('castor: 10 tasks, 1 try each');
    expect(stdout).toMatch(/^offline +plain +10\/10 +100 % +72–100 % /m);
    const [file = ''] = readdirSync(join(place.workspace.project, 'evals', 'results'));
    const { runs } = read(join(place.workspace.project, 'evals', 'results', file));
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'success'));
    // Nothing of this machine is in a file that is to be committed.
    expect(JSON.stringify(runs)).not.toContain(place.workspace.root);
    expect(place.left()).toEqual([]);
  });
});

const SUITE = {
  'evals/suite.json': '{"flags": ["-y"]}',
  'evals/tasks/edit/prompt.md': 'Make x.txt',
  'evals/tasks/edit/files/start.txt': 'begin\n',
  'evals/tasks/edit/check.sh': 'test -e start.txt && grep -q good x.txt || { echo "no good file"; exit 1; }',
  'evals/tasks/say/prompt.md': 'Say yes',
  'evals/tasks/say/check.sh': 'grep -qx yes "$CASTOR_ANSWER" || { echo "not yes"; exit 1; }',
  'evals/prompts/plain.md': '{{prompt}}',
  'evals/prompts/urgent.md': 'URGENT.',
};

/** The first try of the edit fails with the plain prompt; saying yes works with the urgent one only. */
function varying() {
  let edits = 0;
  return (request: ModelRequest) => {
    const body = JSON.stringify(request.body);
    const isUrgent = body.includes('URGENT');
    if (body.includes('Say yes')) return say(isUrgent ? 'yes' : 'no');
    if (body.includes('functionResponse')) return say('made it');
    const isGood = isUrgent || edits++ > 0;
    return answer(call('write_file', { file_path: 'x.txt', content: isGood ? 'good\n' : 'bad\n' }));
  };
}

describe('an eval', () => {
  it(
    'runs tasks × models × prompts × tries, and a comparison fails on a regression',
    { timeout: 240_000 },
    async () => {
      await using place = await openBatchPlace(SUITE);
      await using model = await fakeModel(varying());
      const words = ['run', '--tries', '2', '--concurrency', '2', '--save', 'first.json', '-o', 'json'];
      const first = await evaluate(place, words, { model });
      expect(first.code, first.stderr).toBe(0);
      const { runs, summaries } = JSON.parse(first.stdout) as Results;
      expect(runs).toHaveLength(8);
      const of = (prompt: string) => summaries.find((each) => each.prompt === prompt);
      expect(of('urgent')).toMatchObject({ passed: { rate: 1 }, flips: [], failures: [] });
      expect(of('plain')).toMatchObject({
        passed: { rate: 0.25 },
        tries: { passed: 1, total: 4 },
        passAt: { 1: 0.25, 2: 0.5 },
        flips: [{ task: 'edit', passed: 1, total: 2 }],
        failures: [
          { cause: 'check: not yes', count: 2, tasks: ['say'] },
          { cause: 'check: no good file', count: 1, tasks: ['edit'] },
        ],
      });
      const compared = await evaluate(place, [
        'compare',
        'first.json#default#urgent',
        'first.json#default#plain',
        '--strict',
      ]);
      expect([compared.code, compared.stderr]).toEqual([
        1,
        'castor: regression: default with plain no longer passes in say.\n',
      ]);
      expect(compared.stdout).toContain('default with urgent → default with plain, 2 tasks\n  passed  100 % → 25 %');
      expect(place.left()).toEqual([]);
    },
  );

  it('goes on after an interruption', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace(SUITE);
    const hold = gate();
    await using model = await fakeModel((request) =>
      JSON.stringify(request.body).includes('Say yes') ? answer(hold, text('yes')) : say('nothing'),
    );
    const words = ['eval', 'run', '--prompt', 'plain', '--concurrency', '1', '--save', 'r.json'];
    await using running = await startCli([...words, '--task', 'say,edit'], { workspace: place.workspace, model });
    await model.waitForRequest(2);
    running.kill('SIGINT');
    await running.waitForStderr('No further task starts');
    running.kill('SIGINT');
    const { code, stderr } = await running.done;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/1 try left\. To go on: castor eval resume b/)]);
    expect(existsSync(join(place.workspace.project, 'r.json'))).toBe(false);
    hold.release();
    const rest = await evaluate(place, ['resume'], { model });
    expect(rest.code, rest.stderr).toBe(0);
    const { runs } = read(join(place.workspace.project, 'r.json'));
    expect(runs.map(({ task, status }) => [task, status])).toEqual([
      ['edit', 'check_failed'],
      ['say', 'success'],
    ]);
  });
});

/** Batches on a queue: the built program as submitter and as worker, a real Postgres, a scripted model. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answer, call, fakeModel, gate, runCli, say, startCli, text } from '@castor/testkit';
import type { ModelRequest } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres } from '../../packages/queue-bullmq/src/servers.fixture.ts';
import type { QueueServer } from '../../packages/queue-bullmq/src/servers.fixture.ts';
import { jsonl, openBatchPlace, read } from './batch.fixture.ts';
import { variants } from '../house/variants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const promptOf = (request: ModelRequest) => JSON.stringify(request.body);
const hasResult = (request: ModelRequest) => promptOf(request).includes('functionResponse');

function writer(request: ModelRequest) {
  const [, name = 'x'] = /make (\w+)/.exec(promptOf(request)) ?? [];
  return hasResult(request)
    ? say(`made ${name}`)
    : answer(call('write_file', { file_path: `${name}.txt`, content: `${name}\n` }));
}

describe.skipIf(findPostgres() === undefined)('a batch on a queue', () => {
  let server: QueueServer;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  /** A queue for one test. */
  const queue = () => ({ CASTOR_QUEUE: `${server.url}?namespace=test${(count += 1)}` });

  it('runs without its submitter, by labels, and leaves its files where all machines see them', async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(writer);
    const env = queue();
    const shared = join(place.workspace.root, 'shared');
    await place.workspace.write(
      'tasks.jsonl',
      jsonl([
        { id: 'one', prompt: 'make one', check: 'grep -q one one.txt' },
        { id: 'gpu', prompt: 'make two', labels: ['gpu'] },
      ]),
    );
    const words = ['run', 'tasks.jsonl', '--detach', '--artifacts', shared, '--', '-y'];
    const submitted = await place.run(words, { model, env });
    expect([submitted.code, submitted.stdout], submitted.stderr).toEqual([0, expect.stringMatching(/^b\d{4}-\S+\n$/)]);
    const [id = ''] = submitted.stdout.split('\n');
    await using worker = await startCli(['worker', '--concurrency', '2'], { workspace: place.workspace, model, env });
    const done = await worker.waitForStderr('one  succeeded').then(() => place.run(['status', id], { env }));
    // The worker has no label: the other task waits for one that has.
    expect(done.stdout, done.stderr).toContain('1 of 2');
    worker.kill('SIGINT');
    expect((await worker.done).code).toBe(130);
    const labelled = await runCli(['worker', '--labels', 'linux,gpu', '--until-idle'], {
      ...{ workspace: place.workspace, model, env },
    });
    expect(labelled.code, labelled.stderr).toBe(0);
    const { lines } = await place.run(['results', id, '--apply', 'branch'], { env });
    expect(lines.map(({ id: name, status }) => [name, status])).toEqual([
      ['one', 'success'],
      ['gpu', 'success'],
    ]);
    const files = lines[0]!['files'] as Record<string, string>;
    expect(files['patch']).toBe(join(shared, id, 'one', 'changes.patch'));
    expect([read(files['answer']), existsSync(join(shared, id, 'gpu', 'run-1.jsonl'))]).toEqual(['made one', true]);
    expect(place.git('show', `castor/${id}/one:one.txt`)).toBe('one\n');
    expect(place.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('follows the batch until its end, and pushes the work of a clone as git refs', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(writer);
    const env = queue();
    const origin = join(place.workspace.root, 'origin.git');
    place.git('clone', '--quiet', '--bare', '.', origin);
    await place.workspace.write('tasks.jsonl', jsonl([{ id: 'one', prompt: 'make one', repo: `file://${origin}` }]));
    await using worker = await startCli(['worker'], { workspace: place.workspace, model, env });
    const run = ['run', 'tasks.jsonl', '-o', 'jsonl', '--artifacts', 'git', '--', '-y'];
    const { code, lines, stderr } = await place.run(run, { model, env });
    expect([code, lines.map(({ status }) => status)], stderr).toEqual([0, ['success']]);
    const { work = '', files = '' } = lines[0]!['refs'] as Record<string, string>;
    const show = (name: string) => execFileSync('git', ['show', name], { cwd: origin, encoding: 'utf8' });
    expect([show(`${work}:one.txt`), show(`${files}:answer.md`)]).toEqual(['one\n', 'made one']);
    const apply = await place.run(['results', '--apply', 'patch'], { env });
    expect(read(String(apply.lines[0]!['applied'])), apply.stderr).toContain('+one');
    worker.kill('SIGTERM');
    expect((await worker.done).code).toBe(143);
  });

  it(
    'is watched, read, retried and applied by programs that have only the queue; an eval runs on it, too',
    { tags: 'wide' },
    async () => {
      await using place = await openBatchPlace();
      await using model = await fakeModel(writer);
      const env = queue();
      const mark = join(place.workspace.root, 'mark');
      await place.workspace.write(
        'tasks.jsonl',
        jsonl([
          { id: 'good', prompt: 'make one' },
          { id: 'bad', prompt: 'make two', check: `echo looking; test -e '${mark}'` },
        ]),
      );
      await using worker = await startCli(['worker', '--concurrency', '2'], { workspace: place.workspace, model, env });
      const submitted = await place.run(['run', 'tasks.jsonl', '--detach', '--', '-y'], { model, env });
      const [id = ''] = submitted.stdout.split('\n');

      const watched = await place.run(['watch', id], { env });
      expect([watched.code, watched.stdout], watched.stderr).toEqual([1, expect.stringContaining('2 of 2')]);
      const logs = await place.run(['logs', id, 'bad'], { env });
      expect([logs.code, logs.stdout], logs.stderr).toEqual([0, expect.stringMatching(/made two[^]*looking/)]);

      await place.workspace.write('../mark', '');
      const retried = await place.run(['retry', id, '--apply', 'pr-body', '-o', 'jsonl'], { env });
      expect([retried.code, retried.stderr]).toEqual([0, expect.stringContaining(`1 task of ${id} run again.`)]);
      const body = read(join(place.workspace.project, `castor-${id}`, 'bad.md'));
      expect(body).toMatch(
        /^# made two\n\nmade two\n\n---\n1 file, \+1 −0\.\nCheck: `echo looking; .*` passed\.\nPatch: /,
      );

      const suite = join(place.workspace.root, 'suite');
      await place.workspace.write('../suite/tasks/three/prompt.md', 'make three');
      await place.workspace.write('../suite/tasks/three/check.sh', 'grep -q three three.txt && test -e begun.txt');
      await place.workspace.write('../suite/tasks/three/files/begun.txt', 'x');
      const words = ['eval', 'run', suite, '--queue', env.CASTOR_QUEUE, '-o', 'json', '--min-pass', '100', '--', '-y'];
      const evaluated = await runCli(words, { workspace: place.workspace, model });
      expect(evaluated.code, evaluated.stderr).toBe(0);
      expect(JSON.parse(evaluated.stdout)).toMatchObject({ runs: [{ task: 'three', status: 'success' }] });
      worker.kill('SIGTERM');
      expect((await worker.done).code).toBe(143);
    },
  );

  it(
    'continues the session of a task whose worker was killed, when the machine comes back',
    { tags: 'wide' },
    async () => {
      await using place = await openBatchPlace();
      let asked = 0;
      const never = gate();
      await using model = await fakeModel((request) => {
        asked += 1;
        if (asked === 1) return answer(call('write_file', { file_path: 'a.txt', content: 'changed\n' }));
        return asked === 2 ? answer(never, text('never')) : say(`after ${hasResult(request)}`);
      });
      const env = queue();
      await place.workspace.write('tasks.jsonl', jsonl([{ id: 'x', prompt: 'go' }]));
      await place.run(['run', 'tasks.jsonl', '--detach', '--', '-y'], { env });
      await using worker = await startCli(['worker'], { workspace: place.workspace, model, env });
      await model.waitForRequest(2);
      worker.kill('SIGKILL');
      await worker.done;
      const again = await runCli(['worker', '--until-idle'], { workspace: place.workspace, model, env });
      expect(again.stderr).toContain('x  continued');
      const { lines } = await place.run(['results'], { env });
      expect(lines[0], again.stderr).toMatchObject({
        ...{ status: 'success', answer: 'after true', changes: { files: 1 }, interruptions: 1 },
      });
      expect([asked, place.git('worktree', 'list').trim().split('\n').length]).toEqual([3, 1]);
    },
  );
});

describe('castor worker', () => {
  it('names the package that is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'castor-alone-'));
    try {
      // As npm installs it: without the other packages of this repository.
      mkdirSync(join(folder, 'castor'));
      for (const part of ['bin', 'dist', 'package.json'])
        cpSync(join(ROOT, 'packages', 'cli', part), join(folder, 'castor', part), { recursive: true });
      const { stderr, status } = spawnSync(
        process.execPath,
        [join(folder, 'castor', 'bin', 'castor.cjs'), 'worker', '--queue', 'redis://127.0.0.1:1'],
        { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } },
      );
      expect([status, stderr]).toEqual([1, expect.stringContaining('npm install -g @castor/queue-bullmq')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  variants.each<[string, string[], RegExp]>([
    ['no queue', ['worker'], /--queue is missing/],
    ['no address', ['worker', '--queue'], /--queue needs an address/],
    ['an address of something else', ['worker', '--queue', 'https://x'], /"https:\/\/x" is not the address of a queue/],
    ['an unknown option', ['worker', '--queue', 'redis://x', '--fast'], /--fast is an unknown option of castor worker/],
  ])('says in one sentence what is wrong: %s', async (_, words, sentence) => {
    const { code, stderr } = await runCli(words);
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

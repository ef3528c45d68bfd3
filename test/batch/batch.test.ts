/** `castor batch` from tasks to results: real processes, worktrees, checks and a scripted model. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, fakeModel, fault, gate, runCli, say, startTerminal, text, usage } from '@castor/testkit';
import type { CliProcess, ModelRequest } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';
import { jsonl, openBatchPlace, read } from './batch.fixture.ts';
import type { BatchPlace } from './batch.fixture.ts';
import { variants } from '../house/variants.ts';

const reason = await reasonToSkip();
const skipped = reason === undefined ? '' : `: skipped, ${reason}`;

/** The text of the prompt in a request. */
const promptOf = (request: ModelRequest) => JSON.stringify(request.body);
const hasResult = (request: ModelRequest) => promptOf(request).includes('functionResponse');

/** Writes a file named in the prompt, then says so. */
function writer(request: ModelRequest) {
  const [, name = 'x'] = /make (\w+)/.exec(promptOf(request)) ?? [];
  return hasResult(request)
    ? say(`made ${name}`)
    : answer(call('write_file', { file_path: `${name}.txt`, content: `${name}\n` }));
}

describe('a batch', () => {
  it('runs each task in its own worktree, checks it, and leaves results, patches and nothing else', async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(writer);
    await place.workspace.write(
      'tasks.jsonl',
      jsonl([
        { id: 'one', prompt: 'make one', check: 'grep -q one one.txt' },
        { id: 'two', prompt: 'make two', check: 'test -e missing' },
      ]),
    );
    const { code, lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y'], { model });
    expect(code, stderr).toBe(1);
    const [one, two] = ['one', 'two'].map((id) => lines.find((line) => line.id === id)!);
    expect(one).toMatchObject({
      ...{ status: 'success', answer: 'made one', check: { exit_code: 0 }, tries: 1, turns: 2 },
      changes: { files: 1, added: 1, removed: 0 },
    });
    expect(two).toMatchObject({ status: 'check_failed', error: { type: 'CheckFailedError' }, check: { exit_code: 1 } });
    const files = one!['files'] as Record<string, string>;
    expect(read(files['patch'])).toContain('+one');
    expect(read(files['answer'])).toBe('made one');
    // The user's folder is as it was.
    expect([place.git('status', '--porcelain'), place.left()]).toEqual(['?? tasks.jsonl\n', []]);
  });

  it('takes a prompt of any length, which no list of processes shows', async () => {
    await using place = await openBatchPlace({ 'the file.txt': 'inside it\n' });
    let shown = '';
    await using model = await fakeModel((request) => {
      shown = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
      return say(`${promptOf(request).split('word').length - 1} words, ${promptOf(request).includes('inside it')}`);
    });
    const prompt = `begin ${'word '.repeat(60_000)}end`;
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt, files: ['the file.txt'] }]));
    const { lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl'], { model });
    expect(lines[0]?.['answer'], stderr).toBe('60000 words, true');
    expect([shown.includes('--task spending'), shown.includes('word word')]).toEqual([true, false]);
  });

  it('shows a table at the end and how to go on', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() => say('Hello.'));
    await place.workspace.write('tasks.csv', 'who\nAnn\nBob\n');
    const { code, stdout, stderr } = await place.run(['run', 'tasks.csv', '--prompt', 'Greet {{who}}'], { model });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/✓ t1 +succeeded .*Hello\.\n✓ t2 +succeeded .*Hello\.\n\n2 of 2 · 2 succeeded · /);
    expect(new Set(model.requests.map((request) => /Greet (\w+)/.exec(promptOf(request))?.[1]))).toEqual(
      new Set(['Ann', 'Bob']),
    );
    const list = await place.run(['list']);
    expect(list.stdout).toMatch(/^b\d{4}-\d{4}-\w{4} .* ended {2}tasks\.csv {2}2 of 2/);
  });

  it('runs one prompt over files, in place', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace({ 'src/a.ts': '1', 'src/sub/b.ts': '2', 'node_modules/c.ts': '3' });
    await using model = await fakeModel(() => say('ok'));
    const words = ['run', '--prompt', 'Look at {{file}}', '--over', '**/*.ts', '--in-place', '-o', 'jsonl'];
    const { code, lines, stderr } = await place.run(words, { model });
    expect([code, lines.map(({ id }) => id).sort()], stderr).toEqual([0, ['src-a.ts', 'src-sub-b.ts']]);
    const seen = model.requests.map((request) => /Look at ([\w/.]+)/.exec(promptOf(request))?.[1]);
    expect(new Set(seen)).toEqual(new Set(['src/a.ts', 'src/sub/b.ts']));
  });

  it('clones repositories by URL, at a ref', async () => {
    await using place = await openBatchPlace({ 'name.txt': 'old\n' });
    place.git('tag', 'v1');
    await place.workspace.write('name.txt', 'new\n');
    place.git('commit', '--all', '--quiet', '--message', 'second');
    await using model = await fakeModel(() => say('ok'));
    await place.workspace.write('repos.txt', `file://${place.workspace.project} v1\n`);
    const words = ['run', '--repos', 'repos.txt', '--prompt', 'hi', '--check', 'grep -q old name.txt', '-o', 'jsonl'];
    const { code, lines, stderr } = await place.run(words, { model });
    expect([code, lines[0]?.status], stderr).toEqual([0, 'success']);
    expect(place.left()).toEqual([]);
  });

  it('runs the commands of a task in the sandbox where one works, unless the batch says otherwise', async () => {
    await using place = await openBatchPlace();
    const { code: works } = await runCli(['sandbox', 'check'], { workspace: place.workspace });
    await using model = await fakeModel((request) =>
      hasResult(request)
        ? say(/in (bwrap|no) box/.exec(promptOf(request))?.[0] ?? '?')
        : answer(call('run_shell_command', { command: 'echo in ${SANDBOX:-no} box' })),
    );
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'a' }]));
    const words = ['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y'];
    const inside = await place.run(words, { model });
    expect(inside.lines[0]?.['answer'], inside.stderr).toBe(works === 0 ? 'in bwrap box' : 'in no box');
    const outside = await place.run([...words, '--no-sandbox'], { model });
    expect(outside.lines[0]?.['answer'], outside.stderr).toBe('in no box');
  });

  it('tries again until the check accepts the work', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(writer);
    await place.workspace.write('tasks.jsonl', jsonl([{ id: 'x', prompt: 'make one', tries: 3 }]));
    const marker = join(place.workspace.home, 'tried');
    const check = `test -e ${marker} || { touch ${marker}; exit 1; }`;
    const words = ['run', 'tasks.jsonl', '--check', check, '-o', 'jsonl', '--', '-y'];
    const { code, lines, stderr } = await place.run(words, { model });
    expect([code, lines[0]], stderr).toMatchObject([0, { status: 'success', tries: 2 }]);
    expect(place.left()).toEqual([]);
  });

  it.skipIf(reason !== undefined)(
    `puts tasks and their checks into the sandbox of the settings${skipped}`,
    { tags: 'wide' },
    async () => {
      await using place = await openBatchPlace();
      await using model = await fakeModel((request) =>
        hasResult(request) ? say('tried') : answer(call('run_shell_command', { command: 'echo $SANDBOX > made.txt' })),
      );
      const outside = join(place.workspace.home, 'evil');
      const check = `grep -q bwrap made.txt && test "$SANDBOX" = bwrap && ! touch '${outside}'`;
      await place.workspace.write('tasks.jsonl', jsonl([{ id: 'one', prompt: 'a', check }]));
      const env = { GEMINI_SANDBOX: 'true' };
      const { lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y'], { model, env });
      expect(lines[0], stderr).toMatchObject({ status: 'success', check: { exit_code: 0 } });
      expect(existsSync(outside)).toBe(false);
    },
  );

  it.skipIf(reason !== undefined)(
    `keeps the refs of the user's repository from the commands of a task and from its check${skipped}`,
    async () => {
      await using place = await openBatchPlace();
      // In the home folder, which commands see although it is below /tmp here.
      const folder = join(place.workspace.home, 'repository');
      const git = (line: string) => place.git('-c', 'alias.do=!bash -ec', 'do', `cd ~ && ${line}`);
      git('git init -q repository && cd repository && touch a && git add a && git commit -qm one');
      git('cd repository && git commit -q --allow-empty -m two && echo 3 > a && git stash -q');
      const refs = () => git('cd repository && git for-each-ref && git stash list && git status --short');
      const before = refs();
      expect(before).toContain('stash@{0}');
      const attack = 'git stash drop; git update-ref refs/heads/main HEAD~1; git branch x; git tag x';
      const commit = 'git -c user.name=n -c user.email=e commit -q --allow-empty -m mine && git log --format=in:%s';
      await using model = await fakeModel((request) =>
        hasResult(request)
          ? say(/in:mine/.exec(promptOf(request))?.[0] ?? promptOf(request))
          : answer(call('run_shell_command', { command: `${attack}; ${commit}` })),
      );
      await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'a', folder, check: `${attack}; true` }]));
      // Asked for, so that the check runs inside too.
      const { lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y', '-s'], { model });
      expect(lines[0], stderr).toMatchObject({ status: 'success', answer: 'in:mine' });
      expect(refs()).toBe(before);
    },
  );

  it('keeps keys from the check, and names a variable that is missing', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() => say('ok'));
    const tasks = [
      { id: 'check', prompt: 'a', check: 'test -z "$GEMINI_API_KEY" && test "$MY_TOKEN" = t', env: ['MY_TOKEN'] },
      { id: 'missing', prompt: 'a', env: ['NO_SUCH'] },
    ];
    await place.workspace.write('tasks.jsonl', jsonl(tasks));
    const { lines } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl'], { model, env: { MY_TOKEN: 't' } });
    expect(lines.find(({ id }) => id === 'check')).toMatchObject({ status: 'success' });
    expect(lines.find(({ id }) => id === 'missing')).toMatchObject({
      ...{ status: 'failed', error: { message: 'The variable NO_SUCH is not set on this worker.' } },
    });
  });

  it('returns a structured answer', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() => say('{"n": 4}'));
    await place.workspace.write(
      'schema.json',
      '{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}',
    );
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'count', schema: 'schema.json' }]));
    const { lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl'], { model });
    expect(lines[0], stderr).toMatchObject({ status: 'success', structured: { n: 4 } });
  });

  it('makes branches of good results', async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(writer);
    await place.workspace.write('tasks.jsonl', jsonl([{ id: 'one', prompt: 'make one' }]));
    const { lines, stderr } = await place.run(['run', 'tasks.jsonl', '--apply', 'branch', '-o', 'jsonl', '--', '-y'], {
      model,
    });
    const name = String(lines[0]?.['applied']).replace('branch ', '');
    expect(place.git('show', `${name}:one.txt`), stderr).toBe('one\n');
    expect(place.git('branch', '--show-current')).toBe('main\n');
    // Again is harmless, and what is different is not overwritten.
    const again = await place.run(['results', '--apply', 'branch']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(`→ branch ${name}`)]);
    place.git('branch', '--force', name, 'main');
    const other = await place.run(['results', '--apply', 'branch']);
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/could not be applied: .*already exists/)]);
  });
});

describe('a budget over all tasks', () => {
  it('ends the batch with what was not run, and says so', async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() =>
      answer(text('ok'), usage({ promptTokenCount: 600, totalTokenCount: 601 })),
    );
    await place.workspace.write(
      'tasks.jsonl',
      jsonl(Array.from({ length: 6 }, (_, index) => ({ prompt: `task ${index}` }))),
    );
    const words = ['run', 'tasks.jsonl', '--max-tokens', '1500', '--concurrency', '1', '-o', 'jsonl'];
    const { code, lines, stderr } = await place.run(words, { model });
    expect([code, lines.length], stderr).toEqual([56, 6]);
    const spent = lines.reduce((sum, line) => sum + Number(line['tokens']), 0);
    // Overrun by at most the one request in flight.
    expect(spent).toBeLessThan(1500 + 601);
    expect(lines.filter(({ status }) => status === 'budget').length).toBeGreaterThan(0);
  });

  it('counts what a program spent that was killed between its answer and its result', async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() =>
      answer(text('ok'), usage({ promptTokenCount: 600, totalTokenCount: 601 })),
    );
    const hooks = { AfterAgent: [{ hooks: [{ type: 'command', command: 'kill -9 $PPID' }] }] };
    const settings = join(place.workspace.home, '.gemini');
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({ hooks }));
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'a' }]));
    const { lines, stderr } = await place.run(
      ['run', 'tasks.jsonl', '--max-tokens', '9000', '-o', 'jsonl', '--', '--no-sandbox'],
      { model },
    );
    expect(lines[0], stderr).toMatchObject({ status: 'crashed', answer: 'ok', tokens: 601, turns: 1 });
  });
});

describe('an overloaded provider', () => {
  it('slows the batch down without failing a task', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    let refused = 0;
    await using model = await fakeModel(() => (refused++ < 2 ? fault(429, { retryAfter: 0.1 }) : say('ok')));
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'a' }, { prompt: 'b' }]));
    const { code, lines, stderr } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl'], { model });
    expect([code, lines.map(({ status }) => status)], stderr).toEqual([0, ['success', 'success']]);
    expect(stderr).toContain('the provider is overloaded; fewer tasks at once');
  });
});

describe('two batches of one machine', () => {
  it('share its places, and the higher priority goes first', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    const hold = gate();
    const order: string[] = [];
    await using model = await fakeModel((request) => {
      const [name = ''] = /(?:low|high) \d/.exec(promptOf(request)) ?? [];
      order.push(name);
      return name === 'low 1' ? answer(hold, text('ok')) : say('ok');
    });
    await place.workspace.write('low.jsonl', jsonl([{ prompt: 'low 1' }, { prompt: 'low 2' }]));
    await place.workspace.write('high.jsonl', jsonl([{ prompt: 'high 1' }, { prompt: 'high 2' }]));
    const words = (name: string) => ['run', `${name}.jsonl`, '--concurrency', '1', '-o', 'jsonl'];
    await using low = await place.start(words('low'), { model });
    await model.waitForRequest(1);
    await using high = await place.start([...words('high'), '--priority', '5'], { model });
    await high.waitForStderr('other batches have the places of this machine');
    hold.release();
    const ends = await Promise.all([low.done, high.done]);
    expect(
      ends.map(({ code }) => code),
      ends.map(({ stderr }) => stderr).join('\n'),
    ).toEqual([0, 0]);
    expect(order).toEqual(['low 1', 'high 1', 'high 2', 'low 2']);
  });
});

describe('an interrupted batch', () => {
  it('lets running tasks finish after Ctrl+C, and goes on with resume', async () => {
    await using place = await openBatchPlace();
    const hold = gate();
    await using model = await fakeModel((request) =>
      promptOf(request).includes('the slow one') ? answer(hold, text('slow')) : say('fast'),
    );
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'the slow one' }, { prompt: 'the fast one' }]));
    await using batch = await place.start(['run', 'tasks.jsonl', '--concurrency', '1', '-o', 'jsonl'], { model });
    await model.waitForRequest(1);
    batch.kill('SIGINT');
    await batch.waitForStderr('No further task starts');
    // Another terminal shows the same table, as it changes.
    await using watching = await startTerminal(['batch', 'watch'], { workspace: place.workspace });
    await watching.waitForText('● t1  running');
    await watching.waitForText('0 of 2 · 1 running');
    hold.release();
    const { code, stdout, stderr } = await batch.done;
    expect([code, stdout.trim().split('\n').length], stderr).toEqual([130, 1]);
    expect(stderr).toContain('1 task left. To go on: castor batch resume b');
    const rest = await place.run(['resume', '-o', 'jsonl'], { model });
    expect([rest.code, rest.lines.map(({ answer: words }) => words)]).toEqual([0, ['fast']]);
  });

  it('interrupts running tasks after a second Ctrl+C, and continues their sessions', async () => {
    await using place = await openBatchPlace();
    let asked = 0;
    const never = gate();
    await using model = await fakeModel((request) => {
      asked += 1;
      if (asked === 1) return answer(call('write_file', { file_path: 'a.txt', content: 'changed\n' }));
      return asked === 2 ? answer(never, text('never')) : say(`after ${hasResult(request)}`);
    });
    await place.workspace.write('tasks.jsonl', jsonl([{ id: 'x', prompt: 'go' }]));
    await using batch = await place.start(['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y'], { model });
    await model.waitForRequest(2);
    batch.kill('SIGINT');
    await batch.waitForStderr('No further task starts');
    batch.kill('SIGINT');
    const { code } = await batch.done;
    expect(code).toBe(130);
    const rest = await place.run(['resume', '-o', 'jsonl'], { model });
    // The same session in the same worktree: the call was made once, and its change is in the patch.
    expect(rest.lines[0], rest.stderr).toMatchObject({
      status: 'success',
      answer: 'after true',
      changes: { files: 1 },
    });
    expect([asked, place.left()]).toEqual([3, []]);
  });

  variants.each<[string, (batch: CliProcess) => Promise<void>]>([
    ['a kill of the worker', async (batch) => batch.kill('SIGKILL')],
    [
      'a second Ctrl+C',
      async (batch) => {
        batch.kill('SIGINT');
        await batch.waitForStderr('No further task starts');
        batch.kill('SIGINT');
      },
    ],
  ])('tells the model that %s cut its command off, not the user', async (_, stop) => {
    await using place = await openBatchPlace();
    const ready = join(place.workspace.root, 'ready');
    execFileSync('mkfifo', [ready]);
    await using model = await fakeModel((request) =>
      hasResult(request)
        ? say(/effect is unknown|by user|User cancelled/.exec(promptOf(request))?.[0] ?? promptOf(request))
        : answer(call('run_shell_command', { command: `echo go > '${ready}'; sleep 1000` })),
    );
    await place.workspace.write('tasks.jsonl', jsonl([{ id: 'x', prompt: 'go' }]));
    // A command in the sandbox could not open the pipe.
    const words = ['run', 'tasks.jsonl', '-o', 'jsonl', '--', '-y', '--no-sandbox'];
    await using batch = await place.start(words, { model });
    await readFile(ready);
    await stop(batch);
    await batch.done;
    const rest = await place.run(['resume', '-o', 'jsonl'], { model });
    expect(rest.lines[0], rest.stderr).toMatchObject({ status: 'success', answer: 'effect is unknown' });
  });

  it('is cancelled by another process, with a result for every task', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    const never = gate();
    await using model = await fakeModel(() => answer(never, text('never')));
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'a' }, { prompt: 'b' }, { prompt: 'c' }]));
    await using batch = await place.start(['run', 'tasks.jsonl', '--concurrency', '2', '-o', 'jsonl'], { model });
    await model.waitForRequest(2);
    const [id = ''] = /b\d{4}-\d{4}-\w{4}/.exec((await place.run(['list'])).stdout) ?? [];
    expect((await place.run(['cancel', id])).stdout).toContain('1 waiting task will not run; 2 running tasks end now.');
    await batch.done;
    const { lines } = await place.run(['results', id]);
    expect(lines.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(place.left().filter((name) => name.startsWith('worktree'))).toHaveLength(2);
    const again = await place.run(['cancel', id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has ended; nothing is left to cancel.')]);
    expect((await place.run(['clean', id])).code).toBe(0);
    expect([place.left(), existsSync(join(place.state, id))]).toEqual([[], false]);
  });
});

describe('a full disk', () => {
  /** Runs the test with the state of batches on a disk of this size. */
  async function onSmallDisk(
    size: string,
    skip: (why: string) => void,
    test: (place: BatchPlace, env: { XDG_STATE_HOME: string }) => Promise<void>,
  ): Promise<void> {
    await using place = await openBatchPlace();
    const disk = join(place.workspace.root, 'disk');
    mkdirSync(disk);
    const mount = ['-t', 'tmpfs', '-o', `size=${size}`, 'castor-test', disk];
    if (spawnSync('mount', mount).status !== 0) skip('Mounting needs the administrator.');
    try {
      await test(place, { XDG_STATE_HOME: disk });
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  }

  it('ends the batch with a sentence, and loses nothing: resume goes on', { tags: 'wide' }, async ({ skip }) => {
    await onSmallDisk('2m', skip, async (place, env) => {
      const hold = gate();
      await using model = await fakeModel((request) =>
        promptOf(request).includes('the slow one') ? answer(hold, text('one')) : say('two'),
      );
      const options = { model, env };
      await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'the slow one' }, { prompt: 'the fast one' }]));
      await using batch = await place.start(['run', 'tasks.jsonl', '--concurrency', '1', '-o', 'jsonl'], options);
      await model.waitForRequest(1);
      const filler = join(env.XDG_STATE_HOME, 'filler');
      expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))).toThrow('ENOSPC');
      hold.release();
      const { code, stderr } = await batch.done;
      expect([code, stderr]).toEqual([54, expect.stringMatching(/disk is full|no space left/i)]);
      rmSync(filler);
      const rest = await place.run(['resume', '-o', 'jsonl'], options);
      expect(
        rest.lines.map(({ answer: words, status }) => [words, status]),
        rest.stderr,
      ).toEqual([
        ['one', 'success'],
        ['two', 'success'],
      ]);
      expect(place.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    });
  });

  it.for([
    ['in its folder', 'head -c 9000000 /dev/zero >big'],
    ['by what it prints', 'head -c 9000000 /dev/zero'],
  ])('is no fault of a check that meets it %s', { tags: 'wide' }, async ([, check], { skip }) => {
    await onSmallDisk('3m', skip, async (place, env) => {
      await using model = await fakeModel(() => say('ok'));
      await place.workspace.write(
        'tasks.jsonl',
        jsonl([
          { id: 'a', prompt: 'a', check },
          { id: 'b', prompt: 'b' },
        ]),
      );
      const words = ['run', 'tasks.jsonl', '-o', 'jsonl'];
      const { code, stderr, lines } = await place.run(words, { model, env });
      expect([code, lines.find(({ id }) => id === 'a')], stderr).toEqual([54, undefined]);
      expect(stderr).toContain('The disk is full');
      expect(spawnSync('mount', ['-o', 'remount,size=80m', env.XDG_STATE_HOME]).status).toBe(0);
      const rest = await place.run(['resume', '-o', 'jsonl'], { model, env });
      expect([rest.code, rest.lines.find(({ id }) => id === 'a')?.status], rest.stderr).toEqual([0, 'success']);
    });
  });

  it('loses no cost, though the log of the task is full', { tags: 'wide' }, async ({ skip }) => {
    await onSmallDisk('2m', skip, async (place, env) => {
      const hold = gate();
      let requests = 0;
      await using model = await fakeModel(() => {
        requests += 1;
        const spent = usage({ promptTokenCount: 600, totalTokenCount: 601 });
        return requests === 1 ? answer(hold, text('one'), spent) : answer(text('two'), spent);
      });
      // The log is at the end of its first block when the disk is full.
      await place.workspace.write('tasks.jsonl', jsonl([{ prompt: `write ${'long '.repeat(730)}` }]));
      await using batch = await place.start(['run', 'tasks.jsonl', '-o', 'jsonl'], { model, env });
      await model.waitForRequest(1);
      const filler = join(env.XDG_STATE_HOME, 'filler');
      expect(() => writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))).toThrow('ENOSPC');
      hold.release();
      const { code, stderr } = await batch.done;
      expect(code, stderr).toBe(54);
      rmSync(filler);
      const rest = await place.run(['resume', '-o', 'jsonl'], { model, env });
      expect([rest.lines[0]?.status, requests], rest.stderr).toEqual(['success', 2]);
      expect(rest.lines[0]?.['tokens']).toBe(1202);
    });
  });
});

describe('what is wrong with a batch', () => {
  variants.each<[string, string[], number, RegExp]>([
    ['no tasks', ['run'], 1, /Give one of: a file of tasks/],
    ['a missing file', ['run', 'no.jsonl'], 42, /no\.jsonl does not exist\./],
    ['an invalid line', ['run', 'bad.jsonl'], 42, /bad\.jsonl:1: "prompt" is missing\./],
    ['no match', ['run', '--over', '*.zig', '--prompt', 'x'], 42, /No file matches \*\.zig\./],
    ['no prompt', ['run', '--over', '*.txt'], 42, /--prompt is missing/],
    [
      'an unknown option',
      ['run', 'bad.jsonl', '-m', 'flash'],
      1,
      /-m is an unknown option of castor batch run; flags of castor follow --/,
    ],
    ['an invalid limit', ['run', 'bad.jsonl', '--task-time', 'soon'], 1, /--task-time must be a time with its unit/],
    [
      'a value for a variable',
      ['run', 'bad.jsonl', '--env', 'A,B=hidden'],
      42,
      /--env holds names .*; "B=…" is not a name/,
    ],
    ['a folder of tasks', ['run', '.'], 42, /\. is a folder\. Give a file of tasks/],
    ['no worker to run it', ['run', 'good.jsonl', '--detach'], 1, /--detach needs a queue/],
    ['no batch', ['status'], 1, /There is no batch yet\./],
    ['an unknown batch', ['cancel', 'zzz'], 1, /There is no batch/],
    ['an unknown command', ['go'], 1, /unknown command castor batch "go"\./],
  ])('is said in one sentence: %s', async (_, words, code, sentence) => {
    await using place = await openBatchPlace({ 'bad.jsonl': '{"id":"a"}\n', 'good.jsonl': '{"prompt":"a"}\n' });
    const result = await place.run(words);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(sentence);
  });

  const TYPE = '{"type":"nonsense"}';
  variants.each<[string, object, string[], RegExp]>([
    [
      'no repository',
      { folder: '/proc' },
      [],
      /tasks\.jsonl:2: \/proc is in no git repository, .* --in-place works in the/,
    ],
    ['no folder', { folder: 'vanished' }, [], /tasks\.jsonl:2: the folder .*vanished does not exist\./],
    [
      'no folder in place',
      { folder: 'vanished' },
      ['--in-place'],
      /tasks\.jsonl:2: the folder .*vanished does not exist/,
    ],
    ['no commit', { ref: 'no-such-branch' }, [], /tasks\.jsonl:2: The repository .* has no commit "no-such-branch"\./],
    [
      'no schema',
      { schema: 'schema.json' },
      [],
      /tasks\.jsonl:2: the schema .*schema\.json cannot be used: .*nonsense/,
    ],
  ])('is named before anything runs: %s', async (_, wrong, flags, sentence) => {
    await using place = await openBatchPlace({ 'schema.json': TYPE });
    await using model = await fakeModel([]);
    await place.workspace.write('tasks.jsonl', jsonl([{ prompt: 'x' }, { prompt: 'x', ...wrong }]));
    const result = await place.run(['run', 'tasks.jsonl', ...flags], { model });
    expect([result.code, result.stdout, result.stderr]).toEqual([42, '', expect.stringMatching(sentence)]);
    expect(model.requests).toHaveLength(0);
  });

  it('names a repository that cannot be cloned, and goes on with the others', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace();
    await using model = await fakeModel(() => say('ok'));
    const tasks = [
      { id: 'b', prompt: 'x' },
      { id: 'd', prompt: 'x', repo: 'file:///no/such/repository' },
    ];
    await place.workspace.write('tasks.jsonl', jsonl(tasks));
    const { lines } = await place.run(['run', 'tasks.jsonl', '-o', 'jsonl'], { model });
    const { message } = lines.find(({ id }) => id === 'd')?.['error'] as { message: string };
    expect(message).toContain("'/no/such/repository' does not appear to be a git repository");
    expect(lines.find(({ id }) => id === 'b')).toMatchObject({ status: 'success' });
  });

  it('leaves files out that a worktree would lack', { tags: 'wide' }, async () => {
    await using place = await openBatchPlace({ 'a.ts': 'a\n' });
    await using model = await fakeModel(() => say('ok'));
    await place.workspace.write('b.ts', 'b\n');
    const words = ['run', '--over', '*.ts', '--prompt', 'Fix {{file}}', '-o', 'jsonl'];
    const { lines, stderr } = await place.run(words, { model });
    expect(lines.map(({ id, status }) => [id, status])).toEqual([['a.ts', 'success']]);
    expect(stderr).toContain('warning: left out 1 file not in the commit HEAD: b.ts.');
    expect((await place.run([...words, '--in-place'], { model })).lines).toHaveLength(2);
  });
});

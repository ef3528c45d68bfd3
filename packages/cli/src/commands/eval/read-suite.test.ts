import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { causeOf } from './failure-cause.ts';
import { fillPrompt, readSuite } from './read-suite.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function suite(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'castor-suite-'));
  folders.push(folder);
  for (const [path, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const ONE = { 'tasks/one/prompt.md': 'Do it.\n', 'tasks/one/check.sh': 'true\n' };

describe('readSuite', () => {
  it('reads tasks, prompts and settings', () => {
    const folder = suite({
      ...ONE,
      'tasks/two/task.json': '{"prompt": "Other", "check": "npm test", "limits": {"turns": 3}}',
      'tasks/two/files/a.txt': 'a',
      'prompts/careful.md': 'Be careful.',
      'prompts/plain.md': '{{prompt}}',
      'suite.json': '{"models": ["x/y"], "tries": 3, "flags": ["-y"], "folder": "..", "limits": {"time": 9}}',
    });
    const read = readSuite(folder);
    expect(read).toMatchObject({ models: ['x/y'], tries: 3, flags: ['-y'] });
    expect(read.tasks.map(({ name, task }) => [name, task.prompt, task.check, task.limits])).toEqual([
      ['one', 'Do it.', `sh '${folder}/tasks/one/check.sh'`, { time: 9 }],
      ['two', 'Other', 'npm test', { turns: 3 }],
    ]);
    expect(read.tasks[0]?.task.place).toEqual({ kind: 'folder', folder: dirname(folder) });
    expect(read.prompts.map((prompt) => fillPrompt(prompt, 'P'))).toEqual(['Be careful.\n\nP', 'P']);
  });

  it('begins at the top of its repository, and needs one', () => {
    const inside = suite({ 'evals/tasks/a/prompt.md': 'x', 'evals/tasks/a/check.sh': 'true' });
    expect(readSuite(join(inside, 'evals')).tasks[0]?.task.place).toEqual({ kind: 'folder', folder: inside });
    rmSync(join(inside, '.git'), { recursive: true });
    expect(() => readSuite(join(inside, 'evals'))).toThrow(/tasks\/a: the suite is in no git repository\./);
  });

  it('gives a task the same fingerprint everywhere, and another when it changes', () => {
    const of = (files: Record<string, string>) => readSuite(suite(files)).tasks[0]?.fingerprint;
    const same = of(ONE);
    expect(of(ONE)).toBe(same);
    expect(of({ ...ONE, 'tasks/one/check.sh': 'false\n' })).not.toBe(same);
    expect(of({ ...ONE, 'tasks/one/files/a': '1' })).not.toBe(same);
    expect(of({ ...ONE, 'suite.json': '{"tries": 5, "models": ["m"]}' })).toBe(same);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no tasks', { 'suite.json': '{}' }, /is not a suite: it has no folder tasks\//],
    ['an empty one', { 'tasks/readme': '' }, /holds no task/],
    ['no check', { 'tasks/one/prompt.md': 'x' }, /tasks\/one: the check is missing\. Write check\.sh/],
    ['no prompt', { 'tasks/one/check.sh': 'x' }, /tasks\/one: "prompt" is missing\./],
    ['an odd name', { 'tasks/a b/prompt.md': 'x' }, /"a b" is not a valid name/],
    ['an unknown setting', { ...ONE, 'suite.json': '{"model": "x"}' }, /suite\.json: "model" is an unknown field/],
    ['bad JSON', { ...ONE, 'suite.json': '{' }, /suite\.json: the file is not valid JSON/],
    ['a bad number', { ...ONE, 'suite.json': '{"tries": 0}' }, /"tries" must be a whole number/],
    ['a model of a task', { ...ONE, 'tasks/one/task.json': '{"model": "x"}' }, /"model" belongs to the suite/],
    ['an unknown field', { ...ONE, 'tasks/one/task.json': '{"chek": "x"}' }, /task\.json: "chek" is an unknown field/],
  ])('names what is wrong: %s', (_, files, sentence) => {
    expect(() => readSuite(suite(files))).toThrow(sentence);
  });
});

describe('causeOf', () => {
  const result = { id: 'x', cost_usd: 0, tokens: 0, tries: 1, ended_at: '' };
  const plain = (text: string) => text;

  it('is the last line of the check, without what differs between tries', () => {
    const check = join(
      suite({ 'check.txt': 'noise\nError in /tmp/a1/work/x.1/file.ts:12: took 3.5 s (id 9f8e7d6c)\n' }),
      'check.txt',
    );
    const failed = { ...result, status: 'check_failed' as const, files: { check } };
    expect(causeOf(failed, plain)).toBe('check: Error in …/file.ts:#: took # s (id #)');
  });

  it('is the exit code of a silent check, and the error of a run', () => {
    const silent = { ...result, status: 'check_failed' as const, check: { command: 'c', exit_code: 3 } };
    expect(causeOf(silent, plain)).toBe('check: exit code 3');
    const failed = {
      ...result,
      status: 'failed' as const,
      error: { type: 'BudgetError', message: 'After 7 turns.\nMore' },
    };
    expect(causeOf(failed, plain)).toBe('BudgetError: After # turns.');
    expect(causeOf({ ...result, status: 'success' }, plain)).toBeUndefined();
  });

  it('holds no key', () => {
    const failed = { ...result, status: 'failed' as const, error: { type: 'E', message: 'rejected hunter22secret' } };
    expect(causeOf(failed, (text) => text.replace('hunter22secret', '***'))).toBe('E: rejected ***');
  });
});

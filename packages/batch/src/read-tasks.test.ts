import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCsv } from './csv.ts';
import { readTaskFile, tasksOfRepositories, tasksOver } from './read-tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'castor-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const defaults = { directory: '/work' };

describe('a CSV file', () => {
  it.each<[string, string, string[][]]>([
    [
      'plain rows',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF, a BOM and no last line break',
      '\uFEFFa,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['quotes with commas, quotes and breaks', 'a\n"x, ""y""\nz"\n', [['a'], ['x, "y"\nz']]],
    [
      'empty fields and empty lines',
      'a,b\n\n,\n',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
  ])('is read with %s', (_, text, rows) => {
    expect(parseCsv(text).map(({ fields }) => fields)).toEqual(rows);
  });

  it('counts lines inside quotes', () => {
    expect(parseCsv('a\n"x\ny"\nb\n').map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  it('names the line of a quote without an end', () => {
    expect(() => parseCsv('a\n"x\n')).toThrow('a quoted field has no end.');
    const path = file('open.csv', 'a\n"x\n');
    expect(() => readTaskFile(path, defaults)).toThrow('open.csv:2: a quoted field has no end.');
    const misspelt = file('misspelt.csv', 'id,title\na,x\n');
    const prompt = 'Triage {{titel}}';
    expect(() => readTaskFile(misspelt, { ...defaults, prompt })).toThrow(
      'it names {{titel}}, and the columns are: id, title.',
    );
  });

  it('fills every column into the prompt, once', () => {
    const path = file('a.csv', 'id,who,env\none,{{id}},A B\n');
    const [task] = readTaskFile(path, { ...defaults, prompt: 'Greet {{who}} and {{ id }}' });
    expect(task).toMatchObject({ id: 'one', prompt: 'Greet {{id}} and one', environment: ['A', 'B'] });
  });
});

it('takes a priority, and leaves words in such a column of a CSV file to the prompt', () => {
  const rows = file('priority.csv', 'id,priority\na,-3\nb,high\nc,\n');
  const tasks = readTaskFile(rows, { ...defaults, prompt: 'Triage {{priority}}' });
  expect(tasks.map(({ prompt, priority }) => [prompt, priority])).toEqual([
    ['Triage -3', -3],
    ['Triage high', undefined],
    ['Triage ', undefined],
  ]);
  expect(readTaskFile(file('priority.jsonl', '{"prompt":"a","priority":10}\n'), defaults)[0]?.priority).toBe(10);
  for (const priority of ['11', '0.5', '"1"'])
    expect(() => readTaskFile(file('wrong.jsonl', `{"prompt":"a","priority":${priority}}\n`), defaults)).toThrow(
      'wrong.jsonl:1: "priority" must be a whole number from -10 to 10.',
    );
});

describe('a JSONL file', () => {
  it('gives tasks with numbers, folders beside the file, and the defaults', () => {
    const path = file(
      'a.jsonl',
      '{"prompt":"a"}\n\n{"id":"x","prompt":"b","folder":"sub","limits":{"cost":1},"tries":3}\n',
    );
    expect(readTaskFile(path, { ...defaults, check: 'true', limits: { turns: 5 } })).toEqual([
      {
        ...{
          id: 't1',
          prompt: 'a',
          place: { kind: 'folder', folder: '/work' },
          check: 'true',
          files: [],
          environment: [],
        },
        ...{ limits: { turns: 5 }, tries: 1, labels: [] },
      },
      {
        ...{ id: 'x', prompt: 'b', place: { kind: 'folder', folder: join(folder, 'sub') }, check: 'true', files: [] },
        ...{ environment: [], limits: { turns: 5, cost: 1 }, tries: 3, labels: [] },
      },
    ]);
  });

  it.each<[string, string, string]>([
    ['no JSON', '{"prompt":"a"}\nnope\n', 'bad.jsonl:2: the line is not valid JSON'],
    ['a list', '[]\n', 'bad.jsonl:1: the line is not an object.'],
    ['no prompt', '{"id":"a"}\n', 'bad.jsonl:1: "prompt" is missing.'],
    ['an unknown field', '{"prompt":"a","promt":"b"}\n', 'bad.jsonl:1: "promt" is an unknown field. A task has: id, '],
    ['a path as id', '{"id":"../x","prompt":"a"}\n', 'bad.jsonl:1: "../x" is not a valid id'],
    ['two places', '{"prompt":"a","folder":"b","repo":"c"}\n', 'give "folder" or "repo", not both.'],
    [
      'a value instead of a name',
      '{"prompt":"a","env":["A=1"]}\n',
      '"env" holds names of variables, never values; "A=…"',
    ],
    ['half a try', '{"prompt":"a","tries":0.5}\n', '"tries" must be a whole number from 1 to 100.'],
    ['an unknown limit', '{"prompt":"a","limits":{"money":1}}\n', '"limits.money" is unknown.'],
    ['a negative limit', '{"prompt":"a","limits":{"cost":-1}}\n', '"limits.cost" must be a number above 0.'],
    [
      'the same id twice',
      '{"id":"a","prompt":"a"}\n{"id":"a","prompt":"b"}\n',
      'bad.jsonl:2: the id "a" is that of bad.jsonl:1 already.',
    ],
    ['a schema that is missing', '{"prompt":"a"}\n{"prompt":"b","schema":"none.json"}\n', 'bad.jsonl:2: the schema '],
    ['a null character', '{"prompt":"a\\u0000b"}\n', 'bad.jsonl:1: a text holds a null character'],
    ['half an object', '{oops\n', 'in JSON at position 1). Write one'],
    ['nothing', '\n', 'bad.jsonl: the file holds no task.'],
  ])('is refused with %s, by file and line', (_, text, words) => {
    const path = file('bad.jsonl', text);
    expect(() => readTaskFile(path, defaults)).toThrow(words);
  });
});

describe('one prompt', () => {
  it('over files names each, or refers to it where the prompt does not', () => {
    const named = tasksOver(['a.ts', 'b.ts'], 'Fix {{file}}', defaults);
    expect(named.map(({ id, prompt, files }) => [id, prompt, files])).toEqual([
      ['a.ts', 'Fix a.ts', []],
      ['b.ts', 'Fix b.ts', []],
    ]);
    const odd = tasksOver(['src/a b.ts', 'src/a/b.ts', 'src/a-b.ts', '.x', 'ä'], 'Fix {{file}}', defaults);
    expect(odd.map(({ id }) => id)).toEqual(['src-a-b.ts', 't2-src-a-b.ts', 't3-src-a-b.ts', 'x', 't5']);
    expect(tasksOver(['a.ts'], 'Fix it', defaults)[0]?.files).toEqual(['a.ts']);
  });

  it('names no place that nothing fills', () => {
    const prompt = 'Fix {{foo}}';
    const path = file('a.jsonl', '{"id":"a"}\n');
    expect(() => readTaskFile(path, { ...defaults, prompt })).toThrow('--prompt: it names {{foo}}, and a.jsonl has no');
    expect(() => tasksOver(['a.ts'], prompt, defaults)).toThrow('--over fills {{file}} only.');
    expect(() => tasksOfRepositories(file('r.txt', '../a\n'), prompt, defaults)).toThrow(
      '--repos fills {{repo}} only.',
    );
    // A prompt of its own may contain anything.
    expect(readTaskFile(file('b.jsonl', '{"prompt":"{{foo}}"}\n'), defaults)[0]?.prompt).toBe('{{foo}}');
  });

  it('is refused with a column that is there twice', () => {
    expect(() => readTaskFile(file('a.csv', 'who,b,who\n1,2,3\n'), { ...defaults, prompt: 'x' })).toThrow(
      'a.csv:1: there are two columns "who".',
    );
  });

  it('over repositories takes URLs, folders, refs and comments', () => {
    const path = file(
      'repos.txt',
      '# ours\nhttps://example.org/a/one.git main\n../one # a copy\ngit@example.org:b/two.git\n',
    );
    const tasks = tasksOfRepositories(path, 'Update {{repo}}', defaults);
    expect(tasks.map(({ id, prompt, place, ref }) => ({ id, prompt, place, ref }))).toEqual([
      {
        id: 'one',
        prompt: 'Update one',
        place: { kind: 'repository', url: 'https://example.org/a/one.git' },
        ref: 'main',
      },
      {
        id: 'one-2',
        prompt: 'Update one',
        place: { kind: 'folder', folder: join(folder, '..', 'one') },
        ref: undefined,
      },
      {
        id: 'two',
        prompt: 'Update two',
        place: { kind: 'repository', url: 'git@example.org:b/two.git' },
        ref: undefined,
      },
    ]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Output } from '../../output.ts';
import { FORMAT, readResults, writeResults } from './eval-results.ts';
import type { EvalResults, EvalRun } from './eval-results.ts';
import { compareFiles, showResults } from './eval-show.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'castor-eval-'));
  folders.push(path);
  return path;
}

/** Passes of each task, by its name: `[passed, tries]`. */
type Passes = Record<string, [number, number]>;

function results(passes: Passes, more: Partial<EvalResults> & { model?: string; factor?: number } = {}): EvalResults {
  const { model = 'm', factor = 1, ...about } = more;
  const runs = Object.entries(passes).flatMap(([task, [passed, tries]], index) =>
    Array.from({ length: tries }, (_, at): EvalRun => {
      const status = at < passed ? 'success' : 'check_failed';
      const amounts = { cost_usd: 0.01 * factor, tokens: 100 * factor * (index + 1), turns: 2, duration_ms: 1000 };
      const cause = status === 'success' ? {} : { cause: 'check: exit code 1' };
      return { task, model, prompt: 'plain', try: at + 1, status, ...cause, ...amounts };
    }),
  );
  const tasks = Object.fromEntries(Object.keys(passes).map((task) => [task, 'same']));
  const head = { suite: 's', created_at: '2026-01-01T00:00:00Z', castor: '0', models: [model], prompts: ['plain'] };
  return { format: FORMAT, ...head, tries: 1, tasks, runs, ...about };
}

async function run(command: typeof compareFiles, argv: readonly string[], cwd: string) {
  const [out, notes]: [string[], string[]] = [[], []];
  const output = { answer: async (text: string) => void out.push(text), note: (text: string) => void notes.push(text) };
  const code = await command(argv, { output: output as unknown as Output, cwd });
  return { code, stdout: out.join(''), stderr: notes.join('\n') };
}

async function compared(before: EvalResults, after: EvalResults, flags: readonly string[] = []) {
  const cwd = folder();
  writeResults(join(cwd, 'a.json'), before);
  writeResults(join(cwd, 'b.json'), after);
  return run(compareFiles, ['a.json', 'b.json', ...flags], cwd);
}

const many = (count: number, passes: [number, number]): Passes =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, passes]));

describe('castor eval compare', () => {
  it('fails where tasks pass less often than noise explains', async () => {
    const { code, stdout, stderr } = await compared(results(many(8, [1, 1])), results(many(8, [0, 1])));
    expect([code, stderr]).toEqual([1, 'castor: regression: m with plain passes less often.']);
    expect(stdout).toContain('passed  100 % → 0 %  WORSE beyond noise (p = 0.008, limit 0.05)');
    expect(stdout).toContain('t0  1/1 → 0/1  within noise (p = 1.000)');
  });

  it('succeeds where tasks pass more often, and says so', async () => {
    const { code, stdout } = await compared(results(many(8, [0, 1])), results(many(8, [1, 1])));
    expect(code).toBe(0);
    expect(stdout).toContain('BETTER beyond noise');
  });

  it('takes two flips of ten tasks for noise', async () => {
    const before = { ...many(10, [1, 1]), t1: [0, 1] } satisfies Passes;
    const after = { ...many(10, [1, 1]), t2: [0, 1] } satisfies Passes;
    const { code, stdout } = await compared(results(before), results(after));
    expect(code).toBe(0);
    expect(stdout).toContain('passed  90 % → 90 %  no difference beyond noise');
  });

  it('finds the one task that got worse in many tries', async () => {
    const { code, stderr } = await compared(results(many(20, [8, 8])), results({ ...many(20, [8, 8]), t3: [0, 8] }));
    expect([code, stderr]).toContain(1);
    expect(stderr).toContain('m with plain no longer passes in t3.');
  });

  it('with --strict fails on one task of a suite that does not vary', async () => {
    const [before, after] = [results(many(10, [1, 1])), results({ ...many(10, [1, 1]), t4: [0, 1] })];
    expect((await compared(before, after)).code).toBe(0);
    const { code, stderr } = await compared(before, after, ['--strict']);
    expect([code, stderr]).toEqual([1, 'castor: regression: m with plain no longer passes in t4.']);
  });

  it('fails on a cost only where it is asked to', async () => {
    const [before, after] = [results(many(6, [1, 1])), results(many(6, [1, 1]), { factor: 2 })];
    const { code, stdout } = await compared(before, after);
    expect(code).toBe(0);
    expect(stdout).toContain('cost    +100 % (95 %: +100 % to +100 %)  more beyond noise');
    const strict = await compared(before, after, ['--fail-on', 'pass,cost']);
    expect([strict.code, strict.stderr]).toEqual([1, 'castor: regression: m with plain needs more cost.']);
  });

  it('leaves out tasks that changed', async () => {
    const after = results({ a: [0, 1], b: [1, 1] });
    const { stdout, code } = await compared(results({ a: [1, 1], b: [1, 1], c: [1, 1] }), {
      ...after,
      tasks: { a: 'other', b: 'same' },
    });
    expect([code, stdout]).toContain(0);
    expect(stdout).toContain('Not compared, the task itself changed: a');
    expect(stdout).toContain('Only in the first: c');
  });

  it('compares two models of one file', async () => {
    const cwd = folder();
    const [one, two] = [results(many(8, [1, 1])), results(many(8, [0, 1]), { model: 'n' })];
    writeResults(join(cwd, 'a.json'), { ...one, runs: [...one.runs, ...two.runs] });
    const { code, stdout } = await run(compareFiles, ['a.json#m', 'a.json#n', '-o', 'json'], cwd);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { comparisons: [{ before: { model: 'm' }, after: { model: 'n' }, passed: { direction: 'worse' } }] },
    ]);
  });

  it.each<[string, string[], RegExp]>([
    ['one file', ['a.json'], /Name two files/],
    ['a missing file', ['a.json', 'no.json'], /no\.json: the file does not exist\./],
    ['another file', ['a.json', 'other.json'], /holds no results of castor eval/],
    ['a damaged run', ['a.json', 'bad.json'], /run 1 is invalid/],
    ['an unknown model', ['a.json#x', 'a.json'], /a\.json has no run of x; it has: m#plain\./],
    ['an unknown amount', ['a.json', 'a.json', '--fail-on', 'beauty'], /--fail-on takes pass, cost/],
    ['an impossible limit', ['a.json', 'a.json', '--alpha', '2'], /--alpha must be/],
  ])('names what is wrong: %s', async (_, argv, sentence) => {
    const cwd = folder();
    writeResults(join(cwd, 'a.json'), results({ a: [1, 1] }));
    writeFileSync(join(cwd, 'other.json'), '{}');
    writeFileSync(join(cwd, 'bad.json'), JSON.stringify({ format: FORMAT, tasks: {}, runs: [{ task: 'a' }] }));
    await expect(run(compareFiles, argv, cwd)).rejects.toThrow(sentence);
  });
});

describe('castor eval show', () => {
  it('shows rates with intervals, pass@k, failures by cause and flips', async () => {
    const cwd = folder();
    writeResults(join(cwd, 'a.json'), { ...results({ a: [4, 4], b: [1, 4], c: [0, 4] }), tries: 4 });
    const { stdout } = await run(showResults, ['a.json'], cwd);
    expect(stdout).toContain('s: 3 tasks, 4 tries each');
    expect(stdout).toMatch(/passed +rate +95 % +pass@2 +pass@3 +pass@4 +cost\/try +cost\/pass/);
    expect(stdout).toMatch(/m +plain +5\/12 +41\.7 % +\d+–\d+ % +50 % +58\.3 % +66\.7 % +\$0\.01 +\$0\.02/);
    expect(stdout).toContain('  7×  check: exit code 1  (b, c)');
    expect(stdout).toContain('Tasks that flip between tries:\n  b  1 of 4 passed');
  });

  it('shows models in the order they were asked for', async () => {
    const cwd = folder();
    const [first, second] = [results({ a: [1, 1] }, { model: 'z' }), results({ a: [1, 1] }, { model: 'b' })];
    writeResults(join(cwd, 'a.json'), { ...first, models: ['z', 'b'], runs: [...second.runs, ...first.runs] });
    const { stdout } = await run(showResults, ['a.json'], cwd);
    expect(stdout.match(/^[zb] +plain/gm)?.map(([name]) => name)).toEqual(['z', 'b']);
  });

  it('does not count what was not judged', async () => {
    const cwd = folder();
    const base = results({ a: [1, 1], b: [1, 1] });
    const runs = base.runs.map((each) => (each.task === 'b' ? { ...each, status: 'budget' as const } : each));
    writeResults(join(cwd, 'a.json'), { ...base, runs });
    const { stdout } = await run(showResults, ['a.json'], cwd);
    expect(stdout).toMatch(/m +plain +1\/1 +100 %/);
    expect(stdout).toContain('1 try not judged');
  });
});

describe('a file of results', () => {
  it('is read as it was written, one line for each run in the order of names', () => {
    const path = join(folder(), 'deep', 'a.json');
    const given = results({ b: [1, 2], a: [1, 1] });
    writeResults(path, given);
    expect(readResults(path).runs.map(({ task, try: number }) => `${task}${number}`)).toEqual(['a1', 'b1', 'b2']);
    expect({ ...readResults(path), runs: [] }).toEqual({ ...given, runs: [] });
  });
});

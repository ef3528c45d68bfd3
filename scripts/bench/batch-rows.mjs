/** Rows of `castor batch`: what a task costs beyond `castor -p` alone, and the memory and CPU of the process that runs them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from './processes.mjs';
import { difference, limit, sum } from './table.mjs';

const CASTOR = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const MODEL = ['--model', 'gemini-2.5-short'];
/** One after the other: a batch of many less a batch of one, by task. */
const TASKS = 21;
/** Four at a time, for the process that supervises them. */
const MANY = 100;

export async function measureBatch(model, rounds = 5) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    return await measureIn(folder, model, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(home, model, rounds) {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd: home });
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gitignore'), '.*\n*.jsonl\n');
  for (const count of [1, TASKS, MANY]) writeFileSync(join(home, `${count}.jsonl`), '{"prompt":"hi"}\n'.repeat(count));
  git('init', '--quiet');
  git('add', '--all', '--force', '.gitignore');
  git('commit', '--quiet', '--message', 'first');
  const env = { PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: model.url };
  const batch = (count, atOnce) => [
    CASTOR,
    'batch',
    'run',
    `${count}.jsonl`,
    '--concurrency',
    String(atOnce),
    '-o',
    'json',
    '--',
    ...MODEL,
  ];
  const samples = { alone: [], one: [], some: [], many: [] };
  const programs = { alone: [CASTOR, ...MODEL, '-p', 'hi'], one: batch(1, 1), some: batch(TASKS, 1) };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const sample = await measure(name, program, { model, env, isQuiet: true });
      if (round > 0) samples[name].push(sample);
    }
  }
  const task = samples.some.map((sample, index) => ({
    wallMs: (sample.wallMs - samples.one[index].wallMs) / (TASKS - 1),
  }));
  samples.many.push(await measure('many', batch(MANY, 4), { model, env, usage: true, isQuiet: true }));
  return {
    notes: [`batch: ${TASKS} tasks in worktrees of a small repository; ${rounds} rounds, judged by the smallest`],
    rows: [
      difference('a task, wall − castor -p alone', 'ms', sum(task, 'wallMs'), sum(samples.alone, 'wallMs'), 40),
      limit(`${MANY} tasks, four at a time: peak of the supervisor`, 'MB', sum(samples.many, 'peakMb'), undefined, 120),
      limit('the same, its CPU for a task', 'ms', scaled(sum(samples.many, 'cpuMs'), MANY)),
    ],
  };
}

function scaled({ min, median }, count) {
  return { min: min / count, median: median / count };
}

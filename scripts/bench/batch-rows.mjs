/**
 * Rows of `castor batch`: what a task costs beyond `castor -p` alone, embedded and on a queue in Postgres; the memory and CPU of the process
 * that supervises many; how fast a queue gives out tasks. CASTOR_BENCH_TASKS sets how many.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, findRedis, startPostgres, startRedis } from '../../packages/queue-bullmq/src/servers.fixture.ts';
import { measure, runProgram } from './processes.mjs';
import { atLeast, difference, limit, sum } from './table.mjs';

const CASTOR = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const CLAIMS = fileURLToPath(new URL('queue-claims.mjs', import.meta.url));
const MODEL = ['--model', 'gemini-2.5-short'];
/** One after the other: a batch of many less a batch of one, by task. */
const TASKS = 21;
/** Four at a time, for the process that supervises them. */
const MANY = Number(process.env.CASTOR_BENCH_TASKS ?? 2_000);
const CLAIM_ROUNDS = 3;

export async function measureBatch(model, rounds = 5) {
  const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    makeRepository(home);
    const env = { PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: model.url };
    const embedded = await measureEmbedded(model, env, rounds);
    const queues = await measureQueues(model, env, embedded.alone, rounds);
    const head = `batch: ${TASKS} tasks in worktrees of a small repository; ${rounds} rounds, judged by the smallest`;
    return { notes: [head, ...queues.notes], rows: [...embedded.rows, ...queues.rows] };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function makeRepository(home) {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd: home });
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gitignore'), '.*\n*.jsonl\n');
  for (const count of [1, TASKS, MANY]) writeFileSync(join(home, `${count}.jsonl`), '{"prompt":"hi"}\n'.repeat(count));
  git('init', '--quiet');
  git('add', '--all', '--force', '.gitignore');
  git('commit', '--quiet', '--message', 'first');
}

async function measureEmbedded(model, env, rounds) {
  const batch = (count, atOnce) => [
    ...[CASTOR, 'batch', 'run', `${count}.jsonl`, '--concurrency', String(atOnce), '-o', 'json', '--'],
    ...MODEL,
  ];
  const samples = { alone: [], one: [], some: [] };
  const programs = { alone: [CASTOR, ...MODEL, '-p', 'hi'], one: batch(1, 1), some: batch(TASKS, 1) };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, program] of Object.entries(programs)) {
      const sample = await measure(name, program, { model, env, isQuiet: true });
      if (round > 0) samples[name].push(sample);
    }
  }
  const alone = sum(samples.alone, 'wallMs');
  const many = await measure('many', batch(MANY, 4), { model, env, usage: true, isQuiet: true });
  const share = (many.cpuMs / many.wallMs) * 100;
  return {
    alone,
    rows: [
      difference('a task, wall − castor -p alone', 'ms', sum(perTask(samples.some, samples.one)), alone, 40),
      limit(`${MANY} tasks, four at a time: peak of the supervisor`, 'MB', sum([many.peakMb]), undefined, 120),
      limit('the same, its CPU', '%', sum([share]), undefined, 5),
      limit('the same, its CPU for a task', 'ms', sum([many.cpuMs / MANY])),
    ],
  };
}

async function measureQueues(model, env, alone, rounds) {
  const notes = [];
  const rows = [];
  if (findPostgres() === undefined) notes.push('batch: no Postgres for this system, so its rows are missing');
  else {
    const server = await startPostgres({ isDurable: true });
    try {
      rows.push(await measureOverhead(model, { ...env, CASTOR_QUEUE: server.url }, alone, rounds));
      rows.push(...(await measureClaims('Postgres', server.url)));
    } finally {
      await server[Symbol.asyncDispose]();
    }
  }
  if (findRedis() === undefined) notes.push('batch: no redis-server or valkey-server here, so its rows are missing');
  else {
    const server = await startRedis();
    try {
      rows.push(...(await measureClaims('Redis', server.url)));
    } finally {
      await server[Symbol.asyncDispose]();
    }
  }
  return { notes, rows };
}

async function measureOverhead(model, env, alone, rounds) {
  const samples = { one: [], some: [] };
  const worker = [CASTOR, 'worker', '--concurrency', '1', '--until-idle'];
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, count] of [
      ['one', 1],
      ['some', TASKS],
    ]) {
      const submit = [CASTOR, 'batch', 'run', `${count}.jsonl`, '--detach', '--', ...MODEL];
      execFileSync(process.execPath, submit, { cwd: env.HOME, env, stdio: 'ignore' });
      const sample = await measure(name, worker, { model, env, isQuiet: true });
      if (round > 0) samples[name].push(sample);
    }
  }
  const task = sum(perTask(samples.some, samples.one));
  return difference('a task on Postgres, wall − castor -p alone', 'ms', task, alone, 80);
}

async function measureClaims(name, url) {
  const rates = [];
  for (let round = 0; round < CLAIM_ROUNDS; round += 1) rates.push(await runProgram(CLAIMS, [url]));
  return [
    atLeast(`claims on ${name}, eight claimers`, '/s', sum(rates, 'claim'), 300),
    limit(`settlements on ${name}`, '/s', sum(rates, 'settle')),
  ];
}

function perTask(some, one) {
  return some.map(({ wallMs }, index) => (wallMs - one[index].wallMs) / (TASKS - 1));
}

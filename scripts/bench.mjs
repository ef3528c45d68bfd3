/**
 * `npm run bench`: how far we are from the floors, as ratios taken in one run, so
 * that they mean the same on any machine. Rounds are interleaved, so that noise
 * falls on all alike. Wall time is measured without the preload that reports CPU.
 */

import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CASTOR = join(HERE, '..', 'packages', 'cli', 'bin', 'castor.cjs');
const FLOOR = join(HERE, 'bench', 'floor.mjs');
const USAGE = join(HERE, 'bench', 'usage.cjs');

const rounds = Number(process.argv[2] ?? 20);
const longRounds = Math.max(3, Math.ceil(rounds / 4));

const server = fork(join(HERE, 'bench', 'server.mjs'));
const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
let onArrival = () => {};
const url = await new Promise((resolve) => {
  server.on('message', ({ port, arrived }) => {
    if (port) resolve(`http://127.0.0.1:${port}`);
    else onArrival(arrived);
  });
});

const env = { PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: url };
const PROGRAMS = {
  empty: ['-e', '0'],
  version: [CASTOR, '--version'],
  start: [join(HERE, 'run.mjs'), 'start', '--version'],
  floorShort: [FLOOR, url, 'short'],
  castorShort: [CASTOR, '--model', 'short', '-p', 'hi'],
  floorLong: [FLOOR, url, 'long'],
  castorLong: [CASTOR, '--model', 'long', '-p', 'hi'],
};

/** Runs a program to its end; with `usage`, what it used instead of how long it took. */
function measure(name, { usage = false } = {}) {
  const started = performance.timeOrigin + performance.now();
  let firstRequestMs;
  onArrival = (arrived) => (firstRequestMs ??= arrived - started);
  const args = usage ? ['-r', USAGE, ...PROGRAMS[name]] : PROGRAMS[name];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', usage ? 'pipe' : 'ignore'] });
  let bytes = 0;
  let report = '';
  child.stdout.on('data', (chunk) => (bytes += chunk.length));
  child.stdio[3]?.on('data', (chunk) => (report += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wallMs = performance.timeOrigin + performance.now() - started;
      if (code !== 0) reject(new Error(`${name} ended with ${code}`));
      else resolve({ wallMs, bytes, firstRequestMs, ...(usage && JSON.parse(report)) });
    });
  });
}

async function interleave(count, names, options) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await measure(name, options);
  for (let round = 0; round < count; round++) {
    for (const name of names) samples[name].push(await measure(name, options));
  }
  return samples;
}

function sum(samples, key) {
  const sorted = samples.map((sample) => sample[key]).sort((left, right) => left - right);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)] };
}

function ratio(what, unit, ours, floor, target) {
  return {
    what,
    unit,
    ours,
    floor,
    target: `≤ ${target.toFixed(1)} ×`,
    reached: ours.min / floor.min,
    median: ours.median / floor.median,
    ok: ours.min / floor.min <= target,
    sign: '×',
  };
}

function difference(what, unit, ours, floor, target) {
  return {
    what,
    unit,
    ours,
    floor,
    target: `≤ + ${target}`,
    reached: ours.min - floor.min,
    median: ours.median - floor.median,
    ok: ours.min - floor.min <= target,
    sign: unit,
  };
}

try {
  const wall = await interleave(rounds, ['empty', 'version', 'start', 'floorShort', 'castorShort']);
  const short = await interleave(rounds, ['floorShort', 'castorShort'], { usage: true });
  const long = await interleave(longRounds, ['floorLong', 'castorLong'], { usage: true });
  if (long.floorLong[0].bytes !== long.castorLong[0].bytes) throw new Error('The long answers differ.');
  print([
    ratio('castor --version, wall / A', 'ms', sum(wall.version, 'wallMs'), sum(wall.empty, 'wallMs'), 1.5),
    difference('npm start, its own set-up', 'ms', sum(wall.start, 'wallMs'), sum(wall.version, 'wallMs'), 100),
    ratio('first request, wall / A', 'ms', sum(wall.castorShort, 'firstRequestMs'), sum(wall.empty, 'wallMs'), 2.5),
    ratio('short answer, wall / B', 'ms', sum(wall.castorShort, 'wallMs'), sum(wall.floorShort, 'wallMs'), 1.4),
    ratio('short answer, CPU / B', 'ms', sum(short.castorShort, 'cpuMs'), sum(short.floorShort, 'cpuMs'), 1.4),
    ratio('20,000 frames, CPU / B', 'ms', sum(long.castorLong, 'cpuMs'), sum(long.floorLong, 'cpuMs'), 2),
    difference('20,000 frames, peak − B', 'MB', sum(long.castorLong, 'peakMb'), sum(long.floorLong, 'peakMb'), 40),
  ]);
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true });
}

function print(rows) {
  const header = ['', 'ours (min/median)', 'floor (min/median)', 'target', 'reached', 'median', ''];
  const table = [
    header,
    ...rows.map(({ what, unit, ours, floor, target, reached, median, ok, sign }) => [
      what,
      `${figure(ours.min)} / ${figure(ours.median)} ${unit}`,
      `${figure(floor.min)} / ${figure(floor.median)} ${unit}`,
      target,
      `${figure(reached, sign)} ${sign}`,
      `${figure(median, sign)} ${sign}`,
      ok ? 'ok' : 'short',
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(
    `A: node -e 0   B: scripts/bench/floor.mjs, the same stream fetched and parsed\n` +
      `Node ${process.versions.node}, ${rounds} rounds (${longRounds} of the long stream); judged by the smallest\n\n${lines.join('\n')}\n`,
  );
}

function figure(value, sign = '') {
  return value.toFixed(sign === '×' ? 2 : value < 100 ? 1 : 0);
}

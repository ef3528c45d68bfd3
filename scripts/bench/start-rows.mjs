/**
 * Rows of starting up and of one answer. Rounds are interleaved, so that noise affects all alike. Wall time is
 * measured without the preload that reports CPU.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from './processes.mjs';
import { difference, ratio, sum } from './table.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CASTOR = join(HERE, '..', '..', 'packages', 'cli', 'bin', 'castor.cjs');
const FLOOR = join(HERE, 'floor.mjs');

export async function measureStart(model, rounds = 20) {
  const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    return await measureIn(home, model, rounds);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureIn(home, model, rounds) {
  const longRounds = Math.max(3, Math.ceil(rounds / 4));
  const { url } = model;
  const env = { PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: url };
  const programs = {
    empty: ['-e', '0'],
    version: [CASTOR, '--version'],
    start: [join(HERE, '..', 'run.mjs'), 'start', '--version'],
    floorShort: [FLOOR, url, 'gemini-2.5-short'],
    castorShort: [CASTOR, '--model', 'gemini-2.5-short', '-p', 'hi'],
    floorLong: [FLOOR, url, 'gemini-2.5-long'],
    castorLong: [CASTOR, '--model', 'gemini-2.5-long', '-p', 'hi'],
    castorLogged: [CASTOR, '--model', 'gemini-2.5-long', '-p', 'hi'],
  };
  const telemetry = { GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_OUTFILE: join(home, 'telemetry.log') };
  const interleave = async (count, names, options) => {
    const environmentOf = (name) => (name === 'castorLogged' ? { ...env, ...telemetry } : env);
    const measureOne = (name) => measure(name, programs[name], { model, env: environmentOf(name), ...options });
    const samples = Object.fromEntries(names.map((name) => [name, []]));
    for (const name of names) await measureOne(name);
    for (let round = 0; round < count; round++) {
      for (const name of names) samples[name].push(await measureOne(name));
    }
    return samples;
  };

  const wall = await interleave(rounds, ['empty', 'version', 'start', 'floorShort', 'castorShort']);
  const short = await interleave(rounds, ['floorShort', 'castorShort'], { usage: true });
  const long = await interleave(longRounds, ['floorLong', 'castorLong', 'castorLogged'], { usage: true });
  if (long.floorLong[0].bytes !== long.castorLong[0].bytes) throw new Error('The long answers differ.');
  const notes = [
    'start: A is node -e 0, B is scripts/bench/floor.mjs, the same stream fetched and parsed',
    `${rounds} rounds (${longRounds} of the long stream); judged by the smallest`,
  ];
  const rows = [
    ratio('castor --version, wall / A', 'ms', sum(wall.version, 'wallMs'), sum(wall.empty, 'wallMs'), 1.5),
    difference('npm start, its own set-up', 'ms', sum(wall.start, 'wallMs'), sum(wall.version, 'wallMs'), 100),
    ratio('first request, wall / A', 'ms', sum(wall.castorShort, 'firstRequestMs'), sum(wall.empty, 'wallMs'), 2.5),
    ratio('short answer, wall / B', 'ms', sum(wall.castorShort, 'wallMs'), sum(wall.floorShort, 'wallMs'), 1.4),
    ratio('short answer, CPU / B', 'ms', sum(short.castorShort, 'cpuMs'), sum(short.floorShort, 'cpuMs'), 1.4),
    ratio('20,000 frames, CPU / B', 'ms', sum(long.castorLong, 'cpuMs'), sum(long.floorLong, 'cpuMs'), 1.5),
    ratio(
      '20,000 frames, telemetry on, CPU / B',
      'ms',
      sum(long.castorLogged, 'cpuMs'),
      sum(long.floorLong, 'cpuMs'),
      2,
    ),
    difference('20,000 frames, peak − B', 'MB', sum(long.castorLong, 'peakMb'), sum(long.floorLong, 'peakMb'), 40),
  ];
  return { notes, rows };
}

/**
 * Rows of the protocols: a hello and a long answer through each adapter, against our Gemini adapter in the same run, first
 * the adapter alone and then the whole program; and the bytes of a first request.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, measure, runProgram, startModel } from './processes.mjs';
import { limit, ratio, sum } from './table.mjs';

const CASTOR = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const PROTOCOLS = ['chat', 'responses', 'anthropic', 'ollama'];
const TARGET = 1.15;
const LARGE_KB = 12;
const COMPACT_KB = 4;
/** A window that leaves nothing out of the request. */
const LARGE_WINDOW = 200_000;
/** A window that shortens the system prompt and the tools. */
const SMALL_WINDOW = 16_000;

export async function measureProviders(_model, rounds = 10) {
  const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  const programs = await bundle(['run-protocol', 'protocol-server']);
  const model = await startModel(programs['protocol-server']);
  try {
    const adapters = await measureAdapters(model, programs['run-protocol'], rounds);
    const whole = await measureProgram(model, home, rounds);
    const notes = [
      `providers: CPU against our Gemini adapter; ${rounds} rounds, interleaved, judged by the smallest`,
      'adapter: openProvider and its stream alone; castor: the whole program, started for one prompt',
    ];
    return { notes, rows: [...adapters, ...whole] };
  } finally {
    model.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureAdapters(model, program, rounds) {
  const samples = await interleave(rounds, ['gemini', ...PROTOCOLS], (protocol) =>
    runProgram(program, [protocol, model.url]),
  );
  return PROTOCOLS.flatMap((protocol) => {
    const against = (key) => [sum(samples[protocol], key), sum(samples.gemini, key)];
    return [
      ratio(`adapter ${protocol}, hello, CPU`, 'ms', ...against('hello'), TARGET),
      ratio(`adapter ${protocol}, 20,000 pieces, CPU`, 'ms', ...against('long'), TARGET),
    ];
  });
}

async function measureProgram(model, home, rounds) {
  const env = { PATH: process.env.PATH, HOME: home, BENCH_KEY: 'bench-key', ...configure(home, model.url) };
  const names = ['gemini', ...PROTOCOLS];
  const ask = (answer) => (protocol) => {
    const named = protocol === 'gemini' ? `gemini-2.5-${answer}` : `bench-${protocol}/${answer}`;
    return measure(named, [CASTOR, '--model', named, '-p', 'hi'], { model, env, usage: true });
  };
  const short = await interleave(rounds, names, ask('short'));
  const small = await interleave(1, ['chat', 'ollama'], ask('compact'));
  const long = await interleave(Math.ceil(rounds / 2), names, ask('long'));
  const compare = (protocol, what, samples) => {
    const against = [sum(samples[protocol], 'cpuMs'), sum(samples.gemini, 'cpuMs')];
    return ratio(`castor with ${protocol}, ${what}, CPU`, 'ms', ...against, TARGET);
  };
  return [
    ...PROTOCOLS.flatMap((protocol) => [compare(protocol, 'hello', short), compare(protocol, '20,000 pieces', long)]),
    ...names.map((protocol) => limitRequest(`first request, ${protocol}`, short[protocol], LARGE_KB)),
    ...Object.entries(small).map(([protocol, samples]) =>
      limitRequest(`first request, window of 16k, ${protocol}`, samples, COMPACT_KB),
    ),
  ];
}

function limitRequest(what, samples, target) {
  const kilobytes = samples.map(({ firstRequestBytes }) => firstRequestBytes / 1024);
  return limit(what, 'KB', sum(kilobytes), undefined, target);
}

/** Writes the settings; returns the variables of the Gemini API. */
function configure(home, url) {
  const large = { contextWindow: LARGE_WINDOW };
  const models = { long: large, short: large, compact: { contextWindow: SMALL_WINDOW } };
  const providers = Object.fromEntries(
    PROTOCOLS.map((protocol) => [
      `bench-${protocol}`,
      { protocol, baseUrl: url, models, ...(protocol !== 'ollama' && { apiKeyEnv: 'BENCH_KEY' }) },
    ]),
  );
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify({ providers }));
  return { GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: url };
}

/** The first run of each is not counted. */
async function interleave(rounds, names, run) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await run(name);
  for (let round = 0; round < rounds; round++) for (const name of names) samples[name].push(await run(name));
  return samples;
}

/** Rows of MCP servers in a headless run: what ten good ones add, and ten that never answer. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from './processes.mjs';
import { difference, sum } from './table.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CASTOR = join(HERE, '..', '..', 'packages', 'cli', 'bin', 'castor.cjs');
const COUNT = 10;
const GOOD = { command: 'sh', args: [join(HERE, 'mcp-server.sh')] };
const DEAD = { command: 'sleep', args: ['600'] };
/** The shortest that the setting allows. */
const LIMIT_SECONDS = 1;

export async function measureMcp(model, rounds = 10) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    return await measureIn(folder, model, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(folder, model, rounds) {
  const homes = {
    none: createHome(join(folder, 'none'), {}),
    good: createHome(join(folder, 'good'), { mcpServers: tenOf(GOOD) }),
    dead: createHome(join(folder, 'dead'), { mcpServers: tenOf(DEAD), mcp: { startLimit: LIMIT_SECONDS } }),
  };
  const samples = { none: [], good: [], dead: [] };
  // The first round is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, home] of Object.entries(homes)) {
      const env = { PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: model.url };
      // Without a decision on the folder the servers would not start.
      const sample = await measure(name, [CASTOR, '--model', 'gemini-2.5-short', '--skip-trust', '-p', 'hi'], {
        model,
        env,
        // The servers are named on stderr: the dead ones, and those whose tools this run does not allow.
        isQuiet: name !== 'none',
      });
      if (round > 0) samples[name].push(sample);
    }
  }
  const [none, good, dead] = ['none', 'good', 'dead'].map((name) => sum(samples[name], 'wallMs'));
  const wait = { min: none.min + LIMIT_SECONDS * 1000, median: none.median + LIMIT_SECONDS * 1000 };
  return {
    notes: [`mcp: castor -p with ${COUNT} servers over stdio; ${rounds} rounds, judged by the smallest`],
    rows: [
      difference(`${COUNT} servers that answer in 50 ms, wall − none`, 'ms', good, none, 150),
      difference(`${COUNT} servers that never answer, wall − none − their limit`, 'ms', dead, wait, 150),
    ],
  };
}

function tenOf(server) {
  return Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`server${index}`, server]));
}

function createHome(home, settings) {
  mkdirSync(join(home, '.gemini'), { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  return home;
}

/**
 * Rows of Castor behind an editor: how soon `initialize` is answered, with nothing and with much configured, and how
 * soon everything has ended once the editor closes stdin. The floor is an empty Node program.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { measure } from './processes.mjs';
import { limit, sum } from './table.mjs';

const CASTOR = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));
const INITIALIZE = { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } } };
/** Nothing of it may be waited for: servers that never answer, and a hook that takes its time. */
const SLOW = {
  mcpServers: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`slow${index}`, { command: 'cat' }])),
  hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'sleep 60' }] }] },
};

export async function measureEditors(model, rounds = 20) {
  const root = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    const samples = { empty: [], plain: [], slow: [], end: [] };
    const homes = { plain: makeHome(join(root, 'plain'), {}), slow: makeHome(join(root, 'slow'), SLOW) };
    const env = (home) => ({
      ...{ PATH: process.env.PATH, HOME: home, GEMINI_API_KEY: 'bench', GOOGLE_GEMINI_BASE_URL: model.url },
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
    for (let round = -1; round < rounds; round++) {
      const empty = await measure('empty', ['-e', '0'], { model, env: env(homes.plain) });
      const plain = await greet(homes.plain, env(homes.plain));
      const slow = await greet(homes.slow, env(homes.slow));
      // The first round warms up.
      if (round < 0) continue;
      samples.empty.push(empty.wallMs);
      samples.plain.push(plain.answeredMs);
      samples.slow.push(slow.answeredMs);
      samples.end.push(slow.endedMs);
    }
    const floor = sum(samples.empty);
    return {
      notes: ['editors: the floor is node -e 0', `${rounds} rounds; judged by the smallest`],
      rows: [
        limit('initialize', 'ms', sum(samples.plain), floor, 150, 'min'),
        limit('initialize, 10 MCP servers and a hook that hang', 'ms', sum(samples.slow), floor, 150, 'min'),
        limit('everything has ended after stdin closed', 'ms', sum(samples.end), undefined, 1000, 'median'),
      ],
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function makeHome(home, settings) {
  mkdirSync(join(home, '.gemini'), { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  return home;
}

/** Starts the program, waits for `initialize` and for a session, and closes stdin. */
async function greet(home, env) {
  const started = performance.now();
  const child = spawn(process.execPath, [CASTOR, '--acp'], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, error } = JSON.parse(line);
    if (error) waiting.get(id)?.reject(new Error(line));
    else waiting.get(id)?.resolve(performance.now());
  });
  const request = (id, method, params) => {
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const ended = closed.then((code) => Promise.reject(new Error(`castor --acp ended with ${code}`)));
    return Promise.race([answered, ended]);
  };
  const answered = await request(1, 'initialize', INITIALIZE);
  await request(2, 'session/new', { cwd: home, mcpServers: [] });
  const left = performance.now();
  child.stdin.end();
  await closed;
  return { answeredMs: answered - started, endedMs: performance.now() - left };
}

/**
 * Rows of undo: the process beside the program, asked as the program asks it, in trees of 1,000 to 200,000 files. The tree
 * is text of 4.7 kB a file, ten files a folder. `npm run bench -- undo 1` for one round.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { limit } from './table.mjs';

const SESSION_UNDO = new URL('../../packages/core/dist/undo/session-undo.js', import.meta.url);
const UNDO_CLIENT = new URL('../../packages/core/dist/undo/undo-client.js', import.meta.url);
const PROCESS = fileURLToPath(new URL('../../packages/cli/dist/undo-process.cjs', import.meta.url));
const SIZES = [1000, 20_000, 50_000, 200_000];
const CHANGED = 1000;
const MEGABYTE = 1024 * 1024;
const LIMITS = {
  fileBytes: 10 * MEGABYTE,
  rebuildableBytes: 300 * MEGABYTE,
  rebuildableFiles: 60_000,
  entries: 1e6,
  totalBytes: 1e12,
};
const WORDS = readFileSync(fileURLToPath(import.meta.url), 'utf8').split(/\s+/);

export async function measureUndo(_model, rounds = 3) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-undo-'));
  try {
    const trees = [];
    for (const files of SIZES) trees.push(await measureTree(join(folder, String(files)), files, rounds));
    return {
      notes: [
        `undo: one process a tree, its first undo, ${rounds} walks, judged by the smallest; limits as in docs/undo.md`,
        'undo: "each further" is the slope from 1,000 files to 20,000: without the start of the process (decision 0098)',
      ],
      rows: [...trees.flatMap(({ rows }) => rows), ...slopeRows(trees[0], trees[1])],
    };
  } finally {
    // At the end: a file system is slow to make files where many were removed a moment ago (decision 0098).
    rmSync(folder, { recursive: true, force: true });
  }
}

function slopeRows(small, large) {
  const slope = (of, entries) => {
    const further = ((of(large) - of(small)) * 1000) / (entries * (large.files - small.files));
    return { min: further, median: further };
  };
  const first = slope(({ baseline }) => baseline.cpuMs, 1);
  const walk = slope((tree) => tree.walk.cpuMs, 1.1);
  return [
    limit('first reading, each further file, CPU', 'µs', first, undefined, 60),
    limit('a walk, each further entry, CPU', 'µs', walk, undefined, 8),
  ];
}

async function measureTree(folder, files, rounds) {
  const root = join(folder, 'work');
  const bytes = fill(root, files);
  const worker = await start();
  const store = join(folder, 'store');
  const budget = { storeBytes: 1e12, shareOfFree: 1, freeBytes: 0 };
  await worker.ask({ do: 'open', root, store, sessionId: 'bench', limits: LIMITS, exclude: [], budget });
  const timed = timedOn(worker.pid);
  const baseline = await timed(() => worker.ask({ do: 'walk' }));
  const walks = [];
  for (let round = 0; round < rounds; round++) walks.push(await timed(() => worker.ask({ do: 'walk' })));
  const count = change(root, Math.min(CHANGED, files / 2));
  const { value } = await timed(() => worker.ask({ do: 'walk' }));
  const list = value.list ? (await worker.ask({ do: 'list', list: value.list })).changes : value.changes;
  const back = list.map(([path, before, after]) => [path, after, before]);
  const undo = await timed(() => worker.ask({ do: 'apply', changes: back, files: {} }));
  if (!undo.value.isVerified || undo.value.done.length !== count) throw new Error('the undo was not complete');
  await worker.ask({ do: 'collect', points: [], sessions: ['bench'] });
  const memory = peakOf(worker.pid);
  const kept = sizeOf(join(store, 'segments'));
  await worker.end();
  const waits = await measureWaits(root, join(folder, 'session'), rounds);
  const name = `${files.toLocaleString('en-US')} files`;
  const one = (number) => ({ min: number, median: number });
  const walk = walks.toSorted((left, right) => left.cpuMs - right.cpuMs)[0];
  const rows = [
    limit(`${name}: first reading, a file, CPU`, 'µs', one((baseline.cpuMs * 1000) / files), undefined, 60),
    limit(`${name}: a walk, an entry, CPU`, 'µs', one((walk.cpuMs * 1000) / (files * 1.1)), undefined, 8),
    limit(`${name}: a walk, wall`, 'ms', one(walk.ms), undefined, files <= 20_000 ? 150 : undefined),
    limit(`${name}: added wait of a command`, 'ms', one(waits.command), undefined, files <= 20_000 ? 150 : 50),
    limit(`${name}: added wait of a command that only reads`, 'ms', one(waits.reading), undefined, 5),
    limit(`${name}: undo of ${count} files, verified, CPU`, 'ms', one(undo.cpuMs), undefined, 500),
    limit(`${name}: undo of ${count} files, verified, wall`, 'ms', one(undo.ms), undefined, 500),
    limit(`${name}: store, of the text it holds`, '%', one((kept / bytes) * 100), undefined, 45),
    limit(`${name}: memory of the process`, 'MB', one(memory), undefined, 120),
  ];
  return { files, baseline, walk, rows };
}

/**
 * What a command waits for undo, as the scheduler awaits it: the call is foreseen when the model requests it, and the
 * reading overlaps with the rest of the answer. The smallest of the rounds.
 */
async function measureWaits(root, store, rounds) {
  const { SessionUndo } = await import(SESSION_UNDO);
  const clock = {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))), { once: true });
      }),
    random: () => 0.5,
  };
  const undo = new SessionUndo({
    ...{ root, store, sessionId: 'waits', clock, exclude: [], limits: LIMITS },
    budget: { storeBytes: 1e12, shareOfFree: 1, freeBytes: 0 },
    record: () => undefined,
    tell: () => undefined,
    hasHooks: () => false,
    readsOnly: async (command) => command === 'cat',
  });
  const waitOf = async (callId, command) => {
    undo.foresee();
    await undo.settled();
    const from = performance.now();
    await undo.before({ callId, kind: 'execute', name: 'run_shell_command', args: { command } });
    const ms = performance.now() - from;
    undo.after(callId);
    return ms;
  };
  undo.begin();
  await undo.settled();
  const commands = [];
  const readings = [];
  for (let round = 0; round < rounds; round++) {
    commands.push(await waitOf(`c${round}`, 'make'));
    readings.push(await waitOf(`r${round}`, 'cat'));
  }
  await undo.dispose();
  return { command: Math.min(...commands), reading: Math.min(...readings) };
}

function fill(root, files) {
  let bytes = 0;
  let seed = 1;
  for (let index = 0; index < files; index++) {
    if (index % 10 === 0)
      mkdirSync(join(root, `d${Math.floor(index / 1000)}`, `e${Math.floor(index / 10)}`), { recursive: true });
    // Every fourth word is new: about as compressible as source code.
    const words = Array.from({ length: 640 }, (_, word) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return word % 4 === 0 ? seed.toString(36) : WORDS[seed % WORDS.length];
    });
    const text = `${index} ${words.join(' ')}`;
    bytes += text.length;
    writeFileSync(join(root, `d${Math.floor(index / 1000)}`, `e${Math.floor(index / 10)}`, `f${index}.txt`), text);
  }
  return bytes;
}

function change(root, count) {
  for (let index = 0; index < count; index++)
    writeFileSync(
      join(root, `d${Math.floor(index / 1000)}`, `e${Math.floor(index / 10)}`, `f${index}.txt`),
      `changed ${index}`,
    );
  return count;
}

async function start() {
  const { UNDO_PROCESS } = await import(UNDO_CLIENT);
  const child = spawn(process.execPath, [...UNDO_PROCESS.flags, PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: UNDO_PROCESS.environment,
  });
  const waiting = new Map();
  let id = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line);
    if (!('id' in reply)) return;
    if ('error' in reply) waiting.get(reply.id).reject(new Error(reply.error));
    else waiting.get(reply.id).resolve(reply.value);
  });
  return {
    pid: child.pid,
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject });
        child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
      }),
    end: () =>
      new Promise((resolve) => {
        child.on('close', resolve);
        child.stdin.end();
      }),
  };
}

/** Wall time, and the processor's time of all threads of the process. */
function timedOn(pid) {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = (task) => Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]);
  const cpu = () => readdirSync(tasks).reduce((sum, task) => sum + nanoseconds(task), 0) / 1e6;
  return async (run) => {
    const from = performance.now();
    const before = cpu();
    const value = await run();
    return { value, ms: performance.now() - from, cpuMs: cpu() - before };
  };
}

function peakOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

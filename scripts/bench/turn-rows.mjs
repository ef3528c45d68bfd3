/** Rows of turns: the client's overhead per turn and per tool round, the memory of a long session, and that of ended children. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, runProgram } from './processes.mjs';
import { difference, limit, median, ratio, sum } from './table.mjs';

const FLOOR_READS = fileURLToPath(new URL('floor-reads.mjs', import.meta.url));
const EDGE = 20;
/** As the model answers: 25 calls and an answer. */
const REQUESTS_PER_PROMPT = 26;
const PROMPTS = 4;
const LONG_SESSION = 10_000;
const CHILDREN = 50;

export async function measureTurns(model, rounds = 8) {
  const programs = await bundle(['run-turns', 'run-reads', 'run-session', 'run-children']);
  const sessions = await runProgram(programs['run-turns'], [model.url, String(rounds * 2)]);
  const reads = await measureReads(model, programs['run-reads'], rounds);
  const session = await runProgram(programs['run-session'], [model.url, String(LONG_SESSION)]);
  const children = await measureChildren(model, programs['run-children']);

  // Each turn minus the floor of the same bytes, so that sending more of them does not count as growth. The rest is a
  // fifth of a millisecond, where the median of twenty is noise: the turns of all sessions count as one.
  const overheads = sessions.map(({ turns, floors }) => turns.map((ms, turn) => ms - floors[turn]));
  const first = once(median(overheads.flatMap((ms) => ms.slice(0, EDGE))));
  const last = once(median(overheads.flatMap((ms) => ms.slice(-EDGE))));
  const wall = sum(sessions.map(({ turns }) => median(turns)));
  const floor = sum(sessions.map(({ floors }) => median(floors)));
  const [half, end] = session.live;
  const growth = (end - half) / (LONG_SESSION / 2 / 1000);
  const notes = [
    `turns: no delay in the model; ${rounds} rounds, judged by the median`,
    `the long session took ${session.msPerTurn.toFixed(2)} ms a turn and was compressed ${session.compressions} times`,
  ];
  const rows = [
    difference('200 turns, a turn − bare HTTP', 'ms', wall, floor, 2, 'median'),
    ratio('last 20 turns / first 20, less HTTP', 'ms', last, first, 1.1),
    limit('tool round with read_file', 'ms', reads.ours, reads.floor, 3),
    limit('10,000 turns, peak', 'MB', once(session.peakMb), undefined, 350),
    limit('10,000 turns, live growth per 1,000', 'MB', once(growth), undefined, 1),
    limit('50 children in a row, live growth', 'MB', once(children), undefined, 1.5),
  ];
  return { notes, rows };
}

/** Live megabytes that 50 ended children leave behind. */
async function measureChildren(model, program) {
  const root = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    writeFileSync(join(root, 'large.txt'), 'A line of the large file.\n'.repeat(2_000));
    const { live } = await runProgram(program, [model.url, root, home, String(CHILDREN)]);
    return live[1] - live[0];
  } finally {
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  }
}

async function measureReads(model, program, rounds) {
  const root = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  const home = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    for (let index = 0; index < REQUESTS_PER_PROMPT; index++) {
      writeFileSync(join(root, `file-${index}.txt`), `A line of file ${index}.\n`.repeat(80));
    }
    const ours = [];
    const floors = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await measureRounds(model, () => runProgram(program, [model.url, root, home, String(PROMPTS)])));
      floors.push(await measureRounds(model, () => runProgram(FLOOR_READS, [model.url, root, String(PROMPTS)])));
    }
    return { ours: sum(ours), floor: sum(floors) };
  } finally {
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  }
}

/** The median time between two requests of the same prompt. */
async function measureRounds(model, run) {
  const arrivals = [];
  model.onArrival = (arrived) => arrivals.push(arrived);
  await run();
  if (arrivals.length !== PROMPTS * REQUESTS_PER_PROMPT) throw new Error(`${arrivals.length} requests arrived.`);
  const gaps = arrivals.slice(1).map((arrived, index) => arrived - arrivals[index]);
  return median(gaps.filter((_, index) => (index + 1) % REQUESTS_PER_PROMPT !== 0));
}

function once(value) {
  return { min: value, median: value };
}

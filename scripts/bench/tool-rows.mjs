/**
 * Rows of tools: the overhead of a call beside the tool's own work, and the work of the two tools that can be slow or
 * large.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, runProgram } from './processes.mjs';
import { difference, limit, median, quantile, ratio, sum } from './table.mjs';

/** The same binary that grep_search uses. */
const { rgPath } = createRequire(new URL('../../packages/core/package.json', import.meta.url))('@vscode/ripgrep');

const FOLDERS = 500;
const FILES_PER_FOLDER = 100;
const NEEDLE = 'needleInTheHaystack';
const SLEEPS = 8;

export async function measureTools(model, rounds = 10) {
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  const [root, home, tree] = ['project', 'home', 'tree'].map((name) => join(folder, name));
  try {
    for (const path of [root, home, tree]) mkdirSync(path);
    const programs = await bundle(['run-calls', 'run-sleeps', 'run-output', 'run-grep']);
    const calls = await runProgram(programs['run-calls'], [root, home, String(rounds)]);
    const sleeps = await measureSleeps(programs['run-sleeps'], [model.url, root, home]);
    const output = await measureOutput(programs['run-output'], [root, home]);
    plantTree(tree);
    const grep = await runProgram(programs['run-grep'], [tree, home, rgPath, NEEDLE, String(rounds)]);
    const notes = [
      `tools: ${rounds} rounds, judged by the median; a floor is the tool, the processes or ripgrep without us`,
      `10 MB took ${output.lines.wallMs.toFixed(0)} ms by lines and ${output.line.wallMs.toFixed(0)} ms on one line`,
    ];
    const rows = [
      ...callRows(
        'a read',
        calls.map(({ read }) => read),
      ),
      ...callRows(
        'a command line',
        calls.map(({ shell }) => shell),
      ),
      limit('eight `sleep 1` in one response', 'ms', sleeps.ours, sleeps.floor, 1500),
      difference('10 MB by lines, peak − idle', 'MB', once(output.lines.peakMb), once(output.lines.idleMb), 40),
      difference('10 MB with a ✓ in it, peak − idle', 'MB', once(output.wide.peakMb), once(output.wide.idleMb), 40),
      difference('10 MB on one line, peak − idle', 'MB', once(output.line.peakMb), once(output.line.idleMb), 40),
      ratio('grep_search, 50,000 files / rg', 'ms', sum(grep.ours), sum(grep.floor), 1.3, 'median'),
    ];
    return { notes, rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function callRows(what, samples) {
  const at = (share) => {
    const of = (key) => sum(samples.map((sample) => quantile(sample[key], share)));
    return [of('ours'), of('floor')];
  };
  return [
    difference(`${what}, all but the tool, median`, 'ms', ...at(0.5), 1, 'median'),
    difference(`${what}, all but the tool, p95`, 'ms', ...at(0.95), 3, 'median'),
  ];
}

async function measureSleeps(program, args) {
  const ours = [];
  const floors = [];
  for (let round = 0; round < 3; round++) {
    ours.push((await runProgram(program, args)).wallMs);
    const started = performance.now();
    await Promise.all(Array.from({ length: SLEEPS }, () => waitFor(spawn('bash', ['-c', 'sleep 1']))));
    floors.push(performance.now() - started);
  }
  return { ours: sum(ours), floor: sum(floors) };
}

function waitFor(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
}

/** The median of three processes each: a process can measure its peak only once. */
async function measureOutput(program, args) {
  const measure = async (kind) => {
    const runs = [];
    for (let round = 0; round < 3; round++) runs.push(await runProgram(program, [...args, kind]));
    const middle = median(runs.map(({ aboveMb }) => aboveMb));
    return runs.find(({ aboveMb }) => aboveMb === middle);
  };
  return { lines: await measure('lines'), wide: await measure('wide'), line: await measure('line') };
}

/** 50,000 files of source text; one folder in fifty holds a file with the needle. */
function plantTree(tree) {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(tree, `part-${folder % 25}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const lines = `export function work${folder}x${file}(value) {\n  return value + ${file};\n}\n`.repeat(12);
      const needle = folder % 50 === 0 && file === 0 ? `const ${NEEDLE} = ${folder};\n` : '';
      writeFileSync(join(path, `file-${file}.js`), lines + needle);
    }
  }
}

function once(value) {
  return { min: value, median: value };
}

/**
 * Rows of the terminal: the time until the user can type, typing and CPU while an answer streams, and the cost of a
 * long session. All in a pty with an emulator that shows what a user would see.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAST_LINE, STEADY_LENGTH, createMarkdown } from './markdown.mjs';
import { runProgram } from './processes.mjs';
import { limit, quantile, ratio, sum } from './table.mjs';
import { PROJECT } from './tui-terminal.mjs';

const STARTS_PER_ROUND = 5;
const MESSAGES = 10_000;
const DEAD_SERVERS = 10;
/** It reads all input and never answers; it ends when its input is closed. */
const DEAD_SERVER = { command: 'sh', args: ['-c', 'cat > /dev/null'] };

/** A round takes over a minute. */
export async function measureTui(model, rounds = 3) {
  if (!existsSync('/proc/self/stat')) throw new Error('The terminal is measured on Linux only: it needs /proc.');
  const folder = mkdtempSync(join(tmpdir(), 'castor-bench-'));
  try {
    return await measureIn(folder, model, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(folder, { url }, rounds) {
  const [home, homeOfDead] = ['home', 'home-dead'].map((name) => join(folder, name));
  for (const each of [home, homeOfDead]) mkdirSync(join(each, PROJECT), { recursive: true });
  configureDeadServers(homeOfDead);
  const sessionFile = join(folder, 'session.jsonl');
  writeSession(sessionFile);

  const starts = await run('start', [url, String(rounds * STARTS_PER_ROUND), home, homeOfDead]);
  const typed = [];
  const silent = [];
  for (let round = 0; round < rounds; round++) {
    typed.push(await run('stream', [url, home, 'gemini-2.5-steady', LAST_LINE, 'typing']));
    silent.push(await run('stream', [url, home, 'gemini-2.5-steady', LAST_LINE, 'silent']));
  }
  const pastes = await run('paste', [url, home, String(rounds)]);
  const session = await run('session', [url, home, sessionFile, LAST_LINE, String(rounds)]);
  const notes = [
    `tui: A is node -e 0; ${starts.length} starts, ${rounds} answers of ${STEADY_LENGTH / 1000} KB at 400 pieces a second`,
    'keys, pastes and starts are judged by the smallest of the rounds, all else by the median',
    `${typed[0].keyMs.length} keys were typed while one came; the floor of a key is a program that does nothing but show it`,
    `${MESSAGES} messages were on the screen after ${(session.shownMs / 1000).toFixed(1)} s`,
  ];
  return {
    notes,
    rows: [...startRows(starts), ...streamRows(typed, silent), pasteRow(pastes), ...sessionRows(session)],
  };
}

function startRows(starts) {
  const floor = sum(starts, 'floorMs');
  return [
    ratio('placeholder on the screen / A', 'ms', sum(starts, 'shownMs'), floor, 4),
    ratio('usable prompt / A', 'ms', sum(starts, 'usableMs'), floor, 4),
    ratio('usable prompt, a key typed at spawn / A', 'ms', sum(starts, 'earlyKeyMs'), floor, 4),
    ratio(`usable prompt, ${DEAD_SERVERS} dead MCP servers / A`, 'ms', sum(starts, 'deadUsableMs'), floor, 4),
  ];
}

function streamRows(typed, silent) {
  const all = [...typed, ...silent];
  const answerBytes = Buffer.byteLength(createMarkdown(STEADY_LENGTH));
  const keys = (key, share) => sum(typed.map((sample) => quantile(sample[key], share)));
  const cpu = sum(typed.map(({ cpuMs, wallMs }) => (cpuMs / wallMs) * 100));
  const written = sum(silent.map(({ bytes }) => bytes / 1000));
  return [
    limit('idle, CPU in five seconds', 'ms', sum(all, 'idleCpuMs'), undefined, 0),
    limit('it streams, a key is seen, median', 'ms', keys('keyMs', 0.5), keys('floorMs', 0.5), undefined),
    limit('it streams, a key is seen, p95', 'ms', keys('keyMs', 0.95), keys('floorMs', 0.95), 40, 'min'),
    limit('it streams, CPU of a core', '%', cpu, undefined, 30),
    limit('it streams, peak memory', 'MB', sum(all, 'peakMb'), undefined, 180),
    ratio('it streams, written / answer', 'KB', written, sum([answerBytes / 1000]), 2.5, 'median'),
  ];
}

function pasteRow(pastes) {
  return limit('1 MB is pasted and seen', 'ms', sum(pastes, 'pasteMs'), sum(pastes, 'floorMs'), 200, 'min');
}

function sessionRows({ freshMs, longMs, peakMb, freshPeakMb }) {
  const once = (value) => ({ min: value, median: value });
  const of = (turns, share) => sum(turns.map((times) => quantile(times, share)));
  const at = (share) => [of(longMs, share), of(freshMs, share)];
  return [
    limit(`${MESSAGES} messages, peak memory`, 'MB', once(peakMb), once(freshPeakMb), 350),
    ratio(`a key in ${MESSAGES} messages / in none, median`, 'ms', ...at(0.5), 1.2),
    ratio(`a key in ${MESSAGES} messages / in none, p95`, 'ms', ...at(0.95), 1.5),
  ];
}

function run(name, args) {
  const { CASTOR_BENCH_PROGRAM, CASTOR_BENCH_PROFILES } = process.env;
  const env = Object.entries({ CASTOR_BENCH_PROGRAM, CASTOR_BENCH_PROFILES }).filter(([, value]) => value);
  return runProgram(fileURLToPath(new URL(`run-tui-${name}.mjs`, import.meta.url)), args, {
    env: Object.fromEntries(env),
  });
}

function configureDeadServers(home) {
  const names = Array.from({ length: DEAD_SERVERS }, (_, index) => [`dead${index}`, DEAD_SERVER]);
  mkdirSync(join(home, '.gemini'), { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify({ mcpServers: Object.fromEntries(names) }));
}

/** A question and an answer alternate. */
function writeSession(path) {
  const timestamp = new Date().toISOString();
  const head = { sessionId: 'bench', projectHash: 'bench', startTime: timestamp, lastUpdated: timestamp, kind: 'main' };
  const lines = [head];
  for (let index = 1; index <= MESSAGES; index++) {
    const isAnswer = index % 2 === 0;
    const answer = `The answer is **${index}**, see \`file-${index}.ts\`:\n\n- it is even\n- and it is the answer to ${index - 1}\n`;
    const text = isAnswer ? answer : `What about ${index}, and is it odd?`;
    lines.push({
      id: `message-${index}`,
      timestamp,
      type: isAnswer ? 'gemini' : 'user',
      content: [{ text: index === MESSAGES ? LAST_LINE : text }],
      ...(isAnswer && { model: 'gemini-2.5-steady' }),
    });
  }
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

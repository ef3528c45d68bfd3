/**
 * Runs a program in a pty with an emulator behind it, to measure what a user sees, and when. CPU and memory come from
 * /proc, of the program alone, so this is for Linux.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';

/** Another build can be measured by passing its `castor.cjs`. */
const CASTOR =
  process.env.CASTOR_BENCH_PROGRAM ??
  join(fileURLToPath(new URL('.', import.meta.url)), '..', '..', 'packages', 'cli', 'bin', 'castor.cjs');
const COLUMNS = 100;
const ROWS = 30;
const TICKS_PER_SECOND = 100;
const PROMPT_SIGN = '❯ ';
export const PROJECT = 'project';
export const PLACEHOLDER = 'Type your message';

/** Keys are typed at this pace, unevenly, so that they do not fall in step with frames. */
const KEY_MS = 80;
const KEY_SPREAD_MS = 47;
const LONGEST_TYPED = 24;
const BACKSPACE = '\x7f';

/** The program runs in the empty folder `project` of its home. */
export function openTerminal({ program = CASTOR, args = [], home, url }) {
  const started = performance.now();
  const emulator = new headless.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 1000, allowProposedApi: true });
  const pty = spawn(process.execPath, [...(program === CASTOR ? profiling() : []), program, ...args], {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: join(home, PROJECT),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: 'xterm-256color',
      TERM_PROGRAM: 'vscode',
      GEMINI_API_KEY: 'bench',
      GOOGLE_GEMINI_BASE_URL: url,
    },
  });
  let bytes = 0;
  let isEnded = false;
  let waiting = [];
  const look = () => {
    waiting = waiting.filter(({ isMet, resolve, reject }) => {
      if (isMet()) resolve(performance.now());
      else if (isEnded) reject(new Error(`The program ended:\n${screen().join('\n')}`));
      else return true;
      return false;
    });
  };
  emulator.onData((answer) => pty.write(answer));
  pty.onData((data) => {
    bytes += Buffer.byteLength(data);
    emulator.write(data, look);
  });
  const exited = new Promise((resolve) => pty.onExit(resolve)).then(() => {
    isEnded = true;
    emulator.write('', look);
  });

  const rowAt = (row) => emulator.buffer.active.getLine(emulator.buffer.active.baseY + row).translateToString(true);
  const screen = () => Array.from({ length: ROWS }, (_, row) => rowAt(row));
  const composer = () => {
    for (let row = ROWS - 1; row >= 0; row--) {
      const text = rowAt(row);
      if (text.startsWith(PROMPT_SIGN)) return text.slice(PROMPT_SIGN.length).trimEnd();
    }
    return undefined;
  };
  return {
    started,
    pid: pty.pid,
    bytes: () => bytes,
    screen,
    composer,
    type: (text) => pty.write(text),
    /** Resolves with the time at which the condition was met; rejects when the program ends first. */
    until(isMet) {
      return new Promise((resolve, reject) => {
        waiting.push({ isMet, resolve, reject });
        look();
      });
    },
    /** The same for the text of the composer. */
    untilComposer(isMet) {
      return this.until(() => isMet(composer() ?? ''));
    },
    usage: () => readUsage(pty.pid),
    /** Ctrl+C clears the composer, then asks, then exits. */
    async close() {
      pty.write('\x03\x03\x03');
      const limit = setTimeout(() => pty.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(limit);
    },
  };
}

/**
 * Types one key after the other until it may stop; returns how long each took to appear. The composer must be empty.
 */
export async function typeKeys(terminal, mayStop) {
  const times = [];
  let text = '';
  for (let count = 0; !mayStop(count); count++) {
    const isBack = Math.floor(count / LONGEST_TYPED) % 2 === 1;
    const key = String.fromCharCode(97 + (count % 26));
    text = isBack ? text.slice(0, -1) : text + key;
    const isShown = text === '' ? (shown) => shown.startsWith(PLACEHOLDER) : (shown) => shown === text;
    const typed = performance.now();
    terminal.type(isBack ? BACKSPACE : key);
    times.push((await terminal.untilComposer((shown) => isShown(shown.trim()))) - typed);
    await sleep(KEY_MS + ((count * 29) % KEY_SPREAD_MS));
  }
  return times;
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Measures the program itself, without its child processes. */
function readUsage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(status)[1]);
  return { cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND, peakMb: kilobytes / 1024 };
}

/** For debugging: writes CPU profiles of the program into this folder. */
function profiling() {
  const folder = process.env.CASTOR_BENCH_PROFILES;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

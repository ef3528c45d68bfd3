/**
 * Runs a command in its own terminal when the optional module is available. It has the
 * same contract as a command over pipes; in addition, the user can type.
 */

import { closeSync, constants as fileConstants, openSync } from 'node:fs';
import { constants } from 'node:os';
import type * as NodePty from '@lydell/node-pty';
import type { ShellExit, ShellProcess, StartRequest } from './shell-process.ts';
import { isRawTerminal } from './raw-terminal.ts';

type PtyModule = typeof NodePty;
let loading: Promise<PtyModule | undefined> | undefined;

/** Undefined when the module, or its binary for this system, is missing. */
export function loadPty(): Promise<PtyModule | undefined> {
  loading ??= import('@lydell/node-pty').catch(() => undefined);
  return loading;
}

/** Additional members of the module's terminal on systems with named terminals. */
interface UnixTerminal {
  readonly ptsName?: string;
  on?(event: 'newListener', listener: (name: string) => void): void;
}

export function startPty(request: StartRequest, module: PtyModule): ShellProcess {
  const { invocation, directory, environment, onData, size } = request;
  const terminal = module.spawn(invocation.file, invocation.args, {
    name: 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd: directory,
    env: withoutSize({ ...environment, ...invocation.environment }),
    // Bytes, so that a character split across two reads is not broken.
    encoding: null,
  });
  const letGo = holdOpen(terminal as UnixTerminal);
  let closed = false;
  terminal.onData((data: string | Uint8Array) => onData(typeof data === 'string' ? Buffer.from(data) : data));
  const finished = new Promise<ShellExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      closed = true;
      letGo();
      resolve({ code: signal ? null : exitCode, signal: signalName(signal) });
    });
  });
  return {
    pid: terminal.pid,
    hasTerminal: true,
    finished,
    write: (text) => terminal.write(text),
    resize({ columns, rows }) {
      // The module throws once the terminal is closed, which may happen before the exit event.
      if (!closed) quietly(() => terminal.resize(columns, rows));
    },
    isOutputClosed: () => closed,
    isRaw: async () => isRawTerminal((terminal as UnixTerminal).ptsName ?? ''),
  };
}

/** Programs prefer these variables to the terminal's size, and they describe another terminal. */
function withoutSize({ COLUMNS: _columns, LINES: _lines, ...others }: Record<string, string>): Record<string, string> {
  return others;
}

function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // The terminal is closed, so its size no longer matters.
  }
}

/**
 * A command may close its terminal before it ends: `exec >log 2>&1 </dev/null`, or `touch`
 * just before its exit. Our end would then see the other end closed and close as well,
 * which sends the command SIGHUP in the middle of its work. So this process holds the
 * other end open until the command is gone; its output could not end before that.
 */
function holdOpen(terminal: UnixTerminal): () => void {
  // On other systems the last close may block until a reader drains it, and the reader is this thread.
  if (process.platform !== 'linux' || terminal.ptsName === undefined) return () => {};
  let held: number | undefined;
  try {
    held = openSync(terminal.ptsName, fileConstants.O_RDWR | fileConstants.O_NOCTTY);
  } catch {
    // Without it the command still runs; it only must not close its terminal.
  }
  const letGo = () => {
    if (held !== undefined) closeSync(held);
    held = undefined;
  };
  // The module registers this listener when the process has exited and it begins to wait for the end of the output.
  terminal.on?.('newListener', (name) => {
    if (name === 'close') letGo();
  });
  return letGo;
}

function signalName(number: number | undefined): NodeJS.Signals | null {
  if (!number) return null;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}

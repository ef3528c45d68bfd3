/**
 * A running command with a terminal of its own, where the optional module is there.
 * Same contract as over pipes; in addition, the user can type.
 */

import { closeSync, constants as fileConstants, openSync } from 'node:fs';
import { constants } from 'node:os';
import type * as NodePty from '@lydell/node-pty';
import type { ShellExit, ShellProcess, StartRequest } from './shell-process.ts';
import { isRawTerminal } from './raw-terminal.ts';

type PtyModule = typeof NodePty;
let loading: Promise<PtyModule | undefined> | undefined;

/** Undefined where the module, or its binary for this system, is missing. */
export function loadPty(): Promise<PtyModule | undefined> {
  loading ??= import('@lydell/node-pty').catch(() => undefined);
  return loading;
}

/** What the module's terminal has besides, where there are terminals by name. */
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
    // Bytes: a character cut over two reads must not become two broken ones.
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

/** Programs believe these more than their terminal, and they tell of another one. */
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
 * A command may close its terminal before it ends: `exec >log 2>&1 </dev/null`, or touch with its last breath. Ours would
 * then find the other end closed and close as well, which hangs up on the command: SIGHUP in the middle of its work. So
 * one more hand holds the other end until the process is gone; what it wrote could not end before that.
 */
function holdOpen(terminal: UnixTerminal): () => void {
  // Elsewhere the last close may wait for a reader, and the reader is this thread.
  if (process.platform !== 'linux' || terminal.ptsName === undefined) return () => {};
  let held: number | undefined;
  try {
    held = openSync(terminal.ptsName, fileConstants.O_RDWR | fileConstants.O_NOCTTY);
  } catch {
    // Without it the command runs as it did; it may just not close its terminal.
  }
  const letGo = () => {
    if (held !== undefined) closeSync(held);
    held = undefined;
  };
  // The module knows that the process is gone, and begins to wait for the end of the output.
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

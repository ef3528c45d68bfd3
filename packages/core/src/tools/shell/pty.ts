/**
 * A running command with a terminal of its own, where the optional module is there.
 * Same contract as over pipes; besides, somebody can type.
 */

import { constants } from 'node:os';
import type * as NodePty from '@lydell/node-pty';
import type { ShellExit, ShellProcess, StartRequest } from './shell-process.ts';

const COLUMNS = 120;
const ROWS = 40;

type PtyModule = typeof NodePty;
let loading: Promise<PtyModule | undefined> | undefined;

/** Undefined where the module, or its binary for this system, is missing. */
export function loadPty(): Promise<PtyModule | undefined> {
  loading ??= import('@lydell/node-pty').catch(() => undefined);
  return loading;
}

export function startPty(request: StartRequest, module: PtyModule): ShellProcess {
  const { invocation, directory, environment, onData } = request;
  const terminal = module.spawn(invocation.file, invocation.args, {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: directory,
    env: { ...environment, ...invocation.environment },
    // Bytes: a character cut over two reads must not become two broken ones.
    encoding: null,
  });
  let closed = false;
  terminal.onData((data: string | Uint8Array) => onData(typeof data === 'string' ? Buffer.from(data) : data));
  const finished = new Promise<ShellExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      closed = true;
      resolve({ code: signal ? null : exitCode, signal: signalName(signal) });
    });
  });
  return {
    pid: terminal.pid,
    hasTerminal: true,
    finished,
    write: (text) => terminal.write(text),
    isOutputClosed: () => closed,
  };
}

function signalName(number: number | undefined): NodeJS.Signals | null {
  if (!number) return null;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}

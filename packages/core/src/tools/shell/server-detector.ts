/**
 * Detects that a command is a running server: it printed a ready message, it listens on a
 * port, and it has been silent since. All three are required, because a wrong detection
 * would send a command to the background whose end the caller waits for. Works only where
 * /proc shows the listening process.
 */

import { readFile, readdir, readlink } from 'node:fs/promises';
import { findGroupMembers } from './stray-processes.ts';

const DEFAULT_SILENCE_MS = 3000;
const READY =
  /\b(listening|ready in|server (is )?(running|started|ready)|(started|running|available|serving)\b[^\n]{0,40}\b(at|on)|local:)\b|https?:\/\/(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d+/i;
const LISTENING = '0A';

export function saysReady(text: string): boolean {
  return READY.test(text);
}

export interface ServerWatchOptions {
  pid: number;
  hasSaidReady: () => boolean;
  /** Called once. */
  onServing: () => void;
  silenceMs?: number | undefined;
}

export class ServerWatch {
  private readonly options: ServerWatchOptions;
  private readonly timer: NodeJS.Timeout;
  private stopped = false;

  constructor(options: ServerWatchOptions) {
    this.options = options;
    this.timer = setTimeout(() => void this.look(), options.silenceMs ?? DEFAULT_SILENCE_MS).unref();
  }

  touch(): void {
    if (!this.stopped) this.timer.refresh();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    if (!this.options.hasSaidReady() || !(await isListening(this.options.pid)) || this.stopped) return;
    this.stop();
    this.options.onServing();
  }
}

/** Whether a process of the group listens for TCP connections. False when that cannot be determined. */
async function isListening(group: number): Promise<boolean> {
  const listening = new Set((await Promise.all(['tcp', 'tcp6'].map(readListening))).flat());
  if (listening.size === 0) return false;
  const members = await findGroupMembers(group);
  const sockets = await Promise.all(members.map((pid) => readSockets(pid)));
  return sockets.flat().some((inode) => listening.has(inode));
}

async function readListening(name: string): Promise<string[]> {
  const table = await readFile(`/proc/net/${name}`, 'latin1').catch(() => '');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

async function readSockets(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const names = await readdir(directory).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${directory}/${name}`).catch(() => '')));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

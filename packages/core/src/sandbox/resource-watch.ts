/**
 * ResourceWatch: ends a program in a sandbox that starts too many processes or fills the disk. It looks from outside while
 * programs run inside, and rests when there are none.
 */

import { readdirSync, readFileSync, statfsSync } from 'node:fs';

export interface ResourceLimits {
  /** Of one program with everything it started. */
  processes: number;
  /** A program is ended when less is free than this … */
  freeBytes: number;
  /** … and this much less than when the programs began: a disk that was full before keeps its commands. */
  fallenBytes: number;
  /** The free bytes of the file system of a folder; undefined where it does not tell. */
  measureFree(folder: string): number | undefined;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_LIMITS: ResourceLimits = {
  processes: 2000,
  freeBytes: 512 * MEBIBYTE,
  fallenBytes: 256 * MEBIBYTE,
  measureFree,
};

const TICK_MS = 400;
/** Every so many ticks it looks whether any program is left. */
const ROUNDS = 15;

export interface ResourceWatchOptions {
  /** What programs can fill. */
  folders: readonly string[];
  limits?: Partial<ResourceLimits> | undefined;
  /** Called with the reason, as a sentence. */
  onStopped(reason: string): void;
}

interface Running {
  /** The process of bubblewrap that this program started. */
  pid: number;
  /** Everything below it, parents before children. */
  below: number[];
}

export class ResourceWatch {
  private readonly options: ResourceWatchOptions;
  private readonly limits: ResourceLimits;
  private timer: NodeJS.Timeout | undefined;
  private round = 0;
  /** The fewest tasks of the computer since the programs began. */
  private tasks = Infinity;
  private readonly free = new Map<string, number>();

  constructor(options: ResourceWatchOptions) {
    this.options = options;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** A program is about to start. */
  expect(): void {
    this.round = 0;
    if (this.timer) return;
    this.findFullFolder();
    this.timer = setInterval(() => this.look(), TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const isFull = this.findFullFolder();
    const tasks = countTasks();
    this.tasks = Math.min(this.tasks, tasks ?? 0);
    const hasManyMore = tasks === undefined || tasks - this.tasks >= this.limits.processes / 2;
    this.round = (this.round + 1) % ROUNDS;
    if (!hasManyMore && isFull === undefined && this.round > 0) return;
    const running = findRunning();
    if (running.length === 0 && this.round === 0) return this.rest();
    const { processes } = this.limits;
    for (const program of running)
      if (program.below.length > processes) this.stop(program, `it started more than ${processes} processes`);
    if (isFull === undefined) return;
    const writer = running.toReversed().toSorted((left, right) => writtenBy(right) - writtenBy(left))[0];
    if (writer) this.stop(writer, `it fills the disk: too little is free for ${isFull}`);
    this.free.clear();
  }

  private rest(): void {
    this.close();
    this.tasks = Infinity;
    this.free.clear();
  }

  private stop({ below }: Running, because: string): void {
    // With the first process of its namespace, all of them end at once.
    for (const pid of below) kill(pid);
    this.options.onStopped(`The sandbox ended a command: ${because}.`);
  }

  private findFullFolder(): string | undefined {
    const { measureFree: measure, freeBytes, fallenBytes } = this.limits;
    return this.options.folders.find((folder) => {
      const free = measure(folder);
      if (free === undefined) return false;
      const before = Math.max(this.free.get(folder) ?? 0, free);
      this.free.set(folder, before);
      return free < freeBytes && before - free >= fallenBytes;
    });
  }
}

function measureFree(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Cheap: one small file. Counts those of the whole computer, so it only says when to look closer. */
function countTasks(): number | undefined {
  const found = /\/(\d+) /.exec(read('/proc/loadavg'))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The sandboxes that this process started, each with its processes. */
function findRunning(): Running[] {
  const children = new Map<number, number[]>();
  const names = new Map<number, string>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // 12 (a name) S 1 …: the name may contain anything.
    const [, name = '', parent] = /^\d+ \(([^]*)\) \S (\d+) /.exec(read(`/proc/${entry}/stat`)) ?? [];
    if (parent === undefined) continue;
    names.set(Number(entry), name);
    children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(entry)]);
  }
  const own = (children.get(process.pid) ?? []).filter((pid) => names.get(pid) === 'bwrap');
  return own.map((pid) => {
    const below: number[] = [];
    for (let next = children.get(pid) ?? []; next.length > 0; next = next.flatMap((each) => children.get(each) ?? []))
      below.push(...next);
    return { pid, below };
  });
}

function writtenBy({ below }: Running): number {
  const bytes = below.map((pid) => Number(/^wchar: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0));
  return bytes.reduce((sum, each) => sum + each, 0);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

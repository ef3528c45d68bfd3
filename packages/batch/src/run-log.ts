/**
 * Reads the stream-json output that a run of the program writes to a file: progress while it runs, and its answer, result and
 * spending afterwards, also when the worker that started it is dead. Bounded: of a long answer only the last turn is kept.
 */

import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs';

export interface RunResult {
  status: 'success' | 'error';
  error?: { type: string; message: string; code: number; status?: number };
  structured?: unknown;
  stats?: RunStats;
}

interface RunStats {
  cost_usd?: number | null;
  total_tokens?: number;
  models?: Readonly<Record<string, { requests?: number }>>;
}

/** Statuses of a provider that has too much to do. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 529]);
const CHUNK = 64 * 1024;
/** Of all logs: each is read in one go. */
const buffer = Buffer.alloc(CHUNK);
/** A line longer than this holds a tool's data, never a result. */
const MAX_LINE = 16 * 1024 * 1024;

export class RunLog {
  answer = '';
  result: RunResult | undefined;
  calls = 0;
  sessionId: string | undefined;
  model: string | undefined;
  /** Its program has ended, and all of it is read. */
  isComplete = false;
  /** Of the runs in the file that have ended. */
  private ended: Sums = { cost: 0, tokens: 0, turns: 0 };
  /** What the last run has told of itself. A run that was killed has no result. */
  private last: RunStats | undefined;
  /** Set by a failed attempt, until it is taken. */
  private overload = false;
  readonly path: string;
  private offset: number;
  private rest: Buffer = Buffer.alloc(0);

  constructor(path: string, offset = 0) {
    this.path = path;
    this.offset = offset;
  }

  /** Of all runs in the file. */
  get spent(): { cost: number | null; tokens: number } {
    const { cost, tokens } = sumOf(this.ended, this.last);
    return { cost, tokens };
  }

  get turns(): number {
    return sumOf(this.ended, this.last).turns;
  }

  /** Whether the provider was overloaded since the last question. */
  takeOverload(): boolean {
    const { overload } = this;
    this.overload = false;
    return overload;
  }

  /** Reads what was written since the last time; false when that is nothing. A file that is missing is empty. */
  read(): boolean {
    if (this.isComplete) return false;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.offset) return false;
    const file = openSync(this.path, 'r');
    try {
      while (this.offset < size) {
        const count = readSync(file, buffer, 0, CHUNK, this.offset);
        if (count === 0) return true;
        this.offset += count;
        this.add(buffer.subarray(0, count));
      }
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Before another run adds to the file: a line that a kill or a full disk has cut stays one of its own. */
  endLine(): void {
    if (this.rest.length > 0) appendFileSync(this.path, '\n');
  }

  private add(chunk: Buffer): void {
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let start = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      this.line(data.toString('utf8', start, end));
      start = end + 1;
    }
    const rest = data.subarray(start);
    this.rest = Buffer.from(rest.length > MAX_LINE ? rest.subarray(-1) : rest);
  }

  private line(text: string): void {
    let event: Record<string, unknown>;
    try {
      event = JSON.parse(text) as Record<string, unknown>;
    } catch {
      // The line of a killed run may be cut.
      return;
    }
    switch (event['type']) {
      case 'init':
        this.close();
        this.sessionId = String(event['session_id']);
        this.model = String(event['model']);
        this.answer = '';
        this.result = undefined;
        return;
      case 'message':
        if (event['role'] === 'assistant') this.answer += String(event['content']);
        return;
      case 'tool_use':
        this.calls += 1;
        return;
      case 'tool_result':
        this.answer = '';
        return;
      case 'retry':
        this.answer = '';
        this.overload ||= OVERLOADED.has(Number(event['status']));
        return;
      case 'result':
        this.result = event as unknown as RunResult;
        this.overload ||= isOverload(this.result);
        this.tell(this.result.stats ?? this.last);
        this.close();
        return;
      case 'spent':
        this.tell(event['stats'] as RunStats);
        return;
      default:
    }
  }

  /** The total of a run only grows: a smaller one is that of the next, which failed before it could begin. */
  private tell(stats: RunStats = {}): void {
    if ((stats.total_tokens ?? 0) < (this.last?.total_tokens ?? 0)) this.close();
    this.last = stats;
  }

  private close(): void {
    this.ended = sumOf(this.ended, this.last);
    this.last = undefined;
  }
}

interface Sums {
  cost: number | null;
  tokens: number;
  turns: number;
}

function sumOf({ cost, tokens, turns }: Sums, stats: RunStats = {}): Sums {
  const { cost_usd: more = 0, total_tokens: moreTokens = 0, models = {} } = stats;
  return {
    cost: cost === null || more === null ? null : cost + more,
    tokens: tokens + moreTokens,
    turns: turns + Object.values(models).reduce((sum, { requests = 0 }) => sum + requests, 0),
  };
}

/** The run failed because the provider had too much to do, not because of the task. */
export function isOverload({ error }: RunResult): boolean {
  return OVERLOADED.has(error?.status ?? 0);
}

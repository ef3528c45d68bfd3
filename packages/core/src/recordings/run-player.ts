/**
 * RunPlayer: answers the requests and calls of a run from a recording, and stops it at the first difference. It has no way to the
 * network: what the recording does not hold is a difference. Requests and calls that ran at the same time may come in either order.
 */

import { ApiError, ToolError } from '../protocol/errors.ts';
import type { ToolErrorType, ToolResult } from '../protocol/tools.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { HttpRequest, HttpResponse } from '../provider/http/http-messages.ts';
import type { HttpTap } from '../provider/http/http-tap.ts';
import { systemClock, throwIfAborted } from '../util/clock.ts';
import { beyondEnd, comparable, differenceOfFiles, differenceTo, entriesOf, nameOf } from './played-entries.ts';
import type { Described, Difference, Entry } from './played-entries.ts';
import { replayGenerator } from './generator-tape.ts';
import type { CallLine, FileContent, Recording, RequestLine, ResponseLine, ResultLine } from './recording-lines.ts';
import type { RunTape, TapedCall } from './run-tape.ts';
import { restorePaths } from './scrubber.ts';
import type { Scrubber } from './scrubber.ts';
import { ReplayClock } from './taped-clock.ts';
import { changedPaths, contentsOf, markTree, writeContents } from './workspace-state.ts';
import type { TreeMarks } from './workspace-state.ts';

export interface ReplayReport {
  difference?: Difference;
  requests: number;
  calls: number;
  changes: number;
  /** The recorded run did not end by itself; it was compared up to that point. */
  isPartial: boolean;
}

export interface RunPlayerOptions {
  recording: Recording;
  root: string;
  home: string;
  scrubber: Scrubber;
  /** Takes what the run does now for right, as far as the recording has answers. */
  isLenient: boolean;
  /** Keeps the pauses of the recorded streams. */
  isTimed: boolean;
}

/** How long something waits for its turn. */
const PATIENCE_MS = 2_000;

export class RunPlayer implements RunTape {
  readonly isReplay = true;
  readonly clock: ReplayClock;
  readonly http: HttpTap;
  private readonly options: RunPlayerOptions;
  private readonly entries: Entry[];
  private readonly began: TreeMarks;
  private readonly waiting: (() => void)[] = [];
  private difference: Difference | undefined;
  /** The recording ends in the middle of something. */
  private isOver = false;
  private exitCode = 0;

  constructor(options: RunPlayerOptions) {
    this.options = options;
    const { start, lines } = options.recording;
    const slept = lines.flatMap((line) => (line.type === 'sleep' ? [line.ms] : []));
    this.clock = new ReplayClock(start.started, start.seed, slept);
    this.entries = entriesOf(options.recording);
    this.http = (method, request) => this.answer(method, request);
    this.began = markTree(options.root);
  }

  addSecrets(): void {}

  opening(): void {}

  wrapGenerator(generator: ContentGenerator): ContentGenerator {
    return replayGenerator(generator, (url, body, signal) => this.playText(url, body, signal));
  }

  async execute(
    { tool, args, context, isReproducible }: TapedCall,
    live: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const clean = this.options.scrubber.json(args);
    const entry = this.take('call', (line) => line.tool === tool && JSON.stringify(line.args) === clean, {
      ...{ name: `the call ${tool}`, text: clean, about: (line: CallLine) => `the call ${line.tool}` },
      textOf: (line: CallLine) => JSON.stringify(line.args),
    });
    const end = entry.end as ResultLine | undefined;
    if (isReproducible) {
      const result = await live().finally(() => this.settle(entry));
      if (end) this.clock.advanceTo(end.at);
      return result;
    }
    if (!end) throw this.reachEnd();
    await this.turnOf(entry);
    this.settle(entry);
    this.clock.advanceTo(end.at);
    writeContents(this.options.root, end.changes ?? [], (text) => this.restore(text));
    if (end.output !== undefined) context.onOutput(this.restore(end.output));
    if (end.error) throw new ToolError(this.restore(end.error.message), end.error.type as ToolErrorType);
    return JSON.parse(this.restore(JSON.stringify(end.result))) as ToolResult;
  }

  end(exitCode: number): void {
    this.exitCode = exitCode;
  }

  /** After the run. */
  report(): ReplayReport {
    const { recording, root, scrubber } = this.options;
    const changes = contentsOf(root, changedPaths(this.began, markTree(root)));
    const { end } = recording;
    const isPartial = this.isOver || end === undefined;
    if (!this.difference && !isPartial && !this.options.isLenient) {
      const clean = JSON.parse(scrubber.json(changes)) as FileContent[];
      this.difference = this.findMissing() ?? differenceOfFiles(end.changes, clean) ?? this.findExit(end.exitCode);
    }
    const used = this.entries.filter(({ isUsed }) => isUsed);
    return {
      ...(this.difference && { difference: this.difference }),
      requests: used.filter(({ line }) => line.type === 'request').length,
      calls: used.filter(({ line }) => line.type === 'call').length,
      ...{ changes: changes.length, isPartial },
    };
  }

  private findMissing(): Difference | undefined {
    const missing = this.entries.find(({ isUsed }) => !isUsed);
    return missing && { kind: 'missing', message: `The recorded run went on with ${nameOf(missing)}; this one ended.` };
  }

  private findExit(expected: number): Difference | undefined {
    if (expected === this.exitCode) return undefined;
    return {
      kind: 'exit',
      message: 'The exit code differs.',
      expected: String(expected),
      actual: String(this.exitCode),
    };
  }

  private async answer(method: string, request: HttpRequest): Promise<HttpResponse> {
    throwIfAborted(request.signal);
    const bytes = request.body instanceof Uint8Array ? [request.body] : (request.body ?? []);
    const body = this.options.scrubber.body(Buffer.concat(bytes).toString('utf8'));
    const entry = this.takeRequest(method, String(request.url), body, request.headers);
    const response = await this.responseOf(entry);
    if (response.error && response.status === undefined) {
      this.settle(entry);
      throw toApiError(response.error);
    }
    const { signal } = request;
    let closed = false;
    const play = () => this.play(entry, response, signal);
    async function* read(): AsyncGenerator<Buffer, void> {
      for await (const text of play()) {
        if (closed) return;
        yield Buffer.from(text);
      }
    }
    return {
      ...{ status: response.status ?? 0, statusText: response.statusText ?? '', headers: response.headers ?? {} },
      body: read(),
      close: () => void (closed = true),
      get closed() {
        return closed;
      },
    };
  }

  private async *playText(url: string, given: string, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
    throwIfAborted(signal);
    const entry = this.takeRequest('POST', url, this.options.scrubber.body(given), {});
    yield* this.play(entry, await this.responseOf(entry), signal);
  }

  private async *play(
    entry: Entry,
    response: ResponseLine,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string, void> {
    try {
      yield* this.pieces(response, signal);
    } finally {
      this.settle(entry);
    }
  }

  private async *pieces(response: ResponseLine, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
    for (const [at, text] of response.chunks) {
      throwIfAborted(signal);
      const pause = this.options.isTimed ? this.clock.until(at) : 0;
      if (pause > 0) await systemClock.sleep(pause, signal);
      this.clock.advanceTo(at);
      yield this.restore(text);
    }
    this.clock.advanceTo(response.at);
    if (response.error) throw toApiError(response.error);
    if (response.isOpen) throw this.reachEnd();
  }

  private takeRequest(method: string, url: string, body: string, given: Readonly<Record<string, string>>): Entry {
    const { scrubber } = this.options;
    const address = scrubber.scrub(url);
    const headers = comparable(scrubber.headers(given));
    const isSame = (line: RequestLine) =>
      line.method === method && line.url === address && line.body === body && comparable(line.headers) === headers;
    return this.take('request', isSame, {
      name: `the request ${method} ${address}`,
      text: `${method} ${address}\n${headers}\n${body}`,
      about: (line: RequestLine) => `the request ${line.method} ${line.url}`,
      textOf: (line: RequestLine) =>
        line.method === method && line.url === address && comparable(line.headers) === headers
          ? line.body
          : `${line.method} ${line.url}\n${comparable(line.headers)}\n${line.body}`,
      body,
    });
  }

  private async responseOf(entry: Entry): Promise<ResponseLine> {
    if (!entry.end) throw this.reachEnd();
    await this.turnOf(entry);
    return entry.end as ResponseLine;
  }

  /** What began or ended before this ended does so first: runs at the same time draw their ids in the recorded order. */
  private async turnOf({ endsAt }: Entry): Promise<void> {
    const isEarly = () =>
      this.entries.some((each) => (!each.isUsed && each.startsAt < endsAt) || (!each.isDone && each.endsAt < endsAt));
    while (!this.difference && isEarly()) {
      const used = new Promise<boolean>((resolve) => this.waiting.push(() => resolve(true)));
      const patience = systemClock.sleep(PATIENCE_MS).then(() => false);
      // What does not come is a difference, which is found when something else comes in its place.
      if (!(await Promise.race([used, patience]))) return;
    }
  }

  private take<Kind extends 'request' | 'call'>(
    kind: Kind,
    isSame: (line: Extract<RequestLine | CallLine, { type: Kind }>) => boolean,
    about: Described<Extract<RequestLine | CallLine, { type: Kind }>>,
  ): Entry {
    type Line = Extract<RequestLine | CallLine, { type: Kind }>;
    if (this.difference) throw stopped();
    const left = this.entries.filter(({ isUsed }) => !isUsed);
    const same = left.find(({ line }) => line.type === kind && isSame(line as Line));
    const next = left[0];
    if (!same) {
      const lenient = this.options.isLenient ? left.find(({ line }) => line.type === kind) : undefined;
      if (lenient) return this.use(lenient);
      if (!next && this.options.recording.end === undefined) throw this.reachEnd();
      throw this.differ(
        next === undefined
          ? beyondEnd(about)
          : differenceTo(next, kind, about as unknown as Described<RequestLine | CallLine>),
      );
    }
    const earlier = left.find(({ endsAt }) => endsAt < same.startsAt);
    if (earlier && !this.options.isLenient)
      throw this.differ({
        kind: 'order',
        message: `The order differs: ${about.name} comes before ${nameOf(earlier)}, which came first in the recording.`,
      });
    return this.use(same);
  }

  private use(entry: Entry): Entry {
    entry.isUsed = true;
    this.wake();
    this.clock.advanceTo(entry.line.at);
    return entry;
  }

  private settle(entry: Entry): void {
    entry.isDone = true;
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private differ(difference: Difference): ApiError {
    this.difference ??= difference;
    return stopped();
  }

  private reachEnd(): ApiError {
    this.isOver = true;
    return stopped();
  }

  private restore(text: string): string {
    return restorePaths(text, { workspace: this.options.root, home: this.options.home });
  }
}

/** Final: a retry would get the same. */
function stopped(): ApiError {
  return new ApiError('The replay stopped here.', { reason: 'invalid_request' });
}

function toApiError({ message, reason, code }: NonNullable<ResponseLine['error']>): ApiError {
  const known = {
    reason: reason as ConstructorParameters<typeof ApiError>[1]['reason'],
    ...(code !== undefined && { code }),
  };
  return new ApiError(message, known);
}

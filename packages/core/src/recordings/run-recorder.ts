/**
 * RunRecorder: writes a run to a file while it happens. Each line is on disk before the run goes on, so that the file of a run that
 * died holds everything up to that point. No line is written that was not scrubbed.
 */

import { appendFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { ApiError, ToolError, getErrorMessage } from '../protocol/errors.ts';
import type { ToolResult } from '../protocol/tools.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { HttpRequest, HttpResponse } from '../provider/http/http-messages.ts';
import type { HttpTap } from '../provider/http/http-tap.ts';
import { MarkError } from '../secrets/mark-command.ts';
import { recordGenerator } from './generator-tape.ts';
import type { FileContent, FileLine, RecordingLine, StartLine } from './recording-lines.ts';
import { toContent } from './recording-lines.ts';
import type { RunTape, TapedCall } from './run-tape.ts';
import type { Scrubber } from './scrubber.ts';
import { RecordingClock } from './taped-clock.ts';
import type { ReplayClock } from './taped-clock.ts';
import { changedPaths, contentsOf, markTree, readKept } from './workspace-state.ts';
import type { TreeMarks } from './workspace-state.ts';

export interface RunRecorderOptions {
  path: string;
  /** The workspace, without links. */
  root: string;
  scrubber: Scrubber;
  start: StartLine;
  files: readonly FileLine[];
  /** The system's, or that of the recording that is recorded anew. */
  clock?: ReplayClock;
  /** The waits and stand-ins of that recording. */
  kept?: readonly RecordingLine[];
}

export class RunRecorder implements RunTape {
  readonly isReplay = false;
  readonly clock: RecordingClock | ReplayClock;
  readonly http: HttpTap;
  private readonly options: RunRecorderOptions;
  private readonly began: TreeMarks;
  /** Paths whose content at the start is in the file. */
  private readonly kept: Set<string>;
  private count = 0;
  private hasEnded = false;

  constructor(options: RunRecorderOptions) {
    this.options = options;
    const { start, files, clock } = options;
    const onSlept = (ms: number) => this.write({ type: 'sleep', ms });
    this.clock = clock ?? new RecordingClock(start.started, start.seed, onSlept);
    this.http = (method, request, live) => this.send(method, request, live);
    this.began = markTree(this.options.root);
    this.kept = new Set(files.filter(({ root }) => root === 'workspace').map(({ path }) => path));
    const names = start.names.length > 0 ? start.names : [...this.began.keys()].slice(0, MOST_NAMES);
    this.write({ ...start, names });
    for (const line of [...files, ...(options.kept ?? [])]) this.write(line);
  }

  addSecrets(secrets: readonly string[]): void {
    this.options.scrubber.addSecrets(secrets);
  }

  opening(path: string): void {
    const name = this.nameOf(path);
    if (name === undefined || this.kept.has(name)) return;
    this.kept.add(name);
    const bytes = readKept(path);
    if (bytes) this.write({ type: 'file', root: 'workspace', ...toContent(name, bytes) });
  }

  wrapGenerator(generator: ContentGenerator): ContentGenerator {
    return recordGenerator(generator, (url, body) => {
      const id = this.begin({ method: 'POST', url, headers: {}, body });
      const chunks: [number, string][] = [];
      return {
        chunk: (text) => void chunks.push([this.at(), text]),
        end: (error) => this.respond(id, { status: 200, statusText: '', headers: {} }, chunks, error),
      };
    });
  }

  async execute({ tool, args, context, isReproducible }: TapedCall, live: () => Promise<ToolResult>) {
    const id = (this.count += 1);
    this.write({ type: 'call', id, at: this.at(), tool, args });
    const before = isReproducible ? undefined : markTree(this.options.root);
    let output = '';
    const { onOutput } = context;
    context.onOutput = (chunk) => {
      output += chunk;
      onOutput.call(context, chunk);
    };
    const end = (outcome: { result: ToolResult } | { error: { message: string; type?: string } }) => {
      const changes = before && this.changesSince(before);
      // The replay gets it from the result: at its start the file is not there.
      for (const { path } of changes ?? []) if (!this.began.has(path)) this.kept.add(path);
      const more = { ...(output !== '' && { output }), ...(changes && changes.length > 0 && { changes }) };
      this.write({ type: 'result', id, at: this.at(), ...outcome, ...more });
    };
    try {
      const result = await live();
      end({ result });
      return result;
    } catch (error) {
      const type = error instanceof ToolError ? error.type : error instanceof MarkError ? INVALID_MARK : undefined;
      end({ error: { message: getErrorMessage(error), ...(type !== undefined && { type }) } });
      throw error;
    }
  }

  end(exitCode: number): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.write({ type: 'end', at: this.at(), exitCode, changes: this.changesSince(this.began) });
  }

  private changesSince(before: TreeMarks): FileContent[] {
    return contentsOf(this.options.root, changedPaths(before, markTree(this.options.root)));
  }

  private async send(method: string, request: HttpRequest, live: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const { url, headers, body = [] } = request;
    const bytes = body instanceof Uint8Array ? [body] : body;
    const id = this.begin({ method, url: String(url), headers, body: Buffer.concat(bytes).toString('utf8') });
    const chunks: [number, string][] = [];
    let response: HttpResponse;
    try {
      response = await live();
    } catch (error) {
      this.respond(id, undefined, chunks, error);
      throw error;
    }
    let isTold = false;
    const tell = (error?: unknown, isOpen?: boolean) => {
      if (isTold) return;
      isTold = true;
      this.respond(id, response, chunks, error, isOpen);
    };
    const { body: inner } = response;
    const decoder = new TextDecoder();
    const clock = () => this.at();
    async function* read(): AsyncGenerator<Buffer, void> {
      try {
        for await (const chunk of inner) {
          chunks.push([clock(), decoder.decode(chunk, { stream: true })]);
          yield chunk;
        }
        tell();
      } catch (error) {
        tell(error, request.signal?.aborted);
        throw error;
      } finally {
        tell(undefined, request.signal?.aborted);
      }
    }
    return {
      ...{ status: response.status, statusText: response.statusText, headers: response.headers, body: read() },
      close() {
        response.close();
        tell(undefined, request.signal?.aborted);
      },
      get closed() {
        return response.closed;
      },
    };
  }

  private begin(about: {
    method: string;
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
  }): number {
    const { scrubber } = this.options;
    const id = (this.count += 1);
    const clean = { headers: scrubber.headers(about.headers), body: scrubber.body(about.body) };
    this.write({ type: 'request', id, at: this.at(), ...about, ...clean });
    return id;
  }

  private respond(
    id: number,
    head: Pick<HttpResponse, 'status' | 'statusText' | 'headers'> | undefined,
    chunks: readonly [number, string][],
    error?: unknown,
    isOpen = false,
  ): void {
    const { scrubber } = this.options;
    const about = head && {
      ...{ status: head.status, statusText: head.statusText, headers: scrubber.headers(head.headers) },
    };
    this.write({
      ...{ type: 'response', id, at: this.at(), ...about, chunks: scrubber.chunks(chunks) },
      ...(error !== undefined && { error: toError(error) }),
      ...(isOpen && { isOpen: true }),
    });
  }

  private nameOf(path: string): string | undefined {
    const name = relative(this.options.root, path);
    return name.startsWith('..') || name === '' ? undefined : name.split(sep).join('/');
  }

  private at(): number {
    return this.clock.tick();
  }

  private write(line: RecordingLine): void {
    if (this.hasEnded && line.type !== 'end') return;
    const { scrubber, path } = this.options;
    const rows = [
      scrubber.json(line),
      ...scrubber.takeStandIns().map((made) => JSON.stringify({ type: 'secret', ...made })),
    ];
    appendFileSync(path, rows.map((row) => `${row}\n`).join(''));
  }
}

/** As the tools say it around the tape. */
const INVALID_MARK = 'invalid_tool_params';
const MOST_NAMES = 5_000;

function toError(error: unknown): { message: string; reason: string; code?: string } {
  if (!(error instanceof ApiError)) return { message: getErrorMessage(error), reason: 'network' };
  const { message, reason, code } = error;
  return { message, reason, ...(code !== undefined && { code: String(code) }) };
}

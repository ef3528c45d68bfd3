/**
 * StdioTransport: an MCP server as a child process that leads its own group. One JSON message per line; other output
 * is dropped and bounded, stderr is drained and its end kept. Closing ends the whole group.
 */

import type { ChildProcess } from 'node:child_process';
import type { ChildGuard } from '../tools/run-child.ts';
import { CALL_MARK } from '../tools/shell/child-environment.ts';
import { signalChildGroup, waitForExit } from '../util/child-group.ts';
import type { Clock } from '../util/clock.ts';
import type { Confine, Invocation } from '../util/invocation.ts';
import { cleanContent } from './clean-text.ts';
import type { JsonRpcMessage, RpcTransport } from './rpc-session.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { startInvocation } from '../util/start-invocation.ts';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  guard?: ChildGuard | undefined;
  /** Puts the server into a sandbox; absent: none was asked for. */
  confine?: Confine | undefined;
  clock: Clock;
}

/** Media in a result makes long messages. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Lines that are not messages: a few are usual, more is a program that does not speak the protocol. */
const MAX_OTHER_BYTES = 1024 * 1024;
const MAX_STDERR_CHARACTERS = 8 * 1024;
/** What a server that does not read may hold up. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const GRACE_MS = 300;
const NEWLINE = 0x0a;

export class StdioTransport implements RpcTransport {
  onmessage: RpcTransport['onmessage'];
  onclose: RpcTransport['onclose'];
  onerror: RpcTransport['onerror'];
  private readonly options: StdioOptions;
  private child: ChildProcess | undefined;
  private exited: Promise<void> | undefined;
  private line: Buffer[] = [];
  private lineBytes = 0;
  private isOther = false;
  private otherBytes = 0;
  private errors = '';
  private failure: string | undefined;
  private isOver = false;
  /** Carried by every process that the server starts. */
  private mark: string | undefined;
  /** Whether a message came: a program that says nothing has nothing to put in order before it ends. */
  private hasSpoken = false;

  constructor(options: StdioOptions) {
    this.options = options;
  }

  /** The end of what the server wrote to stderr, harmless on a screen. */
  get stderrTail(): string {
    return cleanContent(this.errors).trim();
  }

  /** Bytes on stdout that are not messages. */
  get strayBytes(): number {
    return this.otherBytes;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Rejects with a sentence when the program cannot be started. */
  async start(): Promise<void> {
    const { command, args, cwd, env, guard } = this.options;
    const marks = guard?.prepare() ?? {};
    this.mark = marks[CALL_MARK];
    const given = { file: command, args, directory: cwd, environment: { ...env, ...marks } };
    const invocation = await this.confine(given);
    const child = startInvocation(invocation, {
      cwd,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-MAX_STDERR_CHARACTERS);
    });
    const started = Promise.withResolvers<void>();
    child.once('spawn', () => started.resolve());
    this.exited = this.follow(child, started.reject);
    if (child.pid !== undefined) guard?.watch(child.pid);
    await started.promise;
  }

  async send(message: JsonRpcMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable) throw new Error(this.failure ?? 'The server is not running.');
    if (stdin.writableLength > MAX_UNSENT_BYTES) throw new Error('The server does not read its input.');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the process and its group are gone. */
  async close(): Promise<void> {
    const { child, exited } = this;
    if (!child || !exited) return;
    child.stdin?.end();
    const steps = [...(this.hasSpoken ? [undefined] : []), 'SIGTERM', 'SIGKILL'] as const;
    for (const signal of steps) {
      if (signal) signalChildGroup(child, signal);
      if (await this.endsWithin(exited, GRACE_MS)) break;
    }
    // Children of the server may outlive it.
    signalChildGroup(child, 'SIGKILL');
  }

  /** After `close`: ends what left the server's group, without waiting for the end of this program. */
  async endStrays(): Promise<void> {
    if (this.mark === undefined) return;
    const { killMarkedProcesses } = await import('../tools/shell/stray-processes.ts');
    await killMarkedProcesses(this.mark);
  }

  private async confine(given: Invocation): Promise<Invocation> {
    const { confine } = this.options;
    if (!confine) return given;
    try {
      return await confine(given, 'server');
    } catch (error) {
      throw new Error(this.describeStartFailure(error), { cause: error });
    }
  }

  private async endsWithin(exited: Promise<void>, ms: number): Promise<boolean> {
    const waiting = new AbortController();
    const elapsed = this.options.clock.sleep(ms, waiting.signal).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([exited.then(() => true), elapsed]);
    } finally {
      waiting.abort();
    }
  }

  private async follow(child: ChildProcess, onStartFailed: (error: Error) => void): Promise<void> {
    const { guard } = this.options;
    try {
      const { code, signal } = await waitForExit(child);
      const how = signal ? `ended by ${signal}` : `exited with code ${code ?? 'unknown'}`;
      this.failure ??= `The server's process ${how}.`;
    } catch (error) {
      this.failure = this.describeStartFailure(error);
      onStartFailed(new Error(this.failure));
    }
    signalChildGroup(child, 'SIGKILL');
    if (child.pid !== undefined) guard?.unwatch(child.pid);
    this.isOver = true;
    this.onclose?.(this.failure);
  }

  private describeStartFailure(error: unknown): string {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'the program or its folder does not exist' : getErrorMessage(error);
    return `"${this.options.command}" could not be started: ${why}.`;
  }

  private read(chunk: Buffer): void {
    for (let start = 0; start < chunk.length && !this.isOver;) {
      const end = chunk.indexOf(NEWLINE, start);
      this.collect(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.endLine();
      start = end + 1;
    }
  }

  /** Only a line that begins like a message is kept. */
  private collect(piece: Buffer): void {
    if (this.lineBytes === 0 && !this.isOther) this.isOther = !/^\s*(\{|\[|$)/.test(piece.toString('latin1', 0, 100));
    if (this.isOther) return this.countOther(piece.length);
    this.line.push(piece);
    this.lineBytes += piece.length;
    if (this.lineBytes > MAX_MESSAGE_BYTES)
      this.fail(`The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`);
  }

  private endLine(): void {
    const text = this.isOther ? '' : Buffer.concat(this.line).toString('utf8').trim();
    const wasOther = this.isOther;
    this.line = [];
    this.lineBytes = 0;
    this.isOther = false;
    if (text === '' || wasOther) return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.countOther(text.length);
      this.onerror?.(new Error(`The server printed a line that is not a message: ${getErrorMessage(error)}`));
      return;
    }
    this.hasSpoken = true;
    // Older protocols send several messages in a list.
    for (const each of Array.isArray(message) ? (message as unknown[]) : [message]) this.onmessage?.(each);
  }

  private countOther(bytes: number): void {
    this.otherBytes += bytes;
    if (this.otherBytes <= MAX_OTHER_BYTES) return;
    this.fail(`The server printed more than ${MAX_OTHER_BYTES} bytes that are not messages to its stdout.`);
  }

  private fail(reason: string): void {
    this.failure ??= reason;
    this.isOver = true;
    this.line = [];
    this.child?.stdout?.destroy();
    if (this.child) signalChildGroup(this.child, 'SIGKILL');
  }
}

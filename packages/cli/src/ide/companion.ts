/**
 * Companion: the connection to an editor's companion. It keeps the editor's context, opens and closes diffs, and comes
 * back by itself after a loss: nothing waits for it, and a request to it never outlasts its limit.
 */

import { systemClock } from '@castor/core';
import type { IdeState } from '@castor/core';
import { describeFailure, isRecord, isSignInMissing, McpConnection } from '@castor/core/program';
import { readContext } from './editor-context.ts';
import type { EditorContext } from './editor-context.ts';
import { findCompanion } from './find-companion.ts';
import type { CompanionAddress, FindCompanionOptions } from './find-companion.ts';
import { hostsOf, openTransport } from './open-transport.ts';

export interface CompanionOptions extends FindCompanionOptions {
  readonly version: string;
  /** The editor's name where its companion does not say it. */
  readonly editorName: string;
  /** The connection or the context changed. */
  readonly onChange: () => void;
}

export type CompanionState =
  | {
      readonly kind: 'connected';
      readonly name: string;
      readonly canDiff: boolean;
      readonly folders: readonly string[];
    }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'disconnected'; readonly details: string };

/** What the user did with a diff in the editor. */
export type DiffAnswer = { readonly isAccepted: true; readonly content: string } | { readonly isAccepted: false };

const IDE_MODE_OFF = 'IDE mode is off. /ide enable turns it on.';
const START_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 10_000;
/** The user has answered in the terminal: an editor that hangs does not hold the answer back for longer. */
const CLOSE_LIMIT_MS = 2_000;
const CHECK_MS = 5_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

export class Companion {
  state: CompanionState = { kind: 'disconnected', details: IDE_MODE_OFF };
  /** What was looked at in the search for a companion, one line each. */
  looked: readonly string[] = [];
  private readonly options: CompanionOptions;
  private connection: McpConnection | undefined;
  private context: EditorContext | undefined;
  private readonly diffs = new Map<string, (answer: DiffAnswer) => void>();
  private timer: NodeJS.Timeout | undefined;
  private losses = 0;
  private opening: Promise<void> | undefined;
  private isClosed = true;

  constructor(options: CompanionOptions) {
    this.options = options;
  }

  /** For the prompt; undefined while no editor is connected. */
  get editorState(): IdeState | undefined {
    return this.state.kind === 'connected' ? this.context?.state : undefined;
  }

  get isTrusted(): boolean | undefined {
    return this.state.kind === 'connected' ? this.context?.isTrusted : undefined;
  }

  /** Of the editor's window. */
  get folders(): readonly string[] {
    return this.state.kind === 'connected' ? this.state.folders : [];
  }

  get canDiff(): boolean {
    return this.state.kind === 'connected' && this.state.canDiff;
  }

  /** Resolves when it is connected or known why not. Never rejects. */
  async connect(): Promise<void> {
    this.isClosed = false;
    if (this.state.kind !== 'connected') await this.open();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const { connection } = this;
    this.forget(IDE_MODE_OFF);
    await connection?.close();
  }

  /** The user's answer in the editor; undefined when the editor cannot be asked or the signal aborts. */
  async openDiff(filePath: string, newContent: string, signal: AbortSignal): Promise<DiffAnswer | undefined> {
    const { connection } = this;
    if (!connection || !this.canDiff || signal.aborted) return undefined;
    const answered = Promise.withResolvers<DiffAnswer | undefined>();
    const stop = () => answered.resolve(undefined);
    this.diffs.set(filePath, (answer) => answered.resolve(answer));
    signal.addEventListener('abort', stop, { once: true });
    try {
      const limits = { timeoutMs: REQUEST_LIMIT_MS, signal };
      const { isError } = await connection.callTool('openDiff', { filePath, newContent }, limits);
      if (isError === true) return undefined;
      return await answered.promise;
    } catch {
      // The terminal still asks.
      return undefined;
    } finally {
      this.diffs.delete(filePath);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Closes a diff that was answered elsewhere; resolves to the text the user left in it, where there is one. */
  async closeDiff(filePath: string): Promise<string | undefined> {
    try {
      const args = { filePath, suppressNotification: true };
      const result = await this.connection?.callTool('closeDiff', args, { timeoutMs: CLOSE_LIMIT_MS });
      return readClosed(result?.['content']);
    } catch {
      return undefined;
    }
  }

  /** One search at a time. */
  private open(): Promise<void> {
    clearTimeout(this.timer);
    this.opening ??= this.search().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private async search(): Promise<void> {
    this.setState({ kind: 'connecting' });
    const { addresses, problem = '', looked } = findCompanion(this.options);
    this.looked = looked;
    const failures: string[] = [];
    for (const address of addresses) {
      try {
        await this.openAt(address);
        this.losses = 0;
        return;
      } catch (error) {
        const place = address.port === undefined ? `the program ${address.command}` : `port ${address.port}`;
        failures.push(`${place}: ${describeRefusal(error)}`);
      }
    }
    this.looked = [...looked, ...failures];
    this.lose(failures.length > 0 ? `No connection to the companion at ${failures.join('; ')}` : problem);
  }

  private async openAt(address: CompanionAddress): Promise<void> {
    const connection = await this.reach(address);
    const { items: tools } = await connection
      .listTools({ timeoutMs: REQUEST_LIMIT_MS })
      .catch(async (error: unknown) => {
        await connection.close();
        throw error;
      });
    const names = new Set(tools.map(({ name }) => name));
    if (this.isClosed) return connection.close();
    this.connection = connection;
    const canDiff = names.has('openDiff') && names.has('closeDiff');
    const { name = this.options.editorName, workspaces: folders } = address;
    this.setState({ kind: 'connected', name, canDiff, folders });
    this.schedule(CHECK_MS, () => this.check());
  }

  /** Rejects with the answer of the first host: the others are only guesses. */
  private async reach(address: CompanionAddress): Promise<McpConnection> {
    const [first = '', ...others] = hostsOf(address);
    try {
      return await this.handshake(address, first);
    } catch (error) {
      // A host that answered is the right one, even if it refused.
      const guesses = statusOf(error) === undefined ? others : [];
      for (const host of guesses) {
        const found = await this.handshake(address, host).catch(() => undefined);
        if (found) return found;
      }
      throw error;
    }
  }

  private async handshake(address: CompanionAddress, host: string): Promise<McpConnection> {
    const transport = await openTransport(address, host, this.options, () => void this.check());
    let isOpen = false;
    const connection = await McpConnection.open({
      transport,
      clientVersion: this.options.version,
      clock: systemClock,
      startLimitMs: START_LIMIT_MS,
      signal: new AbortController().signal,
      capabilities: {},
      onRequest: () => undefined as never,
      onNotification: (method, params) => this.receive(method, params),
      onClose: () => {
        if (isOpen) this.lose('The connection to the editor was lost.');
      },
    });
    isOpen = true;
    return connection;
  }

  /** Finds out whether the companion still answers. */
  private async check(): Promise<void> {
    const { connection } = this;
    if (!connection || this.state.kind !== 'connected') return;
    try {
      await connection.listTools({ timeoutMs: REQUEST_LIMIT_MS });
      this.schedule(CHECK_MS, () => this.check());
    } catch {
      if (this.connection === connection) this.lose('The connection to the editor was lost.');
    }
  }

  private receive(method: string, params: Record<string, unknown>): void {
    const { filePath, content } = params;
    switch (method) {
      case 'ide/contextUpdate':
        // What is not a context says nothing about the files.
        this.context = readContext(params) ?? this.context;
        return this.options.onChange();
      case 'ide/diffAccepted':
        // Without its text it says nothing about what to write; the question stays open.
        return typeof content === 'string' ? this.answer(filePath, { isAccepted: true, content }) : undefined;
      case 'ide/diffRejected':
      case 'ide/diffClosed':
        return this.answer(filePath, { isAccepted: false });
      default:
        return;
    }
  }

  private answer(filePath: unknown, answer: DiffAnswer): void {
    if (typeof filePath === 'string') this.diffs.get(filePath)?.(answer);
  }

  /** Tries again by itself: the editor may have been restarted, on another port. */
  private lose(details: string): void {
    if (this.isClosed) return;
    const { connection } = this;
    this.forget(details);
    void connection?.close();
    const wait = RETRY_MS[Math.min(this.losses, RETRY_MS.length - 1)]!;
    this.losses += 1;
    this.schedule(wait, () => this.open());
  }

  private forget(details: string): void {
    this.connection = undefined;
    this.context = undefined;
    this.setState({ kind: 'disconnected', details });
  }

  private schedule(ms: number, act: () => Promise<void>): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void act(), ms);
    this.timer.unref();
  }

  private setState(state: CompanionState): void {
    this.state = state;
    this.options.onChange();
  }
}

function statusOf(error: unknown): number | undefined {
  if (isSignInMissing(error)) return 401;
  const { status } = error as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}

function describeRefusal(error: unknown): string {
  return statusOf(error) === 401
    ? 'it rejected the token (401); restart the editor, or its companion, to get a new one'
    : describeFailure(error);
}

function readClosed(content: unknown): string | undefined {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  const text = isRecord(first) ? first['text'] : undefined;
  if (typeof text !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const left = isRecord(parsed) ? parsed['content'] : undefined;
    return typeof left === 'string' ? left : undefined;
  } catch {
    return undefined;
  }
}

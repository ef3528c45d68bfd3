/** An editor for tests: the client side of the protocol's own library, over the built program as a real process. */

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import type {
  ClientCapabilities,
  ClientConnection,
  ContentBlock,
  CreateElicitationRequest,
  CreateTerminalRequest,
  InitializeResponse,
  NewSessionRequest,
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { cleanEnvironment, Condition } from '@castor/testkit';
import type { FakeModel, Workspace } from '@castor/testkit';

export const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));

export interface EditorOptions {
  readonly workspace: Pick<Workspace, 'home' | 'project'>;
  readonly model?: Pick<FakeModel, 'url'>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly capabilities?: ClientCapabilities;
  /** The id of the chosen option; undefined dismisses the question, an object is sent as it is. Default: allows once. */
  readonly onPermission?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<string | undefined> | string | object | undefined;
  readonly onElicitation?: (request: CreateElicitationRequest) => object;
  /** Unsaved text by path; a written file is stored here too. An error is thrown by a read. */
  readonly buffers?: Map<string, string | Error | RawAnswer>;
  readonly onTerminal?: (request: CreateTerminalRequest) => TerminalRun | Promise<TerminalRun>;
  /** Requests of the agent that the editor never answers. */
  readonly unanswered?: readonly string[];
}

/** The options that answer requests of the agent. */
const ANSWERED = ['onPermission', 'onElicitation', 'buffers', 'onTerminal', 'unanswered'] as const;
export type AnswerOptions = Pick<EditorOptions, (typeof ANSWERED)[number]>;

/** An answer of the editor that is sent as it is. */
export interface RawAnswer {
  readonly raw: unknown;
}

/** What a command in a terminal did; `hang` for one that does not end. */
export type TerminalRun =
  | RawAnswer
  | Error
  | { readonly output: string; readonly exitCode: number; readonly toldBy?: 'exit' }
  | 'hang';

export type Update<Kind extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: Kind }>;

/** A call as an editor shows it after all its updates. */
export interface ShownCall {
  readonly toolCallId: string;
  readonly statuses: readonly string[];
  readonly title: string;
  readonly kind: string | undefined;
  readonly locations: unknown;
  readonly content: readonly Record<string, unknown>[];
  readonly rawInput: unknown;
}

export class Editor implements AsyncDisposable {
  readonly updates: { sessionId: string; update: SessionUpdate }[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly elicitations: CreateElicitationRequest[] = [];
  readonly reads: string[] = [];
  readonly writes: { path: string; content: string }[] = [];
  /** The requests that are never answered. */
  readonly ignored: string[] = [];
  readonly terminals: (CreateTerminalRequest & { killed?: boolean; released?: boolean })[] = [];
  /** Lines of stdout, as they came. */
  stdout = '';
  stderr = '';
  readonly done: Promise<number | null>;
  readonly child: ChildProcessWithoutNullStreams;
  readonly condition = new Condition();
  private readonly sessions: string[] = [];
  private readonly connection: ClientConnection;
  private options: EditorOptions;

  constructor(options: EditorOptions) {
    this.options = options;
    const { workspace, model, args = [], env = {} } = options;
    this.child = spawn(
      process.execPath,
      [PROGRAM, ...(args.some((each) => each.includes('acp')) ? args : ['--acp', ...args])],
      {
        cwd: workspace.project,
        env: cleanEnvironment(workspace.home, { env, ...(model && { model }) }),
      },
    );
    this.child.stdin.on('error', () => undefined);
    this.child.stdout.on('data', (bytes: Buffer) => {
      this.stdout += bytes.toString();
      this.condition.changed();
    });
    this.child.stderr.on('data', (bytes: Buffer) => {
      this.stderr += bytes.toString();
      this.condition.changed();
    });
    this.done = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
    const input = Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>;
    const output = Writable.toWeb(this.child.stdin) as WritableStream<Uint8Array>;
    this.connection = this.app().connect(ndJsonStream(output, input));
  }

  static async open(options: EditorOptions): Promise<Editor & { initialized: InitializeResponse }> {
    const editor = new Editor(options);
    const initialized = await editor.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
    });
    return Object.assign(editor, { initialized });
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The same process and connection for another project: what was shown is forgotten, and questions are answered anew. */
  turnTo(options: AnswerOptions & Pick<EditorOptions, 'workspace'>): void {
    const answers = Object.fromEntries(ANSWERED.map((name) => [name, options[name]]));
    this.options = { ...this.options, ...answers, workspace: options.workspace };
    for (const shown of [this.updates, this.permissions, this.elicitations, this.reads]) shown.length = 0;
    for (const shown of [this.writes, this.ignored, this.terminals]) shown.length = 0;
    this.stdout = '';
    this.stderr = '';
  }

  get request(): ClientConnection['agent']['request'] {
    return this.connection.agent.request.bind(this.connection.agent) as ClientConnection['agent']['request'];
  }

  get notify(): ClientConnection['agent']['notify'] {
    return this.connection.agent.notify.bind(this.connection.agent) as ClientConnection['agent']['notify'];
  }

  async newSession(more: Partial<NewSessionRequest> = {}): Promise<string> {
    const { project } = this.options.workspace;
    const { sessionId } = await this.request('session/new', { cwd: project, mcpServers: [], ...more });
    this.sessions.push(sessionId);
    return sessionId;
  }

  /** What a test has closed or deleted itself is unknown to the agent by now. */
  async closeSessions(): Promise<void> {
    const closing = this.isAlive ? this.sessions.map((sessionId) => this.request('session/close', { sessionId })) : [];
    await Promise.allSettled(closing);
    this.sessions.length = 0;
  }

  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    const blocks: ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    return this.request('session/prompt', { sessionId, prompt: blocks });
  }

  of<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind, sessionId?: string): Update<Kind>[] {
    return this.updates.flatMap(({ sessionId: id, update }) =>
      update.sessionUpdate === kind && (sessionId === undefined || id === sessionId) ? [update as Update<Kind>] : [],
    );
  }

  text(
    kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk',
    sessionId?: string,
  ): string {
    return this.of(kind, sessionId)
      .map(({ content }) => (content.type === 'text' ? content.text : ''))
      .join('');
  }

  /** Every call with the states it went through. */
  calls(): ShownCall[] {
    const calls = new Map<string, Record<string, unknown> & { statuses: string[] }>();
    for (const { update } of this.updates) {
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
      const known = calls.get(update.toolCallId) ?? { statuses: [] };
      const given = Object.fromEntries(
        Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
      );
      const statuses = update.status ? [...known.statuses, update.status] : known.statuses;
      calls.set(update.toolCallId, { ...known, ...given, statuses });
    }
    return [...calls.values()].map((call) => ({ content: [], ...call }) as unknown as ShownCall);
  }

  until(test: () => boolean): Promise<void> {
    return this.condition.until(test);
  }

  closeStdin(): void {
    this.child.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    this.child.kill('SIGKILL');
    await this.done;
  }

  /** Waits for ever where the request is one of the unanswered. */
  private async ignore(method: string): Promise<void> {
    if (!this.options.unanswered?.includes(method)) return;
    this.ignored.push(method);
    this.condition.changed();
    await new Promise<never>(() => undefined);
  }

  private app() {
    const exits = new Map<
      string,
      {
        ran: Exclude<TerminalRun, RawAnswer | Error>;
        exit: PromiseWithResolvers<{ exitCode: number | null; signal: string | null }>;
      }
    >();
    return client({ name: 'test' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params);
        this.condition.changed();
      })
      .onRequest('session/request_permission', async ({ params, signal }) => {
        this.permissions.push(params);
        this.condition.changed();
        const { onPermission = () => 'proceed_once' } = this.options;
        const optionId = await onPermission(params, signal);
        if (typeof optionId === 'object') return optionId as never;
        return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .onRequest('elicitation/create', ({ params }) => {
        this.elicitations.push(params);
        return (this.options.onElicitation?.(params) ?? { action: 'decline' }) as never;
      })
      .onRequest('fs/read_text_file', async ({ params }) => {
        this.reads.push(params.path);
        await this.ignore('fs/read_text_file');
        const content = this.options.buffers?.get(params.path);
        if (content === undefined) throw new Error(`ENOENT: ${params.path}`);
        if (content instanceof Error) throw content;
        if (typeof content === 'object') return content.raw as never;
        return { content };
      })
      .onRequest('fs/write_text_file', async ({ params }) => {
        await this.ignore('fs/write_text_file');
        this.writes.push({ path: params.path, content: params.content });
        this.options.buffers?.set(params.path, params.content);
        return {};
      })
      .onRequest('terminal/create', async ({ params }) => {
        await this.ignore('terminal/create');
        const terminalId = `t${this.terminals.length + 1}`;
        this.terminals.push(params);
        this.condition.changed();
        const ran = (await this.options.onTerminal?.(params)) ?? { output: '', exitCode: 0 };
        if (ran instanceof Error) throw ran;
        if (typeof ran === 'object' && 'raw' in ran) return ran.raw as never;
        const exit = Promise.withResolvers<{ exitCode: number | null; signal: string | null }>();
        exits.set(terminalId, { ran, exit });
        if (ran !== 'hang') exit.resolve({ exitCode: ran.exitCode, signal: null });
        return { terminalId };
      })
      .onRequest('terminal/wait_for_exit', ({ params }) => exits.get(params.terminalId)!.exit.promise)
      .onRequest('terminal/output', async ({ params }) => {
        const { ran, exit } = exits.get(params.terminalId)!;
        const output = ran === 'hang' ? '' : ran.output;
        if (ran !== 'hang' && ran.toldBy === 'exit') return { output, truncated: false };
        return { output, truncated: false, exitStatus: await Promise.race([exit.promise, Promise.resolve(null)]) };
      })
      .onRequest('terminal/kill', async ({ params }) => {
        await this.ignore('terminal/kill');
        this.terminals[Number(params.terminalId.slice(1)) - 1]!.killed = true;
        exits.get(params.terminalId)!.exit.resolve({ exitCode: null, signal: 'SIGTERM' });
        return {};
      })
      .onRequest('terminal/release', ({ params }) => {
        this.terminals[Number(params.terminalId.slice(1)) - 1]!.released = true;
        this.condition.changed();
        return {};
      });
  }
}

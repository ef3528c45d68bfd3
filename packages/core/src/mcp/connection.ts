/**
 * McpConnection: a server after its handshake. It lists what the server offers, page by page, calls a tool, gets a
 * prompt, reads and follows a resource, and passes on the server's notifications and requests.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import type { Clock } from '../util/clock.ts';
import { cleanDescription, cleanLine } from './clean-text.ts';
import { listPages } from './list-pages.ts';
import type { ListedItems, PagedList } from './list-pages.ts';
import { PROMPTS, RESOURCES, TEMPLATES, TOOLS } from './listed-items.ts';
import type { ListedPrompt, ListedResource, ListedTemplate, ListedTool } from './listed-items.ts';
import { RpcError, RpcSession } from './rpc-session.ts';
import type { RequestOptions, RpcSessionOptions, RpcTransport } from './rpc-session.ts';
import type { ServerAddress } from './server-config.ts';
import type { CallResult } from './tool-result.ts';

const OFFERED_VERSION = '2025-11-25';
const VERSIONS: ReadonlySet<string> = new Set([
  ...[OFFERED_VERSION, '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
]);
const MAX_INSTRUCTIONS = 8_000;
/** How long a server may take to confirm that the handshake is over. */
const HEARD_MS = 3_000;
/** Values that a server offers for one argument. */
const MAX_COMPLETIONS = 100;

export interface ConnectionOptions {
  transport: RpcTransport;
  clientVersion: string;
  clock: Clock;
  /** Of the handshake. */
  startLimitMs: number;
  signal: AbortSignal;
  /** What the server may ask of us. */
  capabilities: Record<string, unknown>;
  onRequest: NonNullable<RpcSessionOptions['onRequest']>;
  /** All but progress and cancellations. */
  onNotification(method: string, params: Record<string, unknown>): void;
  onClose(reason: string | undefined): void;
}

/** The prompt or the template whose argument is completed. */
export type CompletionOwner = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** The argument that is being typed. */
export interface TypedArgument {
  name: string;
  value: string;
  /** The other arguments, as far as they are typed. */
  others?: Readonly<Record<string, string>> | undefined;
}

export class McpConnection {
  /** Data of the server: bounded and without escapes, not to be followed. */
  readonly instructions: string;
  readonly serverName: string;
  private readonly session: RpcSession;
  private readonly transport: RpcTransport;
  private readonly capabilities: Record<string, unknown>;

  private constructor(session: RpcSession, transport: RpcTransport, answer: Record<string, unknown>) {
    this.session = session;
    this.transport = transport;
    const { capabilities, instructions, serverInfo } = answer;
    this.capabilities = isRecord(capabilities) ? capabilities : {};
    this.instructions = typeof instructions === 'string' ? cleanDescription(instructions, MAX_INSTRUCTIONS) : '';
    this.serverName = isRecord(serverInfo) ? cleanLine(String(serverInfo['name']), 200) : '';
  }

  /** Rejects with the reason, and leaves nothing running. */
  static async open(options: ConnectionOptions): Promise<McpConnection> {
    const { transport, clientVersion, clock, startLimitMs, signal, capabilities } = options;
    const { onClose, onNotification, onRequest } = options;
    const session = new RpcSession(transport, { clock, onClose, onNotification, onRequest });
    try {
      await transport.start();
      const clientInfo = { name: 'castor-mcp-client', version: clientVersion };
      const answer = await session.request(
        'initialize',
        { protocolVersion: OFFERED_VERSION, capabilities, clientInfo },
        { timeoutMs: startLimitMs, signal },
      );
      const version = answer['protocolVersion'];
      if (typeof version !== 'string' || !VERSIONS.has(version)) {
        throw new Error(
          `The server speaks the unsupported protocol version ${cleanLine(JSON.stringify(version) ?? 'none', 100)}.`,
        );
      }
      transport.setProtocolVersion?.(version);
      // Over HTTP a request could overtake it.
      const heard = new AbortController();
      const elapsed = clock.sleep(HEARD_MS, AbortSignal.any([signal, heard.signal])).catch(() => undefined);
      await Promise.race([session.notify('notifications/initialized'), elapsed]);
      heard.abort();
      return new McpConnection(session, transport, answer);
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw error;
    }
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.session.isOver;
  }

  get unknownAnswers(): number {
    return this.session.unknownAnswers;
  }

  /** A server without the capability has none. */
  listTools(options: RequestOptions): Promise<ListedItems<ListedTool>> {
    return this.list('tools', TOOLS, options);
  }

  listPrompts(options: RequestOptions): Promise<ListedItems<ListedPrompt>> {
    return this.list('prompts', PROMPTS, options);
  }

  listResources(options: RequestOptions): Promise<ListedItems<ListedResource>> {
    return this.list('resources', RESOURCES, options);
  }

  listTemplates(options: RequestOptions): Promise<ListedItems<ListedTemplate>> {
    return this.list('resources', TEMPLATES, options);
  }

  async callTool(name: string, args: Record<string, unknown>, options: RequestOptions): Promise<CallResult> {
    return this.session.request('tools/call', { name, arguments: args }, options);
  }

  async getPrompt(name: string, args: Record<string, string>, options: RequestOptions): Promise<unknown> {
    return (await this.session.request('prompts/get', { name, arguments: args }, options))['messages'];
  }

  async readResource(uri: string, options: RequestOptions): Promise<unknown> {
    return (await this.session.request('resources/read', { uri }, options))['contents'];
  }

  /** Asks to be told of changes, where the server can; false where it cannot. */
  async subscribe(uri: string, options: RequestOptions): Promise<boolean> {
    const { resources } = this.capabilities;
    if (!isRecord(resources) || resources['subscribe'] !== true) return false;
    await this.session.request('resources/subscribe', { uri }, options);
    return true;
  }

  /** Values for an argument that is being typed; none from a server that cannot complete. */
  async complete(
    ref: CompletionOwner,
    { name, value, others = {} }: TypedArgument,
    options: RequestOptions,
  ): Promise<string[]> {
    if (!isRecord(this.capabilities['completions'])) return [];
    const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } };
    const params = { ref, argument: { name, value }, ...context };
    const { completion } = await this.session.request('completion/complete', params, options);
    const values: unknown[] = isRecord(completion) && Array.isArray(completion['values']) ? completion['values'] : [];
    return values.slice(0, MAX_COMPLETIONS).flatMap((value) => (typeof value === 'string' ? [value] : []));
  }

  notify(method: string): void {
    void this.session.notify(method);
  }

  async close(): Promise<void> {
    await this.transport.close().catch(() => undefined);
  }

  private async list<T>(capability: string, list: PagedList<T>, options: RequestOptions): Promise<ListedItems<T>> {
    if (!isRecord(this.capabilities[capability])) return { items: [] };
    return listPages((method, params, more) => this.session.request(method, params, more), list, options);
  }
}

/** The reason of a failed start, as one sentence. */
export function describeFailure(error: unknown, address?: ServerAddress): string {
  if (isSignInMissing(error)) return 'It requires a sign-in (401).';
  const { cause, status } = error as { cause?: unknown; status?: unknown };
  if (isUnreachable(error) && address && address.kind !== 'stdio') {
    const { origin, pathname } = new URL(address.url);
    const { message = '', code = 'the connection failed' } = (cause ?? {}) as { message?: string; code?: string };
    return cleanLine(`${origin}${pathname} is not reachable: ${message || code}.`, 500);
  }
  if (typeof status === 'number' && status >= 400) {
    // The library's words leave out the status, and without a body they say nothing.
    const body = getErrorMessage(error).replace(/^Error POSTing to endpoint[^:]*:\s*/, '');
    return cleanLine(`The server answered with the status ${status}${body === '' ? '' : `: ${body}`}`, 500);
  }
  const reason = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return cleanLine(`${getErrorMessage(error)}${reason}`, 500);
}

export function isSignInMissing(error: unknown): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown };
  return code === 401 || status === 401 || (error instanceof Error && error.name === 'UnauthorizedError');
}

/** Whether the words of an error are the server's: data, like every other word of it. */
export function isServersWord(error: unknown): boolean {
  return error instanceof RpcError || typeof (error as { status?: unknown }).status === 'number';
}

/** Over HTTP: the server forgot the session, or is not reachable. */
export function isSessionLost(error: unknown): boolean {
  return (error as { status?: unknown }).status === 404 || isUnreachable(error);
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}

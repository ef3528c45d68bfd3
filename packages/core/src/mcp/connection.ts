/**
 * McpConnection: a server after its handshake. It lists all pages of the tools, calls one, and reports changes of the
 * list and the end of the connection.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import type { Clock } from '../util/clock.ts';
import { cleanDescription, cleanLine } from './clean-text.ts';
import { METHOD_NOT_FOUND, RpcError, RpcSession } from './rpc-session.ts';
import type { RequestOptions, RpcTransport } from './rpc-session.ts';
import type { CallResult } from './tool-result.ts';

const OFFERED_VERSION = '2025-06-18';
const VERSIONS: ReadonlySet<string> = new Set([
  ...['2025-11-25', OFFERED_VERSION, '2025-03-26', '2024-11-05', '2024-10-07'],
]);
const MAX_PAGES = 100;
const MAX_TOOLS = 2_000;
const MAX_INSTRUCTIONS = 8_000;

/** A tool as the server lists it; nothing but the name is checked. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description: string;
  inputSchema: unknown;
  annotations: Readonly<Record<string, unknown>>;
}

export interface ConnectionOptions {
  transport: RpcTransport;
  clientVersion: string;
  clock: Clock;
  /** Of the handshake and the lists together. */
  startLimitMs: number;
  signal: AbortSignal;
  onToolsChanged(): void;
  onClose(reason: string | undefined): void;
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
    const { transport, clientVersion, clock, startLimitMs, signal } = options;
    const session = new RpcSession(transport, {
      clock,
      onClose: options.onClose,
      onNotification: (method) => {
        if (method === 'notifications/tools/list_changed') options.onToolsChanged();
      },
    });
    try {
      await transport.start();
      const answer = await session.request(
        'initialize',
        {
          protocolVersion: OFFERED_VERSION,
          capabilities: {},
          clientInfo: { name: 'castor-mcp-client', version: clientVersion },
        },
        { timeoutMs: startLimitMs, signal },
      );
      const version = answer['protocolVersion'];
      if (typeof version !== 'string' || !VERSIONS.has(version)) {
        throw new Error(
          `The server speaks the unsupported protocol version ${cleanLine(JSON.stringify(version) ?? 'none', 100)}.`,
        );
      }
      transport.setProtocolVersion?.(version);
      session.notify('notifications/initialized');
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

  /** All pages, in the server's order. A server without tools has none. */
  async listTools(options: RequestOptions): Promise<ListedTool[]> {
    if (!isRecord(this.capabilities['tools'])) return [];
    const tools: ListedTool[] = [];
    const cursors = new Set<unknown>();
    for (let cursor: unknown; ;) {
      const page = await this.session
        .request('tools/list', cursor === undefined ? {} : { cursor }, options)
        .catch((error: unknown) => {
          if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return {};
          throw error;
        });
      const listed: unknown = (page as Record<string, unknown>)['tools'];
      tools.push(...(Array.isArray(listed) ? (listed as unknown[]) : []).flatMap(toListedTool));
      cursor = (page as Record<string, unknown>)['nextCursor'];
      if (typeof cursor !== 'string' || cursor === '' || cursors.has(cursor)) break;
      cursors.add(cursor);
      if (cursors.size >= MAX_PAGES) throw new Error(`The list of tools has more than ${MAX_PAGES} pages.`);
      if (tools.length > MAX_TOOLS) throw new Error(`The server lists more than ${MAX_TOOLS} tools.`);
    }
    return tools;
  }

  async callTool(name: string, args: Record<string, unknown>, options: RequestOptions): Promise<CallResult> {
    return this.session.request('tools/call', { name, arguments: args }, options);
  }

  async close(): Promise<void> {
    await this.transport.close().catch(() => undefined);
  }
}

function toListedTool(tool: unknown): ListedTool[] {
  if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return [];
  const { name, title, description, inputSchema, annotations } = tool;
  return [
    {
      name,
      title: typeof title === 'string' ? title : undefined,
      description: typeof description === 'string' ? description : '',
      inputSchema,
      annotations: isRecord(annotations) ? annotations : {},
    },
  ];
}

/** The reason of a failed start, as one sentence. */
export function describeFailure(error: unknown): string {
  if (isSignInMissing(error)) return 'It requires a sign-in (401).';
  const { cause } = error as { cause?: unknown };
  const reason = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return cleanLine(`${getErrorMessage(error)}${reason}`, 500);
}

export function isSignInMissing(error: unknown): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown };
  return code === 401 || status === 401 || (error instanceof Error && error.name === 'UnauthorizedError');
}

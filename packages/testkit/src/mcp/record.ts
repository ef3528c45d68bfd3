/**
 * The record of a scripted MCP server: everything it received, sent and met, in order, for the assertions of a test. It
 * waits for a state, never for time.
 */

import { Condition } from '../condition.ts';
import { isObject } from '../json-object.ts';

/** A JSON-RPC message as it arrived. */
export interface McpMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface McpHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type McpEntry = { readonly pid?: number; readonly start?: number; readonly session?: string } & (
  | {
      readonly event: 'started';
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly event: 'received'; readonly message: McpMessage }
  | { readonly event: 'invalid'; readonly text: string }
  | { readonly event: 'sent'; readonly message: unknown }
  | { readonly event: 'gate'; readonly name: string }
  | { readonly event: 'cancelled'; readonly requestId: unknown; readonly reason?: unknown }
  | { readonly event: 'signal'; readonly signal: string }
  | { readonly event: 'stdin_end' }
  | { readonly event: 'grandchild'; readonly child: number }
  | { readonly event: 'exit'; readonly code: number | null }
  | { readonly event: 'violation'; readonly rule: string }
  | { readonly event: 'failure'; readonly error: string }
  | { readonly event: 'http'; readonly request: McpHttpRequest }
  | { readonly event: 'responded'; readonly method: string; readonly path: string; readonly status: number }
  | { readonly event: 'disconnected'; readonly method: string; readonly path: string }
);

type EntryOf<Name extends McpEntry['event']> = Extract<McpEntry, { event: Name }>;

export class McpRecord {
  readonly entries: McpEntry[] = [];
  private readonly condition = new Condition();

  add(...entries: readonly McpEntry[]): void {
    this.entries.push(...entries);
    this.condition.changed();
  }

  of<Name extends McpEntry['event']>(event: Name): EntryOf<Name>[] {
    return this.entries.filter((entry): entry is EntryOf<Name> => entry.event === event);
  }

  /** Requests and notifications from the client, of this method or all. */
  received(method?: string): McpMessage[] {
    const messages = this.of('received').map(({ message }) => message);
    return messages.filter((message) =>
      method === undefined ? message.method !== undefined : message.method === method,
    );
  }

  /** What the client answered to requests of the server. */
  get answers(): McpMessage[] {
    return this.of('received').flatMap(({ message }) => (message.method === undefined ? [message] : []));
  }

  /** The arguments of every call, of this tool or all. */
  calls(tool?: string): unknown[] {
    const calls = this.received('tools/call').map(({ params }) => params ?? {});
    return calls.filter(({ name }) => tool === undefined || name === tool).map((params) => params['arguments']);
  }

  /** The requests over HTTP, of this method and path (`POST /mcp`) or all. */
  requests(route?: string): McpHttpRequest[] {
    const requests = this.of('http').map(({ request }) => request);
    return requests.filter(({ method, path }) => route === undefined || `${method} ${path}` === route);
  }

  /** How the client broke the protocol, one sentence each. */
  get violations(): string[] {
    return this.of('violation').map(({ rule }) => rule);
  }

  /** How often the process was started. */
  get starts(): number {
    return this.of('started').length;
  }

  /** Resolves as soon as the record satisfies this; rejects if the server is disposed before. */
  until(isMet: (record: McpRecord) => boolean): Promise<void> {
    return this.condition.until(() => isMet(this));
  }

  /** Resolves when the server waits at this gate. */
  reached(gate: string): Promise<void> {
    return this.until(() => this.of('gate').some(({ name }) => name === gate));
  }

  /** Throws if the client broke the protocol or the script itself failed. */
  assertLegal(): void {
    const complaints = [
      ...this.violations.map((rule) => `The client broke the protocol: ${rule}`),
      ...this.of('failure').map(({ error }) => `The script failed: ${error}`),
    ];
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  }

  finish(): void {
    this.condition.finish(new Error(`The MCP server was disposed after ${this.entries.length} entries.`));
  }
}

/** Whether a value has the outer form of a JSON-RPC 2.0 message. */
export function isMessage(value: unknown): value is McpMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  return typeof value['method'] === 'string' || 'result' in value || 'error' in value;
}

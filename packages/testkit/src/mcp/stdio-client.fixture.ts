/** A client of JSON lines over the pipes of a process, for tests of the scripted stdio server: it hides no byte. */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Condition } from '../condition.ts';
import type { McpScript } from './script.ts';
import { mcpStdioCommand } from './stdio-command.ts';
import type { McpStdioEntry } from './stdio-command.ts';

export interface RawStdioClient extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Everything on stdout and stderr so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** The messages on whole lines that are JSON. */
  readonly messages: Record<string, unknown>[];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  send(message: object): void;
  write(text: string): void;
  /** Sends a request and resolves with the first message of its id. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** initialize and its notification. */
  open(): Promise<Record<string, unknown>>;
  until(isMet: (client: RawStdioClient) => boolean): Promise<void>;
}

export const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '0' },
};

export function rawStdioClient({ command, args, env }: McpStdioEntry): RawStdioClient {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const condition = new Condition();
  let ids = 0;
  child.stdin.on('error', () => {});
  const collect = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
    output[name] += chunk.toString();
    condition.changed();
  };
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', collect('stdout'));
  child.stderr.on('data', collect('stderr'));
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const client: RawStdioClient = {
    child,
    exited,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    get messages() {
      return output.stdout.split('\n').slice(0, -1).flatMap(parsed);
    },
    send: (message) => client.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    write: (text) => void child.stdin.write(text),
    async request(method, params) {
      const id = ++ids;
      client.send({ id, method, ...(params && { params }) });
      const answer = () => client.messages.find((message) => message['id'] === id && !('method' in message));
      await condition.until(() => answer() !== undefined);
      return answer()!;
    },
    async open() {
      const answer = await client.request('initialize', INITIALIZE);
      client.send({ method: 'notifications/initialized' });
      return answer;
    },
    until: (isMet) => condition.until(() => isMet(client)),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  return client;
}

function parsed(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>];
  } catch {
    return [];
  }
}

/** The command of a script and one client that has started it. */
export async function startStdio(script: McpScript | string) {
  const server = await mcpStdioCommand(script);
  const client = rawStdioClient(server.entry);
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server.dispose();
    },
  };
}

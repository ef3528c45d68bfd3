/**
 * A scripted MCP server over stdio for one test: the `command`, `args` and `env` of a settings.json entry, the record of
 * every process a client starts from it, and their end.
 *
 *     await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }], rules: [on('tools/call', [crash()])] });
 *     await workspace.write('.gemini/settings.json', JSON.stringify({ mcpServers: { one: server.entry } }));
 */

import { once } from 'node:events';
import { watch, writeFileSync } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Condition } from '../condition.ts';
import { McpRecord } from './record.ts';
import type { McpScript } from './script.ts';
import { folderPaths, readEntries } from './stdio-folder.ts';

export interface McpStdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface McpStdioCommand extends McpStdioEntry, AsyncDisposable {
  /** The three fields alone, for settings.json. */
  readonly entry: McpStdioEntry;
  /** The record so far; its waits follow the file. */
  readRecord(): McpRecord;
  /** Lets every process pass the gate, now and later. */
  release(gate: string): void;
  /** Process ids of servers and grandchildren that still run. */
  readonly alive: readonly number[];
  /** Resolves when `isMet` holds for the processes that run; checked whenever one starts or ends. */
  untilAlive(isMet: (alive: readonly number[]) => boolean): Promise<void>;
  /** Kills what still runs and removes the folder. */
  dispose(): Promise<void>;
}

/** A run of the tests bundles the server, which makes it start faster. */
const MAIN = process.env['CASTOR_SCRIPTED_SERVER'] ?? fileURLToPath(new URL('stdio-main.ts', import.meta.url));

/** `script` is the script, or the path of one: JSON, or a module that exports `script`. */
export async function mcpStdioCommand(script: McpScript | string): Promise<McpStdioCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'castor-mcp-'));
  const paths = folderPaths(folder);
  if (typeof script !== 'string') await writeFile(paths.script, JSON.stringify(script, rejectFunctions, 1));
  await writeFile(paths.record, '');
  const command = new StdioCommand(folder, typeof script === 'string' ? resolve(script) : paths.script);
  await command.listen(paths.socket);
  return command;
}

function rejectFunctions(key: string, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  throw new TypeError(`"${key}" of the script is a function. Write the script as a module and pass its path.`);
}

class StdioCommand implements McpStdioCommand {
  readonly command = process.execPath;
  readonly args: readonly string[];
  readonly env = {};
  private readonly folder: string;
  private readonly record = new McpRecord();
  private readonly sockets = new Set<Socket>();
  private readonly processes = new Map<Socket, number>();
  private readonly condition = new Condition();
  private readonly server: Server;
  private readonly watcher: FSWatcher;

  constructor(folder: string, script: string) {
    this.folder = folder;
    this.args = [MAIN, script, folder];
    this.server = createServer((socket) => this.admit(socket));
    this.watcher = watch(folder, () => this.readRecord());
  }

  get entry(): McpStdioEntry {
    return { command: this.command, args: this.args, env: this.env };
  }

  get alive(): readonly number[] {
    return [...this.processes.values()];
  }

  async listen(socket: string): Promise<void> {
    this.server.listen(socket);
    await once(this.server, 'listening');
  }

  readRecord(): McpRecord {
    const entries = readEntries(this.folder);
    const fresh = entries.slice(this.record.entries.length);
    if (fresh.length > 0) this.record.add(...fresh);
    return this.record;
  }

  release(gate: string): void {
    writeFileSync(folderPaths(this.folder).gate(gate), '');
  }

  untilAlive(isMet: (alive: readonly number[]) => boolean): Promise<void> {
    return this.condition.until(() => isMet(this.alive));
  }

  async dispose(): Promise<void> {
    this.watcher.close();
    // The connection proves that the id still belongs to our process.
    for (const pid of this.alive) endProcess(pid);
    await this.untilAlive((alive) => alive.length === 0);
    // A process that connects only now ends with its connection.
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await rm(this.folder, { recursive: true, force: true });
    this.record.finish();
    this.condition.finish(new Error('The MCP server was disposed.'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  private admit(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('data', (pid) => {
      this.processes.set(socket, Number(pid.toString()));
      this.condition.changed();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.processes.delete(socket);
      this.condition.changed();
    });
  }
}

/** A process that has just ended by itself is what is wanted. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

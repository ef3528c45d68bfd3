/**
 * LanguageServer: one language server as a child process. It opens and changes documents and resolves to the errors the
 * server reports for them, pushed or asked for. What the server says is data: bounded, and never waited for too long.
 */

import type { ChildProcess } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { ChildGuard } from '../tools/run-child.ts';
import { builtin } from '../util/builtin-modules.ts';
import { signalChildGroup } from '../util/child-group.ts';
import { isRecord } from '../util/is-record.ts';
import type { ServerRow } from './server-table.ts';

export interface FileError {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export interface LanguageServerOptions {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly guard?: ChildGuard | undefined;
  /** In a sandbox it sees no process of ours, and would take us for dead. */
  readonly isConfined?: boolean | undefined;
}

interface OpenDocument {
  version: number;
  text: string;
}

const ERROR = 1;
const MAX_ERRORS = 100;
const MAX_MESSAGE = 500;

export class LanguageServer {
  private readonly child: ChildProcess;
  private readonly connection: MessageConnection;
  private readonly ready: Promise<boolean>;
  private readonly open = new Map<string, OpenDocument>();
  private readonly waiting = new Map<string, { version: number; resolve(errors: FileError[]): void }>();
  private isPulling = false;
  /** Undefined while it runs. */
  private ending: Error | undefined;

  constructor({ command, args }: ServerRow, { root, environment, guard, isConfined }: LanguageServerOptions) {
    this.child = builtin.childProcess.spawn(command, [...args], {
      cwd: root,
      env: { ...environment, ...guard?.prepare() },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    if (this.child.pid !== undefined) guard?.watch(this.child.pid);
    this.child.on('error', (error) => this.end(error));
    this.child.on('exit', () => this.end(new Error('The server has ended.')));
    this.child.stdin!.on('error', () => undefined);
    const reader = new StreamMessageReader(this.child.stdout!);
    this.connection = createMessageConnection(reader, new StreamMessageWriter(this.child.stdin!));
    this.connection.onError(() => undefined);
    this.connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => this.receive(params));
    // What servers ask for is answered with nothing: they use their defaults then.
    this.connection.onRequest('workspace/configuration', (params: unknown) => {
      const items = isRecord(params) && Array.isArray(params['items']) ? params['items'] : [];
      return items.map(() => null);
    });
    this.connection.onRequest(() => null);
    this.connection.listen();
    this.ready = this.initialize(root, isConfined ? null : process.pid);
    this.ready.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.ending !== undefined;
  }

  /** The errors in this text of the file. Rejects when the server fails; the caller limits the time. */
  async check(path: string, text: string, languageId: string): Promise<FileError[]> {
    if (this.ending) throw this.ending;
    await this.ready;
    const uri = pathToFileURL(path).href;
    const version = (this.open.get(uri)?.version ?? 0) + 1;
    const reported = this.isPulling ? undefined : this.nextReport(uri, version);
    if (version === 1) {
      await this.connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version, text },
      });
    } else {
      await this.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    }
    this.open.set(uri, { version, text });
    if (reported) return reported;
    const report: unknown = await this.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    return toErrors(isRecord(report) ? report['items'] : undefined);
  }

  dispose(): void {
    this.end(new Error('The server was ended.'));
  }

  private async initialize(root: string, processId: number | null): Promise<boolean> {
    const uri = pathToFileURL(root).href;
    const answer: unknown = await this.connection.sendRequest('initialize', {
      processId,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'workspace' }],
      capabilities: {
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true },
          diagnostic: { dynamicRegistration: false },
        },
        workspace: { configuration: true, workspaceFolders: true },
      },
    });
    const capabilities = isRecord(answer) && isRecord(answer['capabilities']) ? answer['capabilities'] : {};
    this.isPulling = isRecord(capabilities['diagnosticProvider']);
    await this.connection.sendNotification('initialized', {});
    return true;
  }

  /** Resolves with the report on this version; older ones are skipped where the server numbers them. */
  private nextReport(uri: string, version: number): Promise<FileError[]> {
    return new Promise((resolve) => this.waiting.set(uri, { version, resolve }));
  }

  private receive(params: unknown): void {
    if (!isRecord(params) || typeof params['uri'] !== 'string') return;
    const waiting = this.waiting.get(params['uri']);
    const { version } = params;
    if (!waiting || (typeof version === 'number' && version < waiting.version)) return;
    this.waiting.delete(params['uri']);
    waiting.resolve(toErrors(params['diagnostics']));
  }

  private end(error: Error): void {
    if (this.ending) return;
    this.ending = error;
    this.connection?.dispose();
    if (this.child.exitCode === null && this.child.signalCode === null) signalChildGroup(this.child, 'SIGKILL');
  }
}

function toErrors(items: unknown): FileError[] {
  if (!Array.isArray(items)) return [];
  return items.slice(0, MAX_ERRORS * 10).flatMap((item: unknown) => {
    if (!isRecord(item) || (item['severity'] !== undefined && item['severity'] !== ERROR)) return [];
    const { range, message, source, code } = item;
    const start = isRecord(range) && isRecord(range['start']) ? range['start']['line'] : 0;
    const from = [source, code].filter((each) => typeof each === 'string' || typeof each === 'number').join(' ');
    const words = `${String(message)}${from === '' ? '' : ` (${from})`}`;
    return [{ line: (typeof start === 'number' ? start : 0) + 1, message: words.slice(0, MAX_MESSAGE) }];
  });
}

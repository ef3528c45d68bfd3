/**
 * LanguageServer: one language server as a child process. It opens and changes documents and resolves to the errors the
 * server reports for them, pushed or asked for. What the server says is data: bounded, and never waited for too long.
 */

import type { ChildProcess } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, ErrorCodes, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { ChildGuard } from '../tools/run-child.ts';
import { signalChildGroup } from '../util/child-group.ts';
import type { Invocation } from '../util/invocation.ts';
import { isRecord } from '../util/is-record.ts';
import { startInvocation } from '../util/start-invocation.ts';
import { readDiagnostics, readTypeScriptErrors } from './read-errors.ts';
import type { FileError } from './read-errors.ts';

export interface LanguageServerOptions {
  readonly guard?: ChildGuard | undefined;
  /** In a sandbox it sees no process of ours, and would take us for dead. */
  readonly isConfined?: boolean | undefined;
}

/** A check that waits for the report on this version of a document. */
interface Waiting {
  readonly version: number;
  readonly resolve: (errors: FileError[]) => void;
  readonly reject: (error: Error) => void;
  timer?: NodeJS.Timeout | undefined;
}

/** How a server tells the errors of a document: by itself, when asked, or when its tsserver is asked. */
type Way = 'pushed' | 'pulled' | 'tsserver';

/** typescript-language-server pushes the errors in parts, also those of the text before; its tsserver answers at once. */
const TSSERVER = 'typescript.tsserverRequest';
const TSSERVER_REQUESTS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'];
/** A report without the number of its version counts when no other follows within this time. */
const QUIET_MS = 300;
/** How long the last words of a server that has ended are waited for: a child of it may keep the pipe open. */
const LAST_WORDS_MS = 200;
const MAX_LAST_WORDS = 200;

export class LanguageServer {
  private readonly child: ChildProcess;
  private readonly connection: MessageConnection;
  private readonly ready: Promise<boolean>;
  /** The versions of the open documents. */
  private readonly versions = new Map<string, number>();
  private readonly waiting = new Map<string, Waiting>();
  private way: Way = 'pushed';
  /** Undefined while it runs. */
  private ending: Error | undefined;
  private readonly over = Promise.withResolvers<void>();
  private lastWords = '';

  constructor(program: Invocation, { guard, isConfined }: LanguageServerOptions) {
    const { directory: root, environment } = program;
    const marked = { ...program, environment: { ...environment, ...guard?.prepare() } };
    this.child = startInvocation(marked, {
      cwd: root,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (this.child.pid !== undefined) guard?.watch(this.child.pid);
    this.child.on('error', (error) => this.end(error));
    this.child.stderr!.on('data', (bytes: Buffer) => {
      this.lastWords = (this.lastWords + bytes.toString()).slice(-MAX_LAST_WORDS * 4);
    });
    this.child.on('exit', (code, signal) => {
      const end = () => this.end(new Error(describeExit(code ?? signal, this.lastWords)));
      const late = setTimeout(end, LAST_WORDS_MS);
      this.child.once('close', () => {
        clearTimeout(late);
        end();
      });
    });
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
    try {
      return await this.checkText(path, text, languageId);
    } catch (error) {
      // A write that failed says less than the end of the server behind it.
      if (isWriteError(error)) await this.over.promise;
      throw this.ending ?? error;
    }
  }

  dispose(): void {
    this.end(new Error('The server was ended.'));
  }

  private async checkText(path: string, text: string, languageId: string): Promise<FileError[]> {
    if (this.ending) throw this.ending;
    await this.ready;
    const uri = pathToFileURL(path).href;
    const version = (this.versions.get(uri) ?? 0) + 1;
    this.versions.set(uri, version);
    const reported = this.way === 'pushed' ? this.nextReport(uri, version) : undefined;
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
    return reported ?? this.ask(uri);
  }

  private async ask(uri: string): Promise<FileError[]> {
    if (this.way === 'tsserver') {
      const answers = TSSERVER_REQUESTS.map((name) =>
        this.connection.sendRequest('workspace/executeCommand', {
          command: TSSERVER,
          arguments: [name, { file: uri }],
        }),
      );
      return (await Promise.all(answers)).flatMap(readTypeScriptErrors);
    }
    const report: unknown = await this.connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    return readDiagnostics(isRecord(report) ? report['items'] : undefined);
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
    const executing = isRecord(capabilities['executeCommandProvider']) ? capabilities['executeCommandProvider'] : {};
    const commands: unknown = executing['commands'];
    if (Array.isArray(commands) && commands.includes(TSSERVER)) this.way = 'tsserver';
    else if (isRecord(capabilities['diagnosticProvider'])) this.way = 'pulled';
    await this.connection.sendNotification('initialized', {});
    return true;
  }

  /** Resolves with the report on this version; older ones are skipped where the server numbers them. */
  private nextReport(uri: string, version: number): Promise<FileError[]> {
    return new Promise((resolve, reject) => this.waiting.set(uri, { version, resolve, reject }));
  }

  private receive(params: unknown): void {
    if (!isRecord(params) || typeof params['uri'] !== 'string') return;
    const waiting = this.waiting.get(params['uri']);
    const { version } = params;
    if (!waiting || (typeof version === 'number' && version < waiting.version)) return;
    const { uri, diagnostics } = params;
    const settle = () => {
      this.waiting.delete(uri);
      waiting.resolve(readDiagnostics(diagnostics));
    };
    clearTimeout(waiting.timer);
    if (typeof version === 'number') settle();
    else waiting.timer = setTimeout(settle, QUIET_MS);
  }

  private end(error: Error): void {
    if (this.ending) return;
    this.ending = error;
    this.over.resolve();
    this.connection?.dispose();
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.waiting.clear();
    if (this.child.exitCode === null && this.child.signalCode === null) signalChildGroup(this.child, 'SIGKILL');
  }
}

function describeExit(by: number | string | null, words: string): string {
  const said = words.trim().split('\n').at(-1)!.trim().slice(0, MAX_LAST_WORDS);
  const how = typeof by === 'number' ? `exit code ${by}` : (by ?? 'no exit code');
  return `it ended with ${how}${said === '' ? '' : `: ${said}`}`;
}

/** Of a request by its number, of a notification as the system tells it. */
function isWriteError(error: unknown): boolean {
  const code = isRecord(error) ? error['code'] : undefined;
  return code === ErrorCodes.MessageWriteError || typeof code === 'string';
}

/**
 * A scripted MCP server as a process over stdio: `node stdio-main.ts <script.json or script.ts> [folder]`, or with the
 * variables CASTOR_MCP_SCRIPT and CASTOR_MCP_FOLDER. The folder holds the record and the gates; without it there is
 * neither. A script that is a module exports `script`.
 */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Exchange, Host } from './exchange.ts';
import { Offer } from './honest-answers.ts';
import type { McpEntry } from './record.ts';
import { RuleBook } from './rule-book.ts';
import type { McpScript } from './script.ts';
import { McpSession } from './session.ts';
import { closePipe, STDERR, STDIN, STDOUT, writeAll } from './stdio-pipes.ts';
import { appendEntry, passGate, readEntries, showAlive } from './stdio-folder.ts';

type Entry = Omit<McpEntry, 'pid' | 'start'>;

const GRANDCHILD = fileURLToPath(new URL('stdio-grandchild.ts', import.meta.url));

async function main(): Promise<void> {
  const [, , path = process.env['CASTOR_MCP_SCRIPT'], folder = process.env['CASTOR_MCP_FOLDER']] = process.argv;
  if (path === undefined) throw new Error('The path of the script is missing: node stdio-main.ts <script> [folder].');
  const script = await loadScript(resolve(path));
  if (folder !== undefined) await showAlive(folder);
  await new StdioServer(script, folder).serve();
}

async function loadScript(path: string): Promise<McpScript> {
  if (path.endsWith('.json')) return JSON.parse(readFileSync(path, 'utf8')) as McpScript;
  const module = (await import(pathToFileURL(path).href)) as { script?: McpScript };
  if (!module.script) throw new Error(`${path} does not export "script".`);
  return module.script;
}

class StdioServer {
  private readonly script: McpScript;
  private readonly folder: string | undefined;
  private readonly rules: RuleBook;
  private readonly session: McpSession;
  private readonly start: number;
  private readonly exchange: Exchange = {
    write: (text, { pieces = 1, isHalf = false, lineEnd = '\n' }) =>
      isHalf ? this.put(text.slice(0, text.length / 2)) : this.putPieces(text + lineEnd, pieces),
    raw: (bytes) => this.put(bytes),
  };

  constructor(script: McpScript, folder: string | undefined) {
    this.script = script;
    this.folder = folder;
    const earlier = folder === undefined ? [] : readEntries(folder);
    this.start = earlier.filter(({ event }) => event === 'started').length + 1;
    this.rules = new RuleBook(script.rules ?? [], this.start);
    this.session = new McpSession({
      offer: new Offer(script),
      rules: this.rules,
      host: this.host(),
      note: (entry) => this.note(entry),
    });
  }

  async serve(): Promise<void> {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
    this.note({ event: 'started', argv: process.argv, cwd: process.cwd(), env } as Entry);
    this.watchSignals();
    process.on('exit', (code) => this.note({ event: 'exit', code } as Entry));
    await this.session.play(this.rules.match({ on: 'start' }) ?? [], this.exchange);
    this.read();
  }

  private read(): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    process.stdin.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.take(line);
    });
    process.stdin.on('end', () => {
      this.note({ event: 'stdin_end' } as Entry);
      if (this.script.process?.ignoresStdinEnd) stayAlive();
      else process.exit(0);
    });
  }

  private take(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.note({ event: 'invalid', text: line } as Entry);
      this.note({ event: 'violation', rule: 'a line is no JSON' } as Entry);
      return;
    }
    // Messages are played side by side, as a real server handles requests.
    for (const each of Array.isArray(message) ? message : [message]) void this.session.receive(each, this.exchange);
  }

  private host(): Host {
    return {
      pass: (gate) => {
        if (this.folder === undefined) throw new Error(`The gate "${gate}" needs a folder.`);
        return passGate(this.folder, gate);
      },
      stderr: (text) => writeAll(STDERR, text),
      crash: ({ code = 1, signal }) =>
        signal === undefined ? process.exit(code) : void process.kill(process.pid, signal),
      close: (stream) => {
        if (stream === 'stdin') process.stdin.destroy();
        closePipe(stream === 'stdin' ? STDIN : STDOUT);
        stayAlive();
      },
      grandchild: (options) => this.startGrandchild(options),
    };
  }

  private watchSignals(): void {
    const ignored = this.script.process?.ignores ?? [];
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        this.note({ event: 'signal', signal } as Entry);
        if (!ignored.includes(signal)) process.exit(0);
      });
    }
    if (ignored.length > 0) stayAlive();
  }

  private async startGrandchild({
    isDetached = false,
    ignores = [],
  }: Parameters<NonNullable<Host['grandchild']>>[0]): Promise<void> {
    const child = spawn(process.execPath, [GRANDCHILD, this.folder ?? '', ...ignores], {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      detached: isDetached,
    });
    // The grandchild writes one byte when it is ready, and the pipe must not keep this process.
    await new Promise((ready) => child.stdio[3]?.once('data', ready));
    child.stdio[3]?.destroy();
    child.unref();
    this.note({ event: 'grandchild', child: child.pid ?? -1 } as Entry);
  }

  private put(text: string | Buffer): void {
    writeAll(STDOUT, text);
  }

  private async putPieces(text: string, pieces: number): Promise<void> {
    const size = Math.ceil(text.length / pieces);
    for (let begin = 0; begin < text.length; begin += size) {
      if (begin > 0) await new Promise(setImmediate);
      this.put(text.slice(begin, begin + size));
    }
  }

  private note(entry: Entry): void {
    if (this.folder === undefined) return;
    appendEntry(this.folder, { pid: process.pid, start: this.start, ...entry } as McpEntry);
  }
}

/** The longest time a timer takes: the process ends only by a signal, or with its test. */
function stayAlive(): void {
  setInterval(() => {}, 2 ** 31 - 1);
}

await main();

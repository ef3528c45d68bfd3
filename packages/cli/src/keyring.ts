/**
 * The keyring of the system, for secrets by service and account. A process of its own asks it, so that a keyring that
 * waits for the user to unlock it neither holds up a run nor its end. Loaded on use; absent where the module, its
 * service or an answer is.
 */

import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { SecretStore } from '@castor/core/program';
import { KEYRING_SOURCE } from './keyring-source.ts';

/** For the process itself, on a busy machine. */
const START_LIMIT_MS = 10_000;
const READ_LIMIT_MS = 2_000;
/** The user may have to unlock it, and has just asked for it. */
const WRITE_LIMIT_MS = 60_000;

interface Request {
  method: 'getPassword' | 'setPassword' | 'deletePassword';
  service: string;
  account: string;
  value?: string;
}

/** Undefined where there is none that answers, or a variable of Gemini CLI prefers files. */
export async function openKeyring(
  environment: Readonly<Record<string, string | undefined>>,
  module = findModule(),
): Promise<SecretStore | undefined> {
  if (environment['GEMINI_FORCE_FILE_STORAGE'] === 'true' || module === undefined) return undefined;
  const asker = new KeyringProcess(module);
  try {
    await asker.started;
    await asker.ask({ method: 'getPassword', service: 'castor', account: 'probe' }, READ_LIMIT_MS);
  } catch {
    // Locked, missing or forbidden.
    asker.end();
    return undefined;
  }
  return {
    async read(service, account) {
      const found = await asker.ask({ method: 'getPassword', service, account }, READ_LIMIT_MS);
      return typeof found === 'string' ? found : undefined;
    },
    async write(service, account, value) {
      await asker.ask({ method: 'setPassword', service, account, value }, WRITE_LIMIT_MS);
    },
    async remove(service, account) {
      await asker.ask({ method: 'deletePassword', service, account }, WRITE_LIMIT_MS);
    },
  };
}

/** Undefined where it is not installed. */
function findModule(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    return undefined;
  }
}

class KeyringProcess {
  readonly started: Promise<unknown>;
  private readonly process: ChildProcessByStdio<Writable, Readable, null>;
  private readonly waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  private count = 0;
  private rest = '';

  constructor(module: string) {
    this.process = spawn(process.execPath, ['-e', KEYRING_SOURCE, module], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.process.on('error', (error) => this.fail(error));
    this.process.on('close', () => this.fail(new Error('The process that asks the keyring ended.')));
    this.process.stdin.on('error', () => undefined);
    this.process.stdout.setEncoding('utf8').on('data', (piece: string) => this.readAnswers(piece));
    // A question keeps the program alive by its limit; between questions nothing does.
    this.process.unref();
    (this.process.stdin as Socket).unref();
    (this.process.stdout as Socket).unref();
    this.started = this.answer(0, START_LIMIT_MS);
    // The caller waits for it, unless the module is not there.
    this.started.catch(() => undefined);
  }

  ask(request: Request, limit: number): Promise<unknown> {
    const id = ++this.count;
    const answer = this.answer(id, limit);
    this.process.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    return answer;
  }

  end(): void {
    this.process.kill('SIGKILL');
  }

  private answer(id: number, limit: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.process.exitCode !== null || this.process.signalCode !== null) {
      reject(new Error('The process that asks the keyring has ended.'));
      return promise;
    }
    const timer = setTimeout(() => {
      this.fail(new Error(`The keyring did not answer within ${limit / 1000} s.`));
      this.end();
    }, limit);
    this.waiting.set(id, { resolve, reject });
    return promise.finally(() => clearTimeout(timer));
  }

  private readAnswers(piece: string): void {
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    }
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

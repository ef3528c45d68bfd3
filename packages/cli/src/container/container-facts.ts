/** Collects what a container needs to know about this computer: folders that exist, the user, the terminal. Only reads. */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { ContainerRequest } from '../start/container.ts';
import { quotedWords } from './quoted-words.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ContainerVolume {
  from: string;
  to: string;
  options: string;
}

export interface ContainerFacts {
  request: ContainerRequest;
  /** The name of the container, which the program inside reads as SANDBOX. */
  name: string;
  cwd: string;
  home: string;
  /** The folder of this program, mounted read-only. */
  installation: string;
  /** This Node, for images whose own is missing or too old; undefined where it is no program of Linux. */
  node: string | undefined;
  /** The arguments of this program. */
  words: readonly string[];
  environment: Environment;
  hasTerminal: boolean;
  /** Undefined: the user of the image. */
  user: { id: number; group: number } | undefined;
  volumes: readonly ContainerVolume[];
  flags: readonly string[];
  ports: readonly string[];
  /** `NAME=value`, from SANDBOX_ENV. */
  variables: readonly string[];
  proxyCommand: string | undefined;
  /** Whether the project's `.gemini/sandbox.bashrc` prepares the container. */
  hasScript: boolean;
  /** The project's `.gemini/sandbox.Dockerfile`, where BUILD_SANDBOX asks for it. */
  dockerfile: string | undefined;
}

export interface ContainerPlace {
  request: ContainerRequest;
  name: string;
  cwd: string;
  home: string;
  environment: Environment;
  words: readonly string[];
  hasTerminal: boolean;
  isTrusted: boolean;
  /** The workspace's additional folders. */
  directories: readonly string[];
}

/** Throws an error with a sentence for a variable that cannot be used. */
export function collectFacts(place: ContainerPlace): ContainerFacts {
  const { environment, cwd, home, request, isTrusted, directories, ...given } = place;
  return {
    ...{ ...given, cwd, home, request, environment },
    installation: dirname(dirname(realpathSync(process.argv[1] ?? ''))),
    node: process.platform === 'linux' ? realpathSync(process.execPath) : undefined,
    user: userOf(environment),
    volumes: [
      ...[cwd, ...directories, join(home, '.gemini'), realpathSync(tmpdir())].map(same('rw')),
      ...[join(home, '.config', 'gcloud'), environment['GOOGLE_APPLICATION_CREDENTIALS'] ?? ''].map(same('ro')),
      ...request.allowedPaths.map(same('ro')),
      ...listOf(environment['SANDBOX_MOUNTS']).map(readMount),
    ].filter(({ from }) => from !== '' && existsSync(from)),
    flags: quotedWords(environment['SANDBOX_FLAGS'] ?? ''),
    ports: listOf(environment['SANDBOX_PORTS']),
    variables: listOf(environment['SANDBOX_ENV']).map(readVariable),
    proxyCommand: environment['GEMINI_SANDBOX_PROXY_COMMAND'],
    // A project that you do not trust runs nothing of its own, not even inside.
    hasScript: isTrusted && existsSync(join(cwd, '.gemini', 'sandbox.bashrc')),
    dockerfile: isTrusted && environment['BUILD_SANDBOX'] ? join(cwd, '.gemini', 'sandbox.Dockerfile') : undefined,
  };
}

function same(options: string): (path: string) => ContainerVolume {
  return (path) => ({ from: path, to: path, options });
}

function listOf(text = ''): string[] {
  return text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
}

/** `from:to:options`, read-only unless it says otherwise. */
function readMount(text: string): ContainerVolume {
  const [from = '', to = from, options = 'ro'] = text.split(':');
  if (!isAbsolute(from)) throw new Error(`SANDBOX_MOUNTS: "${from}" is no absolute path.`);
  if (!existsSync(from)) throw new Error(`SANDBOX_MOUNTS: ${from} does not exist.`);
  return { from, to: to === '' ? from : to, options };
}

function readVariable(text: string): string {
  if (!/^[A-Za-z_]\w*=/.test(text)) throw new Error(`SANDBOX_ENV: "${text}" is not NAME=value.`);
  return text;
}

/** As in Gemini CLI: the caller's own user on systems like Debian, unless SANDBOX_SET_UID_GID decides. */
function userOf(environment: Environment): ContainerFacts['user'] {
  const id = process.getuid?.();
  const group = process.getgid?.();
  const wanted = environment['SANDBOX_SET_UID_GID']?.toLowerCase();
  if (id === undefined || group === undefined || wanted === 'false' || wanted === '0') return undefined;
  return wanted === 'true' || wanted === '1' || isLikeDebian() ? { id, group } : undefined;
}

function isLikeDebian(): boolean {
  try {
    return /^ID(?:_LIKE)?=.*(?:debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

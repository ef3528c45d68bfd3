/**
 * Finds the companion of an editor: by the files it leaves in the temporary folder, by the variables it sets in its
 * terminals. A file counts only if it belongs to the user. It reports everything it looked at, for `/ide status`.
 */

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { isRecord } from '@castor/core/program';
import { ancestorsOf, isAlive } from './processes.ts';

export interface CompanionAddress {
  /** Over HTTP on this machine; else a program that speaks on its stdin and stdout. */
  readonly port?: number;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly token: string | undefined;
  /** The editor's own name. */
  readonly name: string | undefined;
  /** The folders of its window, without links. */
  readonly workspaces: readonly string[];
}

export interface FindCompanionOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where editors leave their files. Default: the temporary folder of the system. */
  readonly folder?: string;
}

export interface FoundCompanion {
  /** In the order they are worth a try: an editor that crashed leaves its file behind. */
  readonly addresses: readonly CompanionAddress[];
  /** Why there is none. */
  readonly problem?: string;
  readonly looked: readonly string[];
}

interface Candidate {
  readonly pid: number;
  readonly addresses: readonly CompanionAddress[];
  readonly workspaces: readonly string[];
}

const FILE = /^gemini-ide-server-(\d+)(?:-(\d+))?\.json$/;
const NOT_FOUND =
  'Failed to connect to IDE companion extension. Is the extension "Gemini CLI Companion" installed and enabled in your editor? Run /ide install, or start castor in the editor\'s own terminal.';
const NO_FOLDER = 'To use this feature, please open a workspace folder in your IDE and try again.';

export function findCompanion({ cwd, environment, folder }: FindCompanionOptions): FoundCompanion {
  const place = folder ?? join(environment['TMPDIR'] ?? tmpdir(), 'gemini', 'ide');
  const looked: string[] = [];
  const candidates = readCandidates(place, environment, looked);
  const here = realPath(cwd);
  const fitting = candidates.filter(({ workspaces }) => workspaces.some((each) => contains(each, here)));
  const named = fromEnvironment(environment, looked);
  const workspaces = named ? toList(environment['GEMINI_CLI_IDE_WORKSPACE_PATH']) : [];
  const isNamed = named && (workspaces.length === 0 || workspaces.some((each) => contains(each, here)));
  const ofFiles = sortCandidates(fitting, environment).flatMap(({ addresses }) => addresses);
  const isKnown = named?.port !== undefined && ofFiles.some(({ port }) => port === named.port);
  const addresses = isNamed && !isKnown ? [...ofFiles, named] : ofFiles;
  return addresses.length > 0
    ? { addresses, looked }
    : { addresses, problem: describe(candidates, workspaces), looked };
}

function describe(candidates: readonly Candidate[], named: readonly string[]): string {
  const folders = [...new Set([...candidates.flatMap(({ workspaces }) => workspaces), ...named])];
  if (candidates.length === 0 && named.length === 0) return NOT_FOUND;
  if (folders.length === 0) return NO_FOLDER;
  return `Directory mismatch. Castor is running in a different location than the open workspace in the IDE. Please run the CLI from one of the following directories: ${folders.join(', ')}`;
}

function readCandidates(
  place: string,
  environment: FindCompanionOptions['environment'],
  looked: string[],
): Candidate[] {
  let names: string[];
  try {
    names = readdirSync(place).filter((name) => FILE.test(name));
  } catch {
    looked.push(`${place}: no such folder`);
    return [];
  }
  if (names.length === 0) looked.push(`${place}: no file of a companion`);
  return names.flatMap((name) => {
    const file = join(place, name);
    const candidate = readCandidate(file, Number(FILE.exec(name)?.[1]), environment);
    looked.push(`${file}: ${typeof candidate === 'string' ? candidate : describeCandidate(candidate)}`);
    return typeof candidate === 'string' ? [] : [candidate];
  });
}

/** A sentence for a file that does not count. What it does not say, the variables may. */
function readCandidate(
  file: string,
  pid: number,
  environment: FindCompanionOptions['environment'],
): Candidate | string {
  try {
    const owner = statSync(file).uid;
    if (process.getuid && owner !== process.getuid()) return 'ignored, it belongs to another user';
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(content)) return 'ignored, it is not an object';
    const { port, workspacePath, authToken, ideInfo, stdio } = content;
    const displayName = isRecord(ideInfo) ? ideInfo['displayName'] : undefined;
    const name = typeof displayName === 'string' ? displayName : undefined;
    const number = Number(port);
    const token = typeof authToken === 'string' ? authToken : environment['GEMINI_CLI_IDE_AUTH_TOKEN'];
    const workspaces = toList(workspacePath ?? environment['GEMINI_CLI_IDE_WORKSPACE_PATH']);
    const known = { token, name, workspaces };
    const addresses: CompanionAddress[] = [];
    if (Number.isInteger(number) && number > 0 && number < 65_536) addresses.push({ ...known, port: number });
    if (isRecord(stdio) && typeof stdio['command'] === 'string') {
      const { command, args } = stdio;
      addresses.push({ ...known, command, args: Array.isArray(args) ? args.map(String) : [] });
    }
    if (addresses.length === 0) return 'ignored, it names neither a port nor a program';
    return { pid, addresses, workspaces };
  } catch (error) {
    return `ignored, ${(error as Error).message}`;
  }
}

function describeCandidate({ pid, addresses: [first], workspaces }: Candidate): string {
  const port = first?.port;
  const state = isAlive(pid) ? `process ${pid}` : `process ${pid}, which has ended`;
  return `${state}, ${port === undefined ? 'a program' : `port ${port}`}, open: ${workspaces.join(', ') || 'no folder'}`;
}

/** The window this terminal belongs to comes first, where several have the folder open. */
function sortCandidates(fitting: readonly Candidate[], environment: FindCompanionOptions['environment']): Candidate[] {
  const port = Number(environment['GEMINI_CLI_IDE_SERVER_PORT']);
  const own = new Set([
    Number(environment['GEMINI_CLI_IDE_PID']),
    ...(fitting.length > 1 ? ancestorsOf(process.pid) : []),
  ]);
  const rank = (each: Candidate) =>
    Number(each.addresses[0]?.port === port) * 4 + Number(own.has(each.pid)) * 2 + Number(isAlive(each.pid));
  return [...fitting].sort((one, other) => rank(other) - rank(one) || other.pid - one.pid);
}

function fromEnvironment(
  environment: FindCompanionOptions['environment'],
  looked: string[],
): CompanionAddress | undefined {
  const { GEMINI_CLI_IDE_SERVER_PORT: port, GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: command } = environment;
  const token = environment['GEMINI_CLI_IDE_AUTH_TOKEN'];
  const workspaces = toList(environment['GEMINI_CLI_IDE_WORKSPACE_PATH']);
  const known = { token, name: undefined, workspaces };
  if (port !== undefined && /^\d{1,5}$/.test(port)) {
    looked.push(`GEMINI_CLI_IDE_SERVER_PORT: port ${port}`);
    return { port: Number(port), ...known };
  }
  if (!command) {
    looked.push('GEMINI_CLI_IDE_SERVER_PORT and GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: not set');
    return undefined;
  }
  looked.push(`GEMINI_CLI_IDE_SERVER_STDIO_COMMAND: ${command}`);
  return { command, args: readArgs(environment['GEMINI_CLI_IDE_SERVER_STDIO_ARGS']), ...known };
}

function readArgs(value: string | undefined): string[] {
  try {
    const args: unknown = JSON.parse(value ?? '[]');
    return Array.isArray(args) ? args.map(String) : [];
  } catch {
    return [];
  }
}

function toList(value: unknown): string[] {
  return typeof value === 'string' ? value.split(delimiter).filter(Boolean).map(realPath) : [];
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

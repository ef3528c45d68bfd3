/**
 * Runs the whole program again inside a container, and ends with its exit code. What keeps the container from starting
 * ends with 44, and nothing has run by then.
 */

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Interruption } from '../signals.ts';
import { chooseContainer } from '../start/container.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { NO_SANDBOX_HINT } from '../start/sandbox.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import {
  INNER_NETWORK,
  lxcArguments,
  lxcContainer,
  lxcSteps,
  PROXY_NAME,
  PROXY_PORT,
  proxySteps,
  runArguments,
} from './container-arguments.ts';
import { collectFacts } from './container-facts.ts';
import type { ContainerFacts } from './container-facts.ts';

export interface ContainerRun {
  args: CliArguments;
  /** The command line, which the program inside gets as it is. */
  words: readonly string[];
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  hasTerminal: boolean;
  interruption: Interruption;
  note: (line: string) => void;
}

/** docker and podman: the engine itself failed, or found no shell in the image. The program inside never ends with these. */
const ENGINE_FAILED = new Set([125, 126, 127]);
const PROXY_WAIT_MS = 60_000;

/** Undefined: no container was asked for after all. Throws an ExitError with 44 when it cannot start. */
export async function runInContainer(run: ContainerRun): Promise<number | undefined> {
  const { args, cwd, home } = run;
  const installed = await findInstalledExtensions({ home, cwd });
  const { configuration, trust } = loadTrustedConfiguration({ ...run, installed });
  const request = chooseContainer(args, configuration, home);
  if (!request) return undefined;
  const { environment } = configuration;
  const engine = findEngine(request.kind === 'runsc' ? 'docker' : request.kind, environment, cwd);
  const wanted = [...(args.includeDirectories ?? []), ...configuration.settings.context.includeDirectories];
  let facts: ContainerFacts;
  try {
    // What the program inside keeps there outlasts the container.
    mkdirSync(join(home, '.gemini'), { recursive: true, mode: 0o700 });
    facts = collectFacts({
      ...{ request, cwd, home, environment, words: run.words, hasTerminal: run.hasTerminal },
      name: `castor-sandbox-${process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex')}`,
      isTrusted: trust.trusted === true,
      directories: wanted.map((path) => path.replace(/^~(?=$|\/)/, home)).filter((path) => isAbsolute(path)),
    });
  } catch (error) {
    throw failed(getErrorMessage(error));
  }
  return request.kind === 'lxc' ? runLxc(engine, facts, run) : runEngine(engine, facts, run);
}

function failed(sentence: string): ExitError {
  return new ExitError(ExitCode.Sandbox, `${sentence} ${NO_SANDBOX_HINT}`);
}

/** A program that lies in the workspace is not used: a project could have put it there. */
function findEngine(name: string, environment: ContainerRun['environment'], cwd: string): string {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const outside = folders.filter((folder) => folder !== cwd && !folder.startsWith(`${cwd}/`));
  const found = outside.map((folder) => join(folder, name)).find((file) => isExecutable(file));
  if (found === undefined) throw failed(`A sandbox of ${name} was asked for, and ${name} is not installed.`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function runEngine(engine: string, facts: ContainerFacts, run: ContainerRun): Promise<number> {
  const { request } = facts;
  const built = buildImage(engine, facts);
  const used = built === undefined ? facts : { ...facts, request: { ...request, image: built } };
  const { networks, proxy } = proxySteps(used);
  // A network that exists is refused, and used.
  for (const words of networks) spawnSync(engine, words, { stdio: 'ignore' });
  const beside = proxy && (await startProxy(engine, proxy));
  try {
    const code = await runInside(engine, runArguments(used), used, run);
    if (ENGINE_FAILED.has(code))
      throw failed(`The container of ${request.kind} (${used.request.image}) did not start.`);
    return code;
  } finally {
    if (beside) {
      spawnSync(engine, ['rm', '-f', PROXY_NAME], { stdio: 'ignore' });
      beside.kill();
    }
  }
}

/** Undefined where none is asked for. */
function buildImage(engine: string, { dockerfile: file, cwd, request }: ContainerFacts): string | undefined {
  if (file === undefined) return undefined;
  if (!existsSync(file)) throw failed(`BUILD_SANDBOX is set, and ${file} does not exist.`);
  const { createHash } = process.getBuiltinModule('node:crypto');
  const tag = `castor-sandbox-${createHash('sha256').update(realpathSync(cwd)).digest('hex').slice(0, 12)}:latest`;
  const words = ['build', '--file', file, '--tag', tag, '--build-arg', `BASE=${request.image}`, dirname(file)];
  const { status } = spawnSync(engine, words, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw failed(`${file} could not be built.`);
  return tag;
}

async function startProxy(engine: string, words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(engine, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('error', () => reject(failed('The proxy of GEMINI_SANDBOX_PROXY_COMMAND did not start.')));
    child.once('exit', () => reject(failed('The proxy of GEMINI_SANDBOX_PROXY_COMMAND ended before it answered.')));
  });
  ended.catch(() => undefined);
  await Promise.race([untilOpen(PROXY_PORT), ended]);
  spawnSync(engine, ['network', 'connect', INNER_NETWORK, PROXY_NAME], { stdio: 'ignore' });
  return child;
}

async function untilOpen(port: number): Promise<void> {
  const end = Date.now() + PROXY_WAIT_MS;
  while (Date.now() < end) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => setTimeout(() => resolve(false), 100));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
  }
  throw failed(`The proxy of GEMINI_SANDBOX_PROXY_COMMAND does not listen on port ${port}.`);
}

async function runLxc(engine: string, facts: ContainerFacts, run: ContainerRun): Promise<number> {
  const container = lxcContainer(facts);
  const { status, stdout } = spawnSync(engine, ['list', container, '--format=csv', '-c', 's'], { encoding: 'utf8' });
  if (status !== 0 || !/^RUNNING$/im.test(stdout))
    throw failed(`The container ${container} of lxc does not run: lxc start ${container}.`);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'castor-lxc-'));
  const added: string[][] = [];
  try {
    for (const { add, remove, what } of lxcSteps(facts)) {
      if (spawnSync(engine, add, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
        throw failed(`lxc could not show ${what} in ${container}.`);
      added.push(remove);
    }
    const { words, variables } = lxcArguments(facts);
    const file = join(folder, 'variables');
    writeFileSync(file, variables, { mode: 0o600, flag: 'wx' });
    return await runInside(
      engine,
      words.map((word) => (word === '{variables}' ? file : word)),
      facts,
      run,
    );
  } finally {
    for (const words of added.toReversed()) spawnSync(engine, words, { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The terminal and the pipes are those of this program; signals go to the one inside, which decides. */
async function runInside(
  engine: string,
  words: readonly string[],
  { environment, name }: ContainerFacts,
  { interruption, note }: ContainerRun,
): Promise<number> {
  note(`castor: this runs in the container ${name}.`);
  const child = spawn(engine, words, { stdio: 'inherit', env: { ...environment } });
  interruption.postpone = (signal) => child.kill(signal as NodeJS.Signals);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(failed(`${engine} did not start: ${error.message}.`)));
    child.once('exit', (code) => resolve(code ?? ExitCode.Failure));
  });
}

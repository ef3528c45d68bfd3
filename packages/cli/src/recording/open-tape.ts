/** Opens the tape of a run: `--record` writes one, and the run that `castor replay` starts plays one. Loaded only then. */

import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  parseProviderModel,
  parseRecording,
  RECORDING_FORMAT,
  resolveProjectDirectory,
  RunPlayer,
  RunRecorder,
  Scrubber,
  tapeTools,
  tapHttp,
} from '@castor/core/program';
import type { WorkspaceAgentOptions } from '@castor/core';
import type { FileLine, RunTape } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Start } from '../start/start.ts';
import { refuseUnplayable } from './refuse-unplayable.ts';
import { environmentOf, filesOf, NO_KEY } from './start-state.ts';

declare const CASTOR_VERSION: string;

export interface OpenedTape extends RunTape {
  tapeTools: NonNullable<WorkspaceAgentOptions['tapeTools']>;
  /** After the run, whatever its end. */
  finish(exitCode: number): void;
}

export interface TapeContext {
  start: Start;
  argv: readonly string[];
  stdin: string;
}

/** How `castor replay` wants a run to be played; beside the recording in the folder of `--replay-in`. */
export interface ReplayOptions {
  isUpdate: boolean;
  isTimed: boolean;
}

/** Throws an ExitError for a run that cannot be recorded. */
export async function openTape(context: TapeContext): Promise<OpenedTape> {
  const { args } = context.start;
  const tape = args.replayIn === undefined ? await openRecorder(context) : openPlayer(args.replayIn, context);
  tapHttp(tape.http);
  return Object.assign(tape, { tapeTools: (tools: ToolLookup) => tapeTools(tools, tape) });
}

/** Before its tools are known. */
type BareTape = Omit<OpenedTape, 'tapeTools'>;
type ToolLookup = Parameters<OpenedTape['tapeTools']>[0];

async function openRecorder({ start, argv, stdin }: TapeContext): Promise<BareTape> {
  const { args, cwd, home, environment, choice } = start;
  refuseUnplayable(start);
  const path = resolve(cwd, args.record ?? '');
  if (existsSync(path)) throw input(`${args.record} exists. Remove it, or record to another file.`);
  const root = realpathSync(cwd);
  const places = { workspace: unique(root, cwd), home: unique(realpathSync(home), home) };
  const scrubber = new Scrubber({ ...places, environment, keyStandIn: NO_KEY });
  const temporary = await resolveProjectDirectory({ home, root: cwd });
  // The run would find a recording that lies in its own folder.
  const isInside = !relative(root, path).startsWith('..');
  const written = isInside ? join(temporary, 'recordings', `${process.pid}-${basename(path)}`) : path;
  try {
    mkdirSync(dirname(written), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
    writeFileSync(written, '', { mode: 0o600 });
  } catch (error) {
    throw input(`The recording cannot be written: ${(error as Error).message}`);
  }
  const named = [args.outputSchema, ...(args.policy ?? [])].flatMap((each) =>
    each === undefined ? [] : [resolve(root, each)],
  );
  const provider = parseProviderModel(choice.model)?.provider;
  const recorder = new RunRecorder({
    ...{ path: written, root, scrubber, files: filesOf(home, root, named) },
    start: {
      ...{ type: 'start', format: RECORDING_FORMAT, castor: CASTOR_VERSION, started: Date.now() },
      seed: Math.floor(Math.random() * 2 ** 32),
      ...{ argv: withoutRecord(argv), stdin, folder: basename(root), names: [] },
      slug: basename(temporary),
      isGitRepository: existsSync(join(root, '.git')),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      environment: environmentOf(environment, provider),
    },
  });
  return Object.assign(recorder, {
    finish(exitCode: number) {
      recorder.end(exitCode);
      if (written === path) return;
      copyFileSync(written, path);
      rmSync(written);
    },
  });
}

function openPlayer(directory: string, { start }: TapeContext): BareTape {
  const { cwd, home } = start;
  const file = join(directory, 'recording.jsonl');
  const recording = parseRecording(readFileSync(file, 'utf8'), file);
  const { isUpdate, isTimed } = JSON.parse(readFileSync(join(directory, 'options.json'), 'utf8')) as ReplayOptions;
  const standIns = recording.lines.flatMap((line) => (line.type === 'secret' ? [line.standIn] : []));
  const scrubber = new Scrubber({ workspace: [cwd], home: [home], environment: {}, standIns });
  const player = new RunPlayer({ recording, root: cwd, home, scrubber, isLenient: isUpdate, isTimed });
  const finish = (exitCode: number) => {
    player.end(exitCode);
    writeFileSync(join(directory, 'report.json'), JSON.stringify(player.report()));
  };
  if (!isUpdate) return Object.assign(player, { finish });
  const recorder = new RunRecorder({
    ...{ path: join(directory, 'updated.jsonl'), root: cwd, scrubber, start: recording.start, clock: player.clock },
    files: recording.lines.filter((line): line is FileLine => line.type === 'file'),
    kept: recording.lines.filter(({ type }) => type === 'sleep' || type === 'secret'),
  });
  return {
    ...{ isReplay: true, clock: player.clock },
    http: (method, request, live) => recorder.http(method, request, () => player.http(method, request, live)),
    wrapGenerator: (generator) => recorder.wrapGenerator(player.wrapGenerator(generator)),
    execute: (call, live) => recorder.execute(call, () => player.execute(call, live)),
    opening: (path) => recorder.opening(path),
    addSecrets: () => undefined,
    end: (exitCode) => recorder.end(exitCode),
    finish(exitCode) {
      recorder.end(exitCode);
      finish(exitCode);
    },
  };
}

/** The words of the run itself. */
export function withoutRecord(argv: readonly string[]): string[] {
  return argv.filter(
    (word, index) => word !== '--record' && argv[index - 1] !== '--record' && !word.startsWith('--record='),
  );
}

function unique(...paths: readonly string[]): string[] {
  return [...new Set(paths)];
}

function input(message: string): ExitError {
  return new ExitError(ExitCode.Input, message);
}

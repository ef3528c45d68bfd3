/** Runs `castor` for one try of a task, or continues the run that a dead worker left, and waits for its end. */

import { writeFileSync } from 'node:fs';
import type { Claim } from './engine.ts';
import { firstFailure } from './git.ts';
import { endOn, startProgram, withLifeline } from './lifeline.ts';
import type { RunLog } from './run-log.ts';
import { FIRST_FAILED } from './starter.ts';
import type { Start, Starter } from './starter.ts';

export interface ProgramOptions {
  starter: Starter;
  claim: Claim;
  /** The command that starts castor. */
  program: readonly [string, ...string[]];
  directory: string;
  /** Whether the folder is a worktree of the user's repository. */
  isWorktree: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  sessionId: string;
  isContinued: boolean;
  /** With what earlier runs of this try wrote. */
  log: RunLog;
  errors: string;
  /** Ends the run; its session stays. */
  signal: AbortSignal;
  onProgress: (log: RunLog) => void;
  /** The file of its prompt. */
  prompt: string;
  /** The file that names its process. */
  identity: string;
  /** Of all that the task starts. */
  mark: string;
  /** Fills the folder. */
  first?: Start['first'];
}

/** How often the output is looked at while the program runs; a live table is painted as often. */
const LOOK_MS = 1_000;

export interface ProgramEnd {
  /** Null when a signal ended it. */
  code: number | null;
  log: RunLog;
}

/** Throws the system's error when the program cannot be started, and a GitError when its folder cannot be filled. */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { starter, program, directory, environment, log, errors, signal, onProgress, identity, first, mark } = options;
  const [command, ...given] = program;
  log.result = undefined;
  log.isComplete = false;
  log.endLine();
  const words = [command, ...given, ...flagsOf(options)] as const;
  const stdin = options.isContinued ? undefined : options.prompt;
  if (stdin !== undefined) writeFileSync(stdin, promptOf(options.claim.task), { mode: 0o600 });
  const files = { stdin, stdout: log.path, stderr: errors, identity };
  const started = startProgram(starter, words, {
    directory,
    environment: withLifeline(environment, mark),
    ...files,
    first,
  });
  const look = () => {
    if (log.read()) onProgress(log);
  };
  onProgress(log);
  const looking = setInterval(look, LOOK_MS);
  const stop = endOn(signal, started);
  try {
    const code = await started.ended;
    look();
    log.isComplete = true;
    if (first && code === FIRST_FAILED && log.sessionId === undefined && !signal.aborted)
      throw firstFailure(first, errors);
    return { code, log };
  } finally {
    clearInterval(looking);
    stop();
  }
}

/** Not a word of the command: those are limited, and every user of the machine sees them. */
function promptOf({ prompt, files }: Claim['task']): string {
  return [prompt, ...files.map((path) => `@${path.replaceAll(' ', '\\ ')}`)].join('\n');
}

function flagsOf({ claim, sessionId, isContinued, isWorktree }: ProgramOptions): string[] {
  const { task, reserved, options } = claim;
  const { limits } = task;
  const flags = [...options.flags, '-o', 'stream-json', '--task', 'spending'];
  if (isWorktree) flags.push('--task', 'worktree');
  if (task.model !== undefined) flags.push('--model', task.model);
  if (task.schema !== undefined) flags.push('--output-schema', task.schema);
  if (limits.turns !== undefined) flags.push('--max-turns', String(limits.turns));
  if (limits.time !== undefined) flags.push('--max-time', `${Math.ceil(limits.time)}s`);
  if (reserved.cost !== undefined) flags.push('--max-cost', Math.max(reserved.cost, 1e-12).toFixed(12));
  if (reserved.tokens !== undefined) flags.push('--max-tokens', String(reserved.tokens));
  if (isContinued) return [...flags, '--resume', sessionId, '--continue'];
  return [...flags, '--session-id', sessionId];
}

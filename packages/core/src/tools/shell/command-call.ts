/**
 * Runs the command of one call, in the foreground or the background: checks the folder,
 * lets the caller look around it, and formats the outcome. Loaded by the first command.
 */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbortError, ToolError } from '../../protocol/errors.ts';
import type { ToolContext, ToolResult } from '../../protocol/tools.ts';
import { systemClock } from '../../util/clock.ts';
import type { RunShellCommandDependencies, ShellParams } from '../builtin/run-shell-command.ts';
import type { Workspace } from '../files/workspace.ts';
import type { BackgroundProcesses } from './background.ts';
import type { OwnProcess } from './parsed-command.ts';
import { cancelled, exited, failedToStart, started, toResult, withNote } from './shell-result.ts';

const DEFAULT_DELAY_MS = 200;
const LONGEST_DELAY_MS = 60_000;

export async function runCommand(
  params: ShellParams,
  context: ToolContext,
  dependencies: RunShellCommandDependencies,
): Promise<ToolResult> {
  const directory = await checkDirectory(dependencies.workspace, params.dir_path);
  await refuseSelfSignal(params.command, dependencies.self);
  const { command, additional_permissions: permissions } = params;
  const widened = await dependencies.widen?.({ command, directory, permissions });
  if (widened?.refusal !== undefined) throw new ToolError(widened.refusal, 'sandbox_expansion_required');
  const place = { directory, isUnconfined: widened?.isUnconfined };
  try {
    return await (params.is_background
      ? runInBackground(params, place, context, dependencies)
      : runInForeground(params, place, context, dependencies));
  } finally {
    widened?.close?.();
  }
}

interface CommandPlace {
  directory: string;
  isUnconfined: boolean | undefined;
}

async function checkDirectory(workspace: Workspace, given: string | undefined): Promise<string> {
  if (given === undefined || given === '') return workspace.root;
  const directory = await workspace.checkPath(given);
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) throw new ToolError(`Directory not found: ${given}`, 'file_not_found');
  if (!found.isDirectory()) throw new ToolError(`Not a directory: ${given}`, 'path_is_not_a_directory');
  await access(directory, constants.X_OK).catch((cause: unknown) => {
    throw new ToolError(`Permission denied: commands cannot run in ${given}`, 'permission_denied', { cause });
  });
  return directory;
}

async function refuseSelfSignal(command: string, self: OwnProcess | undefined): Promise<void> {
  if (!/kill/.test(command)) return;
  const { findSelfSignal, parseCommand } = await import('./parsed-command.ts');
  const { readOwnProcess } = await import('./own-process.ts');
  const found = findSelfSignal(await parseCommand(command), self ?? (await readOwnProcess()));
  if (found === undefined) return;
  throw new ToolError(
    `Not run: \`${found}\` would also end this program. Find the process id (for example with \`pgrep -af\`) and use \`kill <pid>\`.`,
    'shell_execute_error',
  );
}

async function runInForeground(
  { command }: ShellParams,
  { directory, isUnconfined }: CommandPlace,
  context: ToolContext,
  { shell, background, aroundCommand }: RunShellCommandDependencies,
): Promise<ToolResult> {
  const { callId, signal } = context;
  const run = async () => {
    const look = await aroundCommand?.({ command, directory, callId });
    const outcome = await shell.run({
      command,
      directory,
      isUnconfined,
      signal,
      callId,
      onOutput: (text) => context.onOutput(text),
      onPid: (pid) => context.onPid(pid),
    });
    if (outcome.moved && outcome.pid !== undefined) {
      await background.adopt(outcome.pid, command, outcome.output, outcome.moved);
      if (look) void outcome.moved.finished.then(() => look());
    }
    const hasEnded = outcome.ending === 'exited' && outcome.error === undefined;
    return { outcome, review: await look?.(hasEnded ? outcome : undefined) };
  };
  const first = await run();
  if (!first.review?.again || signal.aborted)
    return withNote(toResult(first.outcome, shell, signal), first.review?.note);
  try {
    const second = await run();
    const notes = [first.review.note, second.review?.note].filter((note) => note !== undefined);
    return withNote(toResult(second.outcome, shell, signal), notes.join('\n'));
  } finally {
    first.review.again();
  }
}

async function runInBackground(
  { command, delay_ms }: ShellParams,
  { directory, isUnconfined }: CommandPlace,
  context: ToolContext,
  { background, clock = systemClock, aroundCommand }: RunShellCommandDependencies,
): Promise<ToolResult> {
  const { signal } = context;
  if (signal.aborted) return cancelled('', signal);
  const look = await aroundCommand?.({ command, directory, callId: context.callId });
  let begun: Awaited<ReturnType<BackgroundProcesses['start']>>;
  try {
    begun = await background.start(command, directory, isUnconfined);
  } catch (error) {
    return failedToStart(error as Error);
  }
  const { pid, finished } = begun;
  if (look) void finished.then(() => look());
  context.onPid(pid);
  const delay = Math.min(delay_ms ?? DEFAULT_DELAY_MS, LONGEST_DELAY_MS);
  const stopWaiting = new AbortController();
  const exit = await Promise.race([
    finished,
    clock.sleep(delay, AbortSignal.any([signal, stopWaiting.signal])).catch((error: unknown) => {
      if (!isAbortError(error)) throw error;
    }),
  ]);
  stopWaiting.abort();
  if (signal.aborted) await background.end(pid);
  const { text } = await background.readLogTail(pid);
  if (signal.aborted) return cancelled(text, signal);
  if (exit) {
    const { code, signal: by } = exit;
    return exited({ ending: 'exited', output: text, exitCode: code, signal: by, pid, backgroundPids: [] });
  }
  return started(pid, command, text);
}

/**
 * run_shell_command: runs a command line. A non-zero exit code is a result, not a failure of
 * the tool; only a failed start is a failure. The runner starts and ends the processes;
 * shell-result.ts formats the outcome.
 */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbortError, ToolError } from '../../protocol/errors.ts';
import type { DefinedTool, ToolContext, ToolResult } from '../../protocol/tools.ts';
import { systemClock } from '../../util/clock.ts';
import type { Clock } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import type { BackgroundProcesses } from '../shell/background.ts';
import type { OwnProcess } from '../shell/parsed-command.ts';
import type { ShellRunner } from '../shell/shell-runner.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION = `Runs a command with \`bash -c\` in its own process group. Prompts cannot be answered: pass flags such as --yes.
For servers, watchers and other long-running commands set is_background instead of writing &.
Returns Output (stdout and stderr), and where they apply Error, Exit Code, Signal, Background PIDs and Process Group PGID.
Each command inside $(), backticks, <() and >() needs the same approval as one on its own.`;
const EFFICIENCY = 'Prefer flags that keep output short.';

const DEFAULT_DELAY_MS = 200;
const LONGEST_DELAY_MS = 60_000;

/** The system rejects arguments of 128 KiB or more. */
const LONGEST_COMMAND = 128 * 1024 - 64;
const TOO_LONG =
  'Command is longer than the system limit of 128 KiB. Write it to a file with write_file and run the file.';

interface ShellParams {
  command: string;
  description?: string;
  dir_path?: string;
  is_background?: boolean;
  delay_ms?: number;
}

export type AroundCommand = (command: string, directory: string) => Promise<() => Promise<string | undefined>>;

export interface RunShellCommandDependencies {
  workspace: Workspace;
  shell: ShellRunner;
  background: BackgroundProcesses;
  clock?: Clock;
  /** Whether the model is asked to keep output short. */
  asksForShortOutput?: boolean;
  /** Looks at the surroundings before a command; what it returns is called after it, and may add a note to the result. */
  aroundCommand?: AroundCommand | undefined;
  /** How this program appears to `pkill`; read from the system by default. */
  self?: OwnProcess;
}

export function createRunShellCommandTool(dependencies: RunShellCommandDependencies): DefinedTool {
  const { workspace, asksForShortOutput = true } = dependencies;
  return defineTool({
    name: 'run_shell_command',
    displayName: 'Shell',
    kind: 'execute',
    description: asksForShortOutput ? `${DESCRIPTION}\n${EFFICIENCY}` : DESCRIPTION,
    isOutputMarkdown: false,
    canUpdateOutput: true,
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        command: { type: 'string', description: 'The command line, for bash.' },
        description: { type: 'string', description: 'One short sentence for the user about what it does.' },
        dir_path: { type: 'string', description: 'Directory to run in. Default: the project root.' },
        is_background: { type: 'boolean', description: 'Start it and return while it continues to run.' },
        delay_ms: {
          type: 'number',
          description: 'With is_background: milliseconds to wait for first output. Default 200.',
        },
      },
      required: ['command'],
    },
    validate: ({ command, delay_ms }) => {
      if (command.trim() === '') return 'Command cannot be empty.';
      if (command.includes('\0')) return 'Command must not contain NUL characters.';
      if (Buffer.byteLength(command) > LONGEST_COMMAND) return TOO_LONG;
      if (delay_ms !== undefined && delay_ms < 0) return 'delay_ms must not be negative.';
      return undefined;
    },
    describe: describeCall,
    locations: ({ dir_path }) => (dir_path === undefined ? [] : [{ path: workspace.resolve(dir_path) }]),
    async confirm({ command }) {
      const { parseCommand } = await import('../shell/parsed-command.ts');
      const { rootCommands } = await parseCommand(command);
      const rootCommand = rootCommands.join(', ');
      return { type: 'exec', title: 'Confirm Shell Command', command, rootCommand, rootCommands };
    },
    async execute(params, context) {
      const directory = await checkDirectory(workspace, params.dir_path);
      await refuseSelfSignal(params.command, dependencies.self);
      return params.is_background
        ? runInBackground(params, directory, context, dependencies)
        : runInForeground(params, directory, context, dependencies);
    },
  });
}

function describeCall({ command, description, dir_path }: ShellParams): string {
  const where = dir_path === undefined ? '' : ` [in ${dir_path}]`;
  const why = description === undefined || description === '' ? '' : ` (${description.replaceAll('\n', ' ')})`;
  return `${command}${where}${why}`;
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
  const { findSelfSignal, parseCommand } = await import('../shell/parsed-command.ts');
  const { readOwnProcess } = await import('../shell/own-process.ts');
  const found = findSelfSignal(await parseCommand(command), self ?? (await readOwnProcess()));
  if (found === undefined) return;
  throw new ToolError(
    `Not run: \`${found}\` would also end this program. Find the process id (for example with \`pgrep -af\`) and use \`kill <pid>\`.`,
    'shell_execute_error',
  );
}

async function runInForeground(
  { command }: ShellParams,
  directory: string,
  context: ToolContext,
  { shell, background, aroundCommand }: RunShellCommandDependencies,
): Promise<ToolResult> {
  const { toResult, withNote } = await import('../shell/shell-result.ts');
  const look = await aroundCommand?.(command, directory);
  const outcome = await shell.run({
    command,
    directory,
    signal: context.signal,
    onOutput: (text) => context.onOutput(text),
    onPid: (pid) => context.onPid(pid),
  });
  if (outcome.moved && outcome.pid !== undefined) {
    await background.adopt(outcome.pid, command, outcome.output, outcome.moved);
    if (look) void outcome.moved.finished.then(look);
  }
  return withNote(toResult(outcome, shell), await look?.());
}

async function runInBackground(
  { command, delay_ms }: ShellParams,
  directory: string,
  context: ToolContext,
  { background, clock = systemClock, aroundCommand }: RunShellCommandDependencies,
): Promise<ToolResult> {
  const { signal } = context;
  const results = await import('../shell/shell-result.ts');
  if (signal.aborted) return results.cancelled('');
  const look = await aroundCommand?.(command, directory);
  let started: Awaited<ReturnType<BackgroundProcesses['start']>>;
  try {
    started = await background.start(command, directory);
  } catch (error) {
    return results.failedToStart(error as Error);
  }
  const { pid, finished } = started;
  if (look) void finished.then(look);
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
  if (signal.aborted) return results.cancelled(text);
  if (exit) {
    const { code, signal: by } = exit;
    return results.exited({ ending: 'exited', output: text, exitCode: code, signal: by, pid, backgroundPids: [] });
  }
  return results.started(pid, command, text);
}

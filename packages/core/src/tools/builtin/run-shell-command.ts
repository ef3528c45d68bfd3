/**
 * run_shell_command: runs a command line. A non-zero exit code is a result, not a failure of
 * the tool; only a failed start is a failure. command-call.ts, loaded by the first call, does
 * the work.
 */

import type { DefinedTool } from '../../protocol/tools.ts';
import type { Clock } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import type { BackgroundProcesses } from '../shell/background.ts';
import type { CommandPermissions, WidenRequest, Widened } from '../shell/command-permissions.ts';
import type { OwnProcess } from '../shell/parsed-command.ts';
import type { ShellRunner } from '../shell/shell-runner.ts';
import type { Workspace } from '../files/workspace.ts';

const DESCRIPTION = `Runs a command with \`bash -c\` in its own process group. Prompts cannot be answered: pass flags such as --yes.
For servers, watchers and other long-running commands set is_background instead of writing &.
Returns Output (stdout and stderr), and where they apply Error, Exit Code, Signal, Background PIDs and Process Group PGID.
Each command inside $(), backticks, <() and >() needs the same approval as one on its own.`;
const EFFICIENCY = 'Prefer flags that keep output short.';

const PATHS = { type: 'array', items: { type: 'string' } };
const PERMISSIONS = {
  type: 'object',
  description: 'What the command needs beyond the sandbox. The user is asked about each; ask for nothing else.',
  properties: {
    fileSystem: { type: 'object', properties: { read: PATHS, write: PATHS } },
    network: { type: 'boolean', description: 'Not needed: the user is asked about a host when the command connects.' },
    outside_sandbox: { type: 'boolean', description: 'Run it without the sandbox, where nothing else helps.' },
  },
} as const;

/** The system rejects arguments of 128 KiB or more. */
const LONGEST_COMMAND = 128 * 1024 - 64;
const TOO_LONG =
  'Command is longer than the system limit of 128 KiB. Write it to a file with write_file and run the file.';

export interface ShellParams {
  command: string;
  description?: string;
  dir_path?: string;
  is_background?: boolean;
  delay_ms?: number;
  /** Only in a sandbox. */
  additional_permissions?: CommandPermissions;
}

export interface CommandLook {
  command: string;
  directory: string;
  callId: string;
}

/** What became of a command: a note for the model; `again` where it runs once more, to be called after that. */
export interface CommandReview {
  note?: string | undefined;
  again?: (() => void) | undefined;
}

/** Looks before a command; the result is called after it, for one in the foreground with its output and exit code. */
export type AroundCommand = (
  look: CommandLook,
) => Promise<(end?: { output: string; exitCode: number | null }) => Promise<CommandReview>>;

export interface RunShellCommandDependencies {
  workspace: Workspace;
  shell: ShellRunner;
  background: BackgroundProcesses;
  clock?: Clock;
  /** Whether the model is asked to keep output short. */
  asksForShortOutput?: boolean;
  /** Looks at the surroundings before a command; what it returns is called after it, and may add a note to the result. */
  aroundCommand?: AroundCommand | undefined;
  /** Asks about what a command needs beyond its bounds; absent: there is no sandbox. */
  widen?: ((request: WidenRequest) => Promise<Widened>) | undefined;
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
        ...(dependencies.widen && { additional_permissions: PERMISSIONS }),
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
      const { runCommand } = await import('../shell/command-call.ts');
      return runCommand(params as ShellParams, context, dependencies);
    },
  });
}

function describeCall({ command, description, dir_path }: ShellParams): string {
  const where = dir_path === undefined ? '' : ` [in ${dir_path}]`;
  const why = description === undefined || description === '' ? '' : ` (${description.replaceAll('\n', ' ')})`;
  return `${command}${where}${why}`;
}

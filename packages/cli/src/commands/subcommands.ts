/** `castor <command> …`: maps each command to its file. Commands never start the agent. */

import type { CliArguments } from '../args/args.ts';
import { refuseBesideListing } from '../args/idle-flags.ts';
import { homeDirectory } from '../home-directory.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { Interruption } from '../signals.ts';

export interface CommandContext {
  output: Output;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  async audit(args, context) {
    const { runAuditCommand } = await import('./audit.ts');
    return runAuditCommand(args, context);
  },
  async branch(args, context) {
    const { runBranchCommand } = await import('./branch.ts');
    return runBranchCommand(args, context);
  },
  async policy(args, context) {
    const { runPolicyCommand } = await import('./policy.ts');
    const { output, home, cwd, environment } = context;
    const io = {
      environment,
      stdout: (text: string) => void output.answer(text),
      stderr: (text: string) => output.note(text.trimEnd()),
      home,
      cwd,
    };
    return runPolicyCommand([...args], io);
  },
  async config(args, context) {
    const { runConfigCommand } = await import('./config.ts');
    return runConfigCommand(args, context);
  },
  async sessions(args, context) {
    const { runSessionsCommand } = await import('./sessions.ts');
    return runSessionsCommand(args, context);
  },
  async sandbox(args, context) {
    const { runSandboxCommand } = await import('./sandbox.ts');
    return runSandboxCommand(args, context);
  },
  hooks: runHooks,
  hook: runHooks,
  async doctor(args, context) {
    const { runDoctorCommand } = await import('./doctor.ts');
    return runDoctorCommand(args, context);
  },
  async leaks(args, context) {
    const { runLeaksCommand } = await import('./leaks.ts');
    return runLeaksCommand(args, context);
  },
  async login(args, context) {
    const { runLoginCommand } = await import('./login.ts');
    return runLoginCommand(args, context);
  },
  async logout(args, context) {
    const { runLogoutCommand } = await import('./login.ts');
    return runLogoutCommand(args, context);
  },
  async models(args, context) {
    const { runModelsCommand } = await import('./models.ts');
    return runModelsCommand(args, context);
  },
  async mcp(args, context) {
    const { runMcpCommand } = await import('./mcp.ts');
    return runMcpCommand(args, context);
  },
  extensions: runExtensions,
  extension: runExtensions,
  async import(args, context) {
    const { runImportCommand } = await import('./import.ts');
    return runImportCommand(args, context);
  },
  skills: runSkills,
  skill: runSkills,
  async undo(args, context) {
    const { runUndoCommand } = await import('./undo.ts');
    return runUndoCommand(args, context);
  },
  gemma: notYet('A local model router'),
};

/** Commands that connect to nothing. */
const LOCAL: ReadonlySet<string> = new Set(
  'audit branch config hook hooks leaks policy sandbox sessions undo'.split(' '),
);

export async function runSubcommand(
  [name = '', ...args]: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  if (name === 'batch') return (await import('./batch/batch.ts')).runBatchCommand(args, output, interruption);
  if (name === 'eval') return (await import('./eval/eval.ts')).runEvalCommand(args, output, interruption);
  if (name === 'worker') return (await import('./batch/worker.ts')).runWorkerCommand(args, output, interruption);
  if (name === 'replay') return (await import('./replay/replay.ts')).runReplayCommand(args, output, interruption);
  const { signal } = interruption;
  if (!LOCAL.has(name)) {
    const { watchConnections } = await import('./watch-connections.ts');
    // It changes nothing, not even the audit log.
    watchConnections(contextOf(output), { isRecorded: name !== 'doctor' });
  }
  return ((await COMMANDS[name]?.(args, { ...contextOf(output), signal })) ?? ExitCode.Failure) as ExitCode;
}

/** The flags that only list or remove. */
export async function runListing(args: CliArguments, output: Output): Promise<ExitCode> {
  refuseBesideListing(args);
  const { listSessions, listExtensions, deleteSession } = args;
  if (listExtensions) {
    const { printExtensionNames } = await import('./extensions-names.ts');
    return printExtensionNames(contextOf(output));
  }
  const sessions = await import('./sessions.ts');
  const context = contextOf(output);
  return listSessions ? sessions.printSessionList(context) : sessions.printDeletedSession(deleteSession ?? '', context);
}

function contextOf(output: Output): CommandContext {
  return { output, cwd: process.cwd(), home: homeDirectory(process.env), environment: process.env };
}

async function runExtensions(args: readonly string[], context: CommandContext): Promise<number> {
  const { runExtensionsCommand } = await import('./extensions.ts');
  return runExtensionsCommand(args, context);
}

async function runHooks(args: readonly string[], context: CommandContext): Promise<number> {
  const { runHooksCommand } = await import('./hooks.ts');
  return runHooksCommand(args, context);
}

async function runSkills(args: readonly string[], context: CommandContext): Promise<number> {
  const { runSkillsCommand } = await import('./skills.ts');
  return runSkillsCommand(args, context);
}

function notYet(what: string): Command {
  return async (_args, { output }) => {
    output.note(`castor: Castor does not support ${what} yet. Supported commands: castor --help`);
    return ExitCode.Failure;
  };
}

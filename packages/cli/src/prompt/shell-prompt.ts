/**
 * `!command`: runs a command of the user. The model is not asked; it receives the command and its output with the next
 * prompt. Without a terminal the user may not have typed it (a script may pass on text of others), so that only
 * commands that policy allows without a question run then.
 */

import { describeTooMuchOutput } from '@castor/core/program';
import type { Content, ShellOutcome } from '@castor/core';
import type { PreparedPrompt } from './prepared-prompt.ts';
import type { CommandContext } from '../slash/command.ts';

const MAX_OUTPUT = 10_000;

type ShellLimits = Pick<CommandContext['agent']['shell'], 'inactivityTimeoutMs' | 'maxOutputBytes'>;

export interface ShellPromptOptions {
  onOutput?: (text: string) => void;
  onPid?: (pid: number) => void;
}

/** Runs to the end of the command and adds it to the history. */
export async function runShellPrompt(
  command: string,
  { agent, isAttended, signal }: Pick<CommandContext, 'agent' | 'isAttended' | 'signal'>,
  options: ShellPromptOptions = {},
): Promise<PreparedPrompt> {
  const refusal = await refuse(command, agent.policy, isAttended);
  if (refusal !== undefined) return { kind: 'error', message: refusal };
  const outcome = await agent.shell.run({ command, directory: agent.workspace.root, signal, ...options });
  if (outcome.moved && outcome.pid !== undefined) {
    await agent.background.adopt(outcome.pid, command, outcome.output, outcome.moved);
  }
  const text = withEnding(outcome, agent.shell);
  agent.chat.addHistory(toHistory(command, text));
  const isSuccess = outcome.exitCode === 0 || outcome.moved !== undefined;
  return { kind: 'answered', text, exitCode: isSuccess ? 0 : 1 };
}

/** The text that informs the model of it. */
export function toHistory(command: string, output: string): Content {
  const cut = output.length > MAX_OUTPUT ? `${output.slice(0, MAX_OUTPUT).toWellFormed()}\n... (truncated)` : output;
  const text = `I ran the following shell command:\n\`\`\`sh\n${escape(command)}\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n${escape(cut)}\n\`\`\``;
  return { role: 'user', parts: [{ text }] };
}

async function refuse(
  command: string,
  policy: CommandContext['agent']['policy'],
  isAttended: boolean,
): Promise<string | undefined> {
  const question = { toolName: 'run_shell_command', args: { command }, kind: 'execute' as const };
  const { decision, denyMessage } = await policy.checkForPerson(question);
  if (decision === 'deny') return `!${command} was not run: ${denyMessage ?? 'a policy rule denies it'}`;
  if (decision === 'allow' || isAttended) return undefined;
  return `!${command} was not run: without a terminal, only harmless commands and commands that a policy allows run in a prompt. Allow it with --allowed-tools "run_shell_command(…)" or --yolo, or run it in your shell.`;
}

function withEnding(outcome: ShellOutcome, limits: ShellLimits): string {
  const said = outcome.output.trimEnd();
  const ending = describeEnding(outcome, limits);
  return [said, ending].filter(Boolean).join('\n') || '(Command produced no output)';
}

function describeEnding(outcome: ShellOutcome, limits: ShellLimits): string {
  const { ending, exitCode, signal, error } = outcome;
  if (error) return `[The command could not be started: ${error.message}]`;
  switch (ending) {
    case 'cancelled':
      return '[The command was cancelled]';
    case 'timed_out':
      return `[The command printed nothing for ${limits.inactivityTimeoutMs / 60_000} minutes and was ended]`;
    case 'waiting_for_input':
      return '[The command waited for input and was ended]';
    case 'too_much_output':
      return `[The command was stopped: ${describeTooMuchOutput(outcome.printedBytes ?? 0, limits.maxOutputBytes)}]`;
    case 'moved_to_background':
    case 'serving':
      return `[The command continues in the background (PID: ${outcome.pid})]`;
    case 'exited':
      if (signal !== null) return `[The command was ended by ${signal}]`;
      return exitCode === 0 || exitCode === null ? '' : `[The command ended with exit code ${exitCode}]`;
  }
}

/** No output of a command can close the fence it is shown in. */
function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('`', '\\`');
}

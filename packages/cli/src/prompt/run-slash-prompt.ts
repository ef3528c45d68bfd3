/**
 * A slash command where a program runs once: what it says is the answer, what it submits
 * is the prompt, and anything that needs a screen is refused before it is run
 * (docs/decisions/0012). Unknown commands are words for the model.
 */

import type { PreparedPrompt } from './prompt-input.ts';
import type { CommandContext, CommandResult } from '../slash/command.ts';
import { openCommands } from '../slash/index.ts';
import { watchCommand } from '../slash/watch-command.ts';

/** Undefined: the text is no command. */
export async function runSlashPrompt(text: string, context: CommandContext): Promise<PreparedPrompt | undefined> {
  const { agent } = context;
  const commands = context.commands ?? (await openCommands(agent.sources));
  const found = commands.find(text);
  if (!found) return undefined;
  const { command, path, args } = found;
  const { run } = command;
  if (!run || !command.runsHeadless) {
    return { kind: 'error', message: `/${path} needs a terminal. Start castor without -p to use it.` };
  }
  const result = await watchCommand(path, agent, () => run({ ...context, commands }, args));
  return toPrepared(result, text, path);
}

function toPrepared(result: CommandResult, text: string, path: string): PreparedPrompt {
  switch (result.type) {
    case 'submit_prompt':
      return { kind: 'prompt', parts: result.parts, displayText: text, notes: [...(result.notes ?? [])] };
    case 'message':
      return result.messageType === 'info'
        ? { kind: 'answered', text: result.content, exitCode: 0 }
        : { kind: 'error', message: result.content };
    default:
      return { kind: 'error', message: `/${path} needs a terminal. Start castor without -p to use it.` };
  }
}

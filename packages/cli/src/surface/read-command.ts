/**
 * Runs a slash command in a prompt: its message is the answer, its submission is the prompt. Without a screen, a
 * command that needs one is rejected before it runs (docs/decisions/0012). Unknown commands are words for the model.
 */

import type { CommandList, CommandResult, FoundCommand } from '../slash/command.ts';
import { info } from '../slash/command.ts';
import { openCommands } from '../slash/index.ts';
import { watchCommand } from '../slash/watch-command.ts';
import type { ReadContext, ReadPrompt } from './prompt-reading.ts';

/** Undefined: the text names no command. */
export async function readCommand(text: string, context: ReadContext): Promise<ReadPrompt | undefined> {
  const { agent, hasScreen = false } = context;
  const commands = context.commands ?? (await openCommands(agent.sources, () => agent.servers, context.listOptions));
  const found = commands.find(text) ?? (await findLater(text, commands, context));
  if (!found) return undefined;
  const { command, path, args } = found;
  const { run } = command;
  if (!hasScreen && !(run && command.runsHeadless)) return needsTerminal(path, context);
  if (!run) {
    const names = (command.subCommands ?? []).map(({ name }) => `/${path} ${name}`);
    return toRead(info(`/${path} needs one of: ${names.join(', ')}.`), text);
  }
  context.onCommand?.(text);
  const result = await watchCommand(path, agent, () => run({ ...context, commands }, args));
  const read = toRead(result, text);
  return read.kind === 'command' && !hasScreen ? needsTerminal(path, context) : read;
}

/** The command may be a prompt of an MCP server that is still connecting. */
async function findLater(
  text: string,
  commands: CommandList,
  { agent: { servers }, signal }: ReadContext,
): Promise<FoundCommand | undefined> {
  if (!servers) return undefined;
  await servers.settle(signal);
  return commands.find(text);
}

function toRead(result: CommandResult, text: string): ReadPrompt {
  switch (result.type) {
    case 'submit_prompt':
      return { kind: 'prompt', parts: result.parts, displayText: text, notes: [...(result.notes ?? [])] };
    case 'message':
      return result.messageType === 'info'
        ? { kind: 'answered', text: result.content, exitCode: 0 }
        : { kind: 'error', message: result.content };
    default:
      return { kind: 'command', result };
  }
}

function needsTerminal(path: string, context: ReadContext): ReadPrompt {
  const hint = context.needsTerminal?.(path) ?? 'Start castor without -p to use it.';
  return { kind: 'error', message: `/${path} needs a terminal. ${hint}` };
}

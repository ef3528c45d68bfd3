/**
 * Runs a custom command: fills in its placeholders, and runs its shell commands only as policy and the user allow. The
 * result is a prompt, as if the user had typed it.
 */

import type { Part, ShellOutcome } from '@castor/core';
import type { CommandFile } from '@castor/core/program';
import type { CommandContext, CommandResult, SlashCommand } from './command.ts';
import { failure } from './command.ts';
import { ARGS, parsePlaceholders, PlaceholderError, quoteForShell } from './placeholders.ts';
import type { Segment } from './placeholders.ts';

export function toCustomCommand(file: CommandFile, name: string): SlashCommand {
  const { argumentHint = '[arguments]' } = file;
  const choices = choicesOf(argumentHint);
  return {
    name,
    description: file.argumentHint === undefined ? file.description : `${file.argumentHint}  ${file.description}`,
    source: file.source,
    usage: argumentHint,
    ...(choices.length > 0 && {
      complete: async (partial: string) => choices.filter((choice) => choice.startsWith(partial)),
    }),
    runsHeadless: true,
    run: async (context, args) => {
      try {
        return await submit(file, name, context, args);
      } catch (error) {
        if (!(error instanceof PlaceholderError)) throw error;
        return failure(`/${name} was not sent: ${error.message} (${file.file}).`);
      }
    },
  };
}

/** The words a hint such as `[add|remove] <name>` offers. */
function choicesOf(hint: string): string[] {
  const group = /^[[<(]?([\w.-]+(?:\|[\w.-]+)+)/.exec(hint.trim())?.[1];
  return group?.split('|') ?? [];
}

async function submit(file: CommandFile, name: string, context: CommandContext, args: string): Promise<CommandResult> {
  const { segments, takesArguments, notes } = await expand(file, args);
  const refusal = await askForConsent(segments, name, context);
  if (refusal !== undefined) return failure(refusal);
  const parts: Part[] = [];
  for (const segment of segments) parts.push(...(await fill(segment, args, context, notes)));
  if (!takesArguments && args !== '') parts.push({ text: `\n\n/${name} ${args}` });
  const merged = mergeText(parts);
  if (merged.length === 0) return failure(`/${name} was not sent: its prompt is empty (${file.file}).`);
  return { type: 'submit_prompt', parts: merged, notes };
}

interface Expanded {
  segments: readonly Segment[];
  /** False: the invocation follows the prompt. */
  takesArguments: boolean;
  notes: string[];
}

async function expand(file: CommandFile, args: string): Promise<Expanded> {
  if (file.syntax !== 'toml') return (await import('./foreign-command.ts')).expandForeign(file, args);
  const segments = parsePlaceholders(file.prompt).map((segment) => withArguments(segment, args));
  return { segments, takesArguments: file.prompt.includes(ARGS), notes: [] };
}

/** Inside a command the arguments are one word, whatever the user typed. */
function withArguments(segment: Segment, args: string): Segment {
  if (segment.kind !== 'shell') return segment;
  return { ...segment, command: segment.command.replaceAll(ARGS, () => quoteForShell(args)) };
}

/** A sentence when a command is denied; nothing has run then. */
async function askForConsent(
  segments: readonly Segment[],
  name: string,
  { agent, services }: CommandContext,
): Promise<string | undefined> {
  const asked: string[] = [];
  for (const segment of segments) {
    if (segment.kind !== 'shell' || segment.command === '') continue;
    const { command } = segment;
    const { decision, denyMessage } = await agent.policy.checkForPerson(questionAbout(command));
    if (decision === 'deny') {
      return `/${name} was not sent: ${denyMessage ?? `a policy rule denies the command ${command}`}`;
    }
    if (decision === 'ask_user') asked.push(command);
  }
  if (asked.length === 0) return undefined;
  const consent = await services?.confirmShellCommands?.(asked);
  if (consent === undefined) {
    return `/${name} was not sent: it wants to run ${asked.map((command) => `"${command}"`).join(', ')}, and a headless run cannot ask. Allow it with --allowed-tools "run_shell_command(…)" or --yolo.`;
  }
  if (consent === 'cancel') return `/${name} was cancelled.`;
  if (consent === 'always') await remember(asked, agent);
  return undefined;
}

function questionAbout(command: string) {
  return { toolName: 'run_shell_command', args: { command }, kind: 'execute' as const };
}

async function remember(commands: readonly string[], agent: CommandContext['agent']): Promise<void> {
  for (const command of commands) {
    await agent.policy.remember({
      ...questionAbout(command),
      outcome: 'proceed_always',
      details: { type: 'exec', title: 'Shell command', command, rootCommand: command, rootCommands: [command] },
    });
  }
}

async function fill(segment: Segment, args: string, context: CommandContext, notes: string[]): Promise<Part[]> {
  switch (segment.kind) {
    case 'text':
      return [{ text: segment.text }];
    case 'args':
      return [{ text: args }];
    case 'word':
      return [];
    case 'shell':
      return segment.command === '' ? [] : [{ text: await runCommand(segment.command, context) }];
    case 'file':
      return readFiles(segment, context, notes);
  }
}

async function runCommand(command: string, { agent, signal }: CommandContext): Promise<string> {
  const outcome = await agent.shell.run({ command, directory: agent.workspace.root, signal });
  signal.throwIfAborted();
  return outcome.output.trimEnd() + describeFailure(command, outcome);
}

function describeFailure(command: string, { error, signal, exitCode, ending }: ShellOutcome): string {
  if (error) return `\n[Shell command '${command}' could not be started: ${error.message}]`;
  if (ending === 'moved_to_background' || ending === 'serving') {
    return `\n[Shell command '${command}' continues in the background]`;
  }
  if (ending !== 'exited') return `\n[Shell command '${command}' aborted]`;
  if (signal !== null) return `\n[Shell command '${command}' terminated by signal ${signal}]`;
  return exitCode === 0 ? '' : `\n[Shell command '${command}' exited with code ${exitCode}]`;
}

async function readFiles(
  { path, raw }: Extract<Segment, { kind: 'file' }>,
  { agent, signal }: CommandContext,
  notes: string[],
): Promise<Part[]> {
  const { references } = agent;
  const resolved = await references.resolve(path, signal, { search: false });
  if (!('pattern' in resolved)) {
    notes.push(`${raw} stays text: ${resolved.reason}.`);
    return [{ text: raw }];
  }
  const { files, problems } = await references.read([resolved.pattern], signal);
  notes.push(...problems.map((problem) => `${raw}: not read: ${problem}`));
  if (files.length === 0) return [{ text: raw }];
  if (resolved.kind === 'file') return files[0]!.parts;
  return files.flatMap(({ name, parts }) => [{ text: `--- ${name} ---\n` }, ...parts, { text: '\n' }]);
}

function mergeText(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.text !== undefined && last?.text !== undefined) last.text += part.text;
    else if (part.text !== '') merged.push({ ...part });
  }
  return merged.some(({ text }) => text === undefined || text.trim() !== '') ? merged : [];
}

/** `/` completion from any registry of commands: names, aliases, sub-commands, arguments. */

import type { CompletionInput, CompletionProvider, CompletionTarget, Suggestion } from './completion-provider.ts';
import { scorePath } from './fuzzy-match.ts';

/** A command as the list shows it. */
export interface CommandInfo {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly isHidden?: boolean;
  readonly subCommands?: readonly CommandInfo[];
  /** The arguments the command may have. */
  readonly complete?: (partial: string, signal: AbortSignal) => Promise<readonly string[]>;
}

/** The list is read at every key, so that commands loaded later appear. */
export function createCommandCompletion(commands: () => readonly CommandInfo[]): CompletionProvider {
  return {
    detect: (input) => findCommandPart(input),
    async complete({ query }, signal) {
      // The query includes the words before: they select the parent of the sub-commands.
      const words = query.split(' ');
      const partial = words.pop()!;
      const parent = walkDown(commands(), words);
      if (words.length > 0 && parent === undefined) return { items: [] };
      const offered = parent === undefined ? commands() : (parent.subCommands ?? []);
      const items = rankCommands(offered, partial);
      if (items.length > 0 || parent?.complete === undefined) return { items };
      return { items: (await parent.complete(partial, signal)).map((value) => toArgument(value, partial)) };
    },
  };
}

function findCommandPart({ row, line, column }: CompletionInput): CompletionTarget | undefined {
  if (row !== 0 || !line.startsWith('/')) return undefined;
  const before = line.slice(1, column);
  const query = before.replaceAll(/ +/g, ' ');
  return { start: 1 + before.lastIndexOf(' ') + 1, end: column, query };
}

/** The command that the words name; undefined when there is none. */
function walkDown(commands: readonly CommandInfo[], words: readonly string[]): CommandInfo | undefined {
  let found: CommandInfo | undefined;
  let level: readonly CommandInfo[] = commands;
  for (const word of words) {
    const next = level.find((command) => isNamed(command, word));
    // Text after the deepest command is an argument of it.
    if (next === undefined) return found?.complete === undefined ? undefined : found;
    found = next;
    level = next.subCommands ?? [];
  }
  return found;
}

function rankCommands(commands: readonly CommandInfo[], partial: string): Suggestion[] {
  const folded = partial.toLowerCase();
  return commands
    .filter((command) => command.isHidden !== true || isNamed(command, partial))
    .map((command) => ({ command, score: scoreCommand(command, folded) }))
    .filter(({ score }) => score !== undefined)
    .toSorted((one, other) => other.score! - one.score! || one.command.name.localeCompare(other.command.name))
    .map(({ command }) => toSuggestion(command, partial));
}

/** A name takes precedence over an alias that matches as well. */
function scoreCommand({ name, aliases = [] }: CommandInfo, partial: string): number | undefined {
  if (partial === '') return 0;
  const byAlias = aliases.map((alias) => scorePath(alias.toLowerCase(), partial)).map((score) => score && score - 100);
  const scores = [scorePath(name.toLowerCase(), partial), ...byAlias].filter((score) => score !== undefined);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

function toSuggestion(command: CommandInfo, partial: string): Suggestion {
  const { name, description } = command;
  return { id: name, label: name, description, insert: `${name} `, isExact: isNamed(command, partial) };
}

function toArgument(value: string, partial: string): Suggestion {
  return { id: value, label: value, insert: value, isExact: value === partial };
}

function isNamed({ name, aliases = [] }: CommandInfo, word: string): boolean {
  return name === word || aliases.includes(word);
}

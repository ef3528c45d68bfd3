/** `/` completion from any registry of commands: names, aliases, sub-commands, arguments. */

import type {
  CompletionInput,
  CompletionProvider,
  CompletionTarget,
  Suggestion,
} from '../input/completion-provider.ts';
import { scorePath } from './fuzzy-match.ts';

/** A command as the list shows it. */
export interface CommandInfo {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly isHidden?: boolean;
  /** The heading it stands under while nothing is typed. */
  readonly group?: string | undefined;
  readonly subCommands?: readonly CommandInfo[];
  /** The arguments the command may have; `before` is what was typed after it, without the last word. */
  readonly complete?: (partial: string, signal: AbortSignal, before: string) => Promise<readonly string[]>;
}

/** The list is read at every key, so that commands loaded later appear. */
export function createCommandCompletion(commands: () => readonly CommandInfo[]): CompletionProvider {
  return {
    detect: (input) => findCommandPart(input),
    async complete({ query }, signal) {
      // The query includes the words before: they select the parent of the sub-commands.
      const words = query.split(' ');
      const partial = words.pop()!;
      const { parent, depth } = walkDown(commands(), words);
      if (words.length > 0 && parent === undefined) return { items: [] };
      const offered = parent === undefined ? commands() : depth === words.length ? (parent.subCommands ?? []) : [];
      const items = rankCommands(offered, partial, words.length === 0 ? '/' : '');
      if (parent?.complete === undefined) return { items, whenEmpty: unknownOf(query) };
      const values = await parent.complete(partial, signal, words.slice(depth).join(' '));
      return { items: [...values.map((value) => toArgument(value, partial)), ...items] };
    },
  };
}

/** A word that might have been meant as a command; a path is not. */
function unknownOf(query: string): string | undefined {
  return /^[\w:-]+$/.test(query) ? `no command like /${query}` : undefined;
}

function findCommandPart({ row, line, column }: CompletionInput): CompletionTarget | undefined {
  if (row !== 0 || !line.startsWith('/')) return undefined;
  const before = line.slice(1, column);
  const query = before.replaceAll(/ +/g, ' ');
  return { start: 1 + before.lastIndexOf(' ') + 1, end: column, query };
}

/** The command that the words name, and how many of them do; without a parent when there is none. */
function walkDown(
  commands: readonly CommandInfo[],
  words: readonly string[],
): { parent: CommandInfo | undefined; depth: number } {
  let parent: CommandInfo | undefined;
  let level: readonly CommandInfo[] = commands;
  for (const [depth, word] of words.entries()) {
    const next = level.find((command) => isNamed(command, word));
    // Text after the deepest command is an argument of it.
    if (next === undefined) return { parent: parent?.complete === undefined ? undefined : parent, depth };
    parent = next;
    level = next.subCommands ?? [];
  }
  return { parent, depth: words.length };
}

function rankCommands(commands: readonly CommandInfo[], partial: string, sign: string): Suggestion[] {
  const folded = partial.toLowerCase();
  const isGrouped = partial === '' && sign !== '' && commands.every(({ group }) => group !== undefined);
  return commands
    .filter((command) => command.isHidden !== true || isNamed(command, partial))
    .map((command) => ({ command, score: scoreCommand(command, folded) }))
    .filter(({ score }) => score !== undefined)
    .toSorted(
      (one, other) =>
        other.score! - one.score! ||
        (isGrouped ? commands.indexOf(one.command) - commands.indexOf(other.command) : 0) ||
        one.command.name.localeCompare(other.command.name),
    )
    .map(({ command }) => ({ ...toSuggestion(command, partial, sign), ...(isGrouped && { group: command.group }) }));
}

/** A name takes precedence over an alias that matches as well. */
function scoreCommand({ name, aliases = [] }: CommandInfo, partial: string): number | undefined {
  if (partial === '') return 0;
  const byAlias = aliases.map((alias) => scorePath(alias.toLowerCase(), partial)).map((score) => score && score - 100);
  const scores = [scorePath(name.toLowerCase(), partial), ...byAlias].filter((score) => score !== undefined);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

function toSuggestion(command: CommandInfo, partial: string, sign: string): Suggestion {
  const { name, description } = command;
  return { id: name, label: `${sign}${name}`, description, insert: `${name} `, isExact: isNamed(command, partial) };
}

function toArgument(value: string, partial: string): Suggestion {
  return { id: value, label: value, insert: value, isExact: value === partial };
}

function isNamed({ name, aliases = [] }: CommandInfo, word: string): boolean {
  return name === word || aliases.includes(word);
}

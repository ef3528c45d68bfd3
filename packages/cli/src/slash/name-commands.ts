/**
 * Names the commands of the sources. A built-in command keeps its name; one that conflicts with another is reachable
 * under the name of its source, and reported.
 */

import type { Source, SourceKind } from '@castor/core';
import type { SlashCommand } from './command.ts';

/** A command before it has a name for good. */
export interface NamelessCommand {
  /** The name it asks for. */
  readonly name: string;
  readonly source: Source;
  readonly file: string;
  /** Behind every command with a file of its own. */
  readonly isSkill?: boolean;
  toCommand(name: string): SlashCommand;
}

/**
 * Which file gets the bare name when several claim it: the lower rank. Of two extensions neither gets it, because the
 * order of installation does not tell what the user wants.
 */
const RANKS: Readonly<Record<SourceKind, number>> = { builtin: 5, project: 1, user: 2, system: 3, extension: 4 };
const SKILL_RANK = 10;

/** The separator between the name of a source and its command, as in Gemini CLI. */
const SEPARATORS: Readonly<Record<SourceKind, string>> = {
  builtin: '.',
  project: '.',
  user: '.',
  system: '.',
  extension: ':',
};

/** Of commands with the same name at most one gets it; each of them has the name with its source. */
export function nameCommands(
  nameless: readonly NamelessCommand[],
  builtin: ReadonlySet<string>,
  notices: string[],
): SlashCommand[] {
  const taken = new Set(builtin);
  const named: SlashCommand[] = [];
  const sorted = nameless.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : rank(a) - rank(b)));
  for (const command of sorted) {
    const rivals = sorted.filter((other) => other !== command && other.name === command.name);
    const conflicts = taken.has(command.name) || rivals.length > 0;
    const isFirst = rivals.every((other) => other.source === command.source || rank(other) > rank(command));
    if (isFirst && !taken.has(command.name)) {
      named.push(command.toCommand(command.name));
      taken.add(command.name);
    }
    if (!conflicts) continue;
    const { kind, name: owner } = command.source;
    const name = freeName(`${owner}${SEPARATORS[kind]}${command.name}`, taken);
    taken.add(name);
    named.push(command.toCommand(name));
    const times = rivals.length === 1 ? 'twice' : `${rivals.length + 1} times`;
    const reason = builtin.has(command.name) ? 'is built in' : `exists ${times}`;
    notices.push(`${command.file} is /${name}, because /${command.name} ${reason}.`);
  }
  return named;
}

function rank({ source, isSkill = false }: NamelessCommand): number {
  return RANKS[source.kind] + (isSkill ? SKILL_RANK : 0);
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let number = 1;
  while (taken.has(`${wanted}${number}`)) number++;
  return `${wanted}${number}`;
}

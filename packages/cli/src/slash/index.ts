/**
 * The slash commands of a session by name: the built-in ones, then those of the sources.
 * A built-in command keeps its name; a file that conflicts with another command is
 * reachable under the name of its source, and reported.
 */

import { sep } from 'node:path';
import { loadCommandFiles } from '@castor/core/program';
import type { Source, SourceKind, WorkspaceAgent } from '@castor/core';
import type { CommandFile } from '@castor/core/program';
import { about } from './about.ts';
import { findAbsent } from './absent-commands.ts';
import { auth } from './auth.ts';
import { bug } from './bug.ts';
import { chat } from './chat.ts';
import { clear } from './clear.ts';
import { failure } from './command.ts';
import type { CommandList, FoundCommand, SlashCommand } from './command.ts';
import { commands } from './commands.ts';
import { compress } from './compress.ts';
import { connect } from './connect.ts';
import { copy } from './copy.ts';
import { toCustomCommand } from './custom-command.ts';
import { directory } from './directory.ts';
import { docs } from './docs.ts';
import { editor } from './editor.ts';
import { exportSession } from './export-session.ts';
import { footer } from './footer.ts';
import { help } from './help.ts';
import { hooks } from './hooks.ts';
import { init } from './init.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { model } from './model.ts';
import { permissions } from './permissions.ts';
import { plan } from './plan.ts';
import { policies } from './policies.ts';
import { privacy } from './privacy.ts';
import { quit } from './quit.ts';
import { rewind } from './rewind.ts';
import { toPromptCommands } from './server-prompts.ts';
import { settings } from './settings.ts';
import { shortcuts } from './shortcuts.ts';
import { stats } from './stats.ts';
import { tasks } from './tasks.ts';
import { terminalSetup } from './terminal-setup.ts';
import { theme } from './theme.ts';
import { tools } from './tools.ts';
import { vim } from './vim.ts';

export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  ...[
    about,
    auth,
    bug,
    chat,
    clear,
    commands,
    compress,
    connect,
    copy,
    directory,
    docs,
    editor,
    exportSession,
    footer,
    help,
  ],
  ...[hooks, init, mcp, memory, model, permissions, plan, policies, privacy, quit, rewind, settings, shortcuts, stats],
  ...[tasks, terminalSetup, theme, tools, vim],
];

/** `servers` are the MCP servers of the session, whose prompts are commands. */
export async function openCommands(
  sources: readonly Source[],
  servers: () => WorkspaceAgent['servers'] = () => undefined,
): Promise<CommandList> {
  let loaded = await load(sources);
  const all = () => withPrompts(loaded.all, servers());
  return {
    get all() {
      return all();
    },
    get notices() {
      return loaded.notices;
    },
    find: (text) => findCommand(text, all()) ?? findSkipped(text, loaded.notices) ?? findAbsent(text),
    async reload() {
      loaded = await load(sources);
    },
  };
}

/** The command a text names, with its sub-command; undefined when the text names none. */
export function findCommand(text: string, all: readonly SlashCommand[]): FoundCommand | undefined {
  const words = text.trim();
  if (!words.startsWith('/')) return undefined;
  let [name, rest] = cutWord(words.slice(1));
  let command = byName(all, name);
  if (!command) return undefined;
  let path = command.name;
  for (let next = command.subCommands; next && rest !== '';) {
    const [word, after] = cutWord(rest);
    const sub = byName(next, word);
    if (!sub) break;
    command = sub;
    path += ` ${sub.name}`;
    rest = after;
    next = sub.subCommands;
  }
  // Words after a command without arguments make a sentence: "/help me with this".
  return rest !== '' && command.usage === undefined ? undefined : { command, path, args: rest };
}

/** A command with an invalid file: reported, because its name would otherwise go to the model as a word. */
function findSkipped(text: string, notices: readonly string[]): FoundCommand | undefined {
  const words = text.trim();
  if (!words.startsWith('/')) return undefined;
  const [name, args] = cutWord(words.slice(1));
  const file = `${sep}commands${sep}${name.replaceAll(':', sep)}.toml: `;
  const notice = name === '' ? undefined : notices.find((each) => each.includes(file));
  if (notice === undefined) return undefined;
  const run = () => failure(`/${name} is invalid. ${notice}`);
  return { command: { name, description: '', source: 'builtin', runsHeadless: true, run }, path: name, args };
}

/** Prompts of servers come last: they never take the name of another command. */
function withPrompts(commands: readonly SlashCommand[], servers: WorkspaceAgent['servers']): readonly SlashCommand[] {
  if (!servers) return commands;
  const taken = new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return [...commands, ...toPromptCommands(servers, taken)];
}

async function load(sources: readonly Source[]) {
  const { commands: files, problems } = await loadCommandFiles(sources);
  const notices = [...problems];
  return { all: [...BUILTIN_COMMANDS, ...nameAll(files, notices)], notices };
}

/**
 * Which file gets the bare name when several claim it: the lower rank. Of two extensions neither gets it, because the
 * order of installation does not tell what the user wants.
 */
const RANKS: Readonly<Record<SourceKind, number>> = { builtin: 0, project: 1, user: 2, system: 3, extension: 4 };

/** The separator between the name of a source and its command, as in Gemini CLI. */
const SEPARATORS: Readonly<Record<SourceKind, string>> = {
  builtin: '.',
  project: '.',
  user: '.',
  system: '.',
  extension: ':',
};

/** Of files with the same name at most one gets it; each of them has the name with its source. */
function nameAll(files: readonly CommandFile[], notices: string[]): SlashCommand[] {
  const builtin = new Set(BUILTIN_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const taken = new Set(builtin);
  const named: SlashCommand[] = [];
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : rank(a) - rank(b)));
  for (const file of sorted) {
    const rivals = sorted.filter((other) => other !== file && other.name === file.name);
    const conflicts = taken.has(file.name) || rivals.length > 0;
    const isFirst = rivals.every((other) => other.source === file.source || rank(other) > rank(file));
    if (isFirst && !taken.has(file.name)) {
      named.push(toCustomCommand(file, file.name));
      taken.add(file.name);
    }
    if (!conflicts) continue;
    const { kind, name: owner } = file.source;
    const name = freeName(`${owner}${SEPARATORS[kind]}${file.name}`, taken);
    taken.add(name);
    named.push(toCustomCommand(file, name));
    const times = rivals.length === 1 ? 'twice' : `${rivals.length + 1} times`;
    const reason = builtin.has(file.name) ? 'is built in' : `exists ${times}`;
    notices.push(`${file.file} is /${name}, because /${file.name} ${reason}.`);
  }
  return named;
}

function rank({ source }: CommandFile): number {
  return RANKS[source.kind];
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let number = 1;
  while (taken.has(`${wanted}${number}`)) number++;
  return `${wanted}${number}`;
}

function byName(all: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return all.find((command) => command.name === name) ?? all.find(({ aliases }) => aliases?.includes(name));
}

function cutWord(text: string): [string, string] {
  const word = /^\S*/.exec(text)?.[0] ?? '';
  return [word, text.slice(word.length).trim()];
}

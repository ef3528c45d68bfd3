/**
 * The slash commands of a session by name: the built-in ones, then the user's and the
 * project's files. A built-in command keeps its name; what collides with it is reachable
 * under the name of its source.
 */

import { sep } from 'node:path';
import { loadCommandFiles } from '@castor/core';
import type { CommandFile } from '@castor/core';
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
import { memory } from './memory.ts';
import { model } from './model.ts';
import { permissions } from './permissions.ts';
import { plan } from './plan.ts';
import { policies } from './policies.ts';
import { privacy } from './privacy.ts';
import { quit } from './quit.ts';
import { rewind } from './rewind.ts';
import { settings } from './settings.ts';
import { shortcuts } from './shortcuts.ts';
import { stats } from './stats.ts';
import { tasks } from './tasks.ts';
import { terminalSetup } from './terminal-setup.ts';
import { theme } from './theme.ts';
import { tools } from './tools.ts';
import { vim } from './vim.ts';

export interface OpenCommandsOptions {
  home: string;
  root: string;
  trustedFolder: boolean | undefined;
}

export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  ...[about, auth, bug, chat, clear, commands, compress, copy, directory, docs, editor, exportSession, footer, help],
  ...[hooks, init, memory, model, permissions, plan, policies, privacy, quit, rewind, settings, shortcuts, stats],
  ...[tasks, terminalSetup, theme, tools, vim],
];

export async function openCommands(options: OpenCommandsOptions): Promise<CommandList> {
  let loaded = await load(options);
  return {
    get all() {
      return loaded.all;
    },
    get notices() {
      return loaded.notices;
    },
    find: (text) => findCommand(text, loaded.all) ?? findSkipped(text, loaded.notices) ?? findAbsent(text),
    async reload() {
      loaded = await load(options);
    },
  };
}

/** The command a text names, with its sub-command; undefined when the text is no command. */
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
  // Words behind a command that takes none are a sentence: "/help me with this".
  return rest !== '' && command.usage === undefined ? undefined : { command, path, args: rest };
}

/** A command whose file cannot be used: that is said, where its name would have gone to the model as a word. */
function findSkipped(text: string, notices: readonly string[]): FoundCommand | undefined {
  const words = text.trim();
  if (!words.startsWith('/')) return undefined;
  const [name, args] = cutWord(words.slice(1));
  const file = `${sep}commands${sep}${name.replaceAll(':', sep)}.toml: `;
  const notice = name === '' ? undefined : notices.find((each) => each.includes(file));
  if (notice === undefined) return undefined;
  const run = () => failure(`/${name} cannot be used. ${notice}`);
  return { command: { name, description: '', source: 'user', runsHeadless: true, run }, path: name, args };
}

async function load({ home, root, trustedFolder }: OpenCommandsOptions) {
  const { commands: files, problems } = await loadCommandFiles({ home, root, trustedFolder });
  const notices = [...problems];
  return { all: [...BUILTIN_COMMANDS, ...nameAll(files, notices)], notices };
}

/** Of two files with one name the project's has it; both have the name with their source. */
function nameAll(files: readonly CommandFile[], notices: string[]): SlashCommand[] {
  const taken = new Set(BUILTIN_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const builtin = new Set(taken);
  const named: SlashCommand[] = [];
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : rank(a) - rank(b)));
  for (const file of sorted) {
    const collides = taken.has(file.name) || sorted.some((other) => other !== file && other.name === file.name);
    if (!taken.has(file.name)) {
      named.push(toCustomCommand(file, file.name));
      taken.add(file.name);
    }
    if (!collides) continue;
    const name = freeName(`${file.source}.${file.name}`, taken);
    taken.add(name);
    named.push(toCustomCommand(file, name));
    const reason = builtin.has(file.name) ? 'is built in' : 'exists twice';
    notices.push(`${file.file} is /${name}, because /${file.name} ${reason}.`);
  }
  return named;
}

function rank({ source }: CommandFile): number {
  return source === 'workspace' ? 0 : 1;
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

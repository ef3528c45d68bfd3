/**
 * The slash commands of a session by name: the built-in ones, then the custom commands and the skills of the sources.
 */

import { sep } from 'node:path';
import { findSkillFolders, loadCommandFiles, loadSkills } from '@castor/core/program';
import type { Source, WorkspaceAgent } from '@castor/core';
import type { CommandFile } from '@castor/core/program';
import { about } from './about.ts';
import { findAbsent } from './absent-commands.ts';
import { agents } from './agents.ts';
import { auth } from './auth.ts';
import { branch } from './branch.ts';
import { bug } from './bug.ts';
import { chat } from './chat.ts';
import { clear } from './clear.ts';
import { nearest } from '../nearest.ts';
import { failure } from './command.ts';
import type { CommandList, CommandListOptions, FoundCommand, SlashCommand } from './command.ts';
import { commands } from './commands.ts';
import { compress } from './compress.ts';
import { connect } from './connect.ts';
import { context } from './context.ts';
import { copy } from './copy.ts';
import { diff } from './diff.ts';
import { toCustomCommand } from './custom-command.ts';
import { directory } from './directory.ts';
import { docs } from './docs.ts';
import { editor } from './editor.ts';
import { exportSession } from './export-session.ts';
import { extensions } from './extensions.ts';
import { footer } from './footer.ts';
import { help } from './help.ts';
import { hooks } from './hooks.ts';
import { ide } from './ide.ts';
import { init } from './init.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { model } from './model.ts';
import { nameCommands } from './name-commands.ts';
import type { NamelessCommand } from './name-commands.ts';
import { permissions } from './permissions.ts';
import { plan } from './plan.ts';
import { policies } from './policies.ts';
import { privacy } from './privacy.ts';
import { quit } from './quit.ts';
import { redo } from './redo.ts';
import { restore } from './restore.ts';
import { rewind } from './rewind.ts';
import { toPromptCommands } from './server-prompts.ts';
import { settings } from './settings.ts';
import { shortcuts } from './shortcuts.ts';
import { skills } from './skills.ts';
import { stats } from './stats.ts';
import { tasks } from './tasks.ts';
import { terminalSetup } from './terminal-setup.ts';
import { theme } from './theme.ts';
import { tools } from './tools.ts';
import { undo } from './undo.ts';
import { vim } from './vim.ts';

export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  ...[
    about,
    agents,
    auth,
    branch,
    bug,
    chat,
    clear,
    commands,
    compress,
    connect,
    context,
    copy,
    diff,
    directory,
    docs,
    editor,
    exportSession,
    extensions,
    footer,
    help,
  ],
  ...[
    hooks,
    ide,
    init,
    mcp,
    memory,
    model,
    permissions,
    plan,
    policies,
    privacy,
    quit,
    redo,
    restore,
    rewind,
    settings,
    shortcuts,
    skills,
    stats,
  ],
  ...[tasks, terminalSetup, theme, tools, undo, vim],
];

/** `servers` are the MCP servers of the session, whose prompts are commands. Without options the list has no skills. */
export async function openCommands(
  sources: readonly Source[],
  servers: () => WorkspaceAgent['servers'] = () => undefined,
  options?: CommandListOptions,
): Promise<CommandList> {
  let loaded = await load(sources, options);
  const all = () => withPrompts(loaded.all, servers());
  return {
    get all() {
      return all();
    },
    get notices() {
      return loaded.notices;
    },
    find: (text) => findCommand(text, all()) ?? findSkipped(text, loaded.notices) ?? findAbsent(text),
    async reload(skills) {
      loaded = await load(sources, options && { ...options, skills: { ...options.skills, ...skills } });
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
  if (rest === '' || command.usage !== undefined) return { command, path, args: rest };
  // Words after a command without arguments make a sentence: "/help me with this".
  return findMistyped(command, path, rest);
}

/** Short words are near to everything. */
const SHORTEST_MISTYPED = 3;

/**
 * A sub-command with a slip, or a single word that is none, is reported: as words for the model it would cost a request
 * and do nothing. Several other words are a sentence.
 */
function findMistyped({ subCommands = [] }: SlashCommand, path: string, rest: string): FoundCommand | undefined {
  const [word, args] = cutWord(rest);
  const names = subCommands.map(({ name }) => name);
  const meant = word.length < SHORTEST_MISTYPED ? undefined : nearest(word.toLowerCase(), names);
  if (meant === undefined && (args !== '' || names.length === 0)) return undefined;
  const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean /${path} ${meant}?`;
  const run = () => failure(`/${path} ${word} is unknown. ${hint}`);
  return { command: { name: word, description: '', source: 'builtin', runsHeadless: true, run }, path, args };
}

/** A command with an invalid file: reported, because its name would otherwise go to the model as a word. */
function findSkipped(text: string, notices: readonly string[]): FoundCommand | undefined {
  const words = text.trim();
  if (!words.startsWith('/')) return undefined;
  const [name, args] = cutWord(words.slice(1));
  const path = `${sep}commands${sep}${name.replaceAll(':', sep)}`;
  const files = [`${path}.toml: `, `${path}.md: `, `${sep}${name.replace(':', sep)}.md: `];
  const notice = name === '' ? undefined : notices.find((each) => files.some((file) => each.includes(file)));
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

async function load(sources: readonly Source[], options: CommandListOptions | undefined) {
  const { commands: files, problems } = await loadCommandFiles(sources, options);
  const notices = [...problems];
  const nameless = [...files.map(toNameless), ...(options ? await loadSkillCommands(sources, options) : [])];
  return { all: [...BUILTIN_COMMANDS, ...nameCommands(nameless, BUILTIN_NAMES, notices)], notices };
}

const BUILTIN_NAMES: ReadonlySet<string> = new Set(
  BUILTIN_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
);

function toNameless(file: CommandFile): NamelessCommand {
  return { ...file, toCommand: (name) => toCustomCommand(file, name) };
}

async function loadSkillCommands(
  sources: readonly Source[],
  { home, skills: { enabled = true, disabled = [], readsClaude = false } }: CommandListOptions,
): Promise<NamelessCommand[]> {
  const folders = enabled ? findSkillFolders(sources, { readsClaude }) : [];
  if (folders.length === 0) return [];
  const { toSkillCommand } = await import('./skill-command.ts');
  const off = new Set(disabled.map((name) => name.toLowerCase()));
  // Its problems are reported by the session.
  const { skills } = await loadSkills(folders, { home });
  return skills.filter(({ name }) => !off.has(name.toLowerCase())).map(toSkillCommand);
}

function byName(all: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return all.find((command) => command.name === name) ?? all.find(({ aliases }) => aliases?.includes(name));
}

function cutWord(text: string): [string, string] {
  const word = /^\S*/.exec(text)?.[0] ?? '';
  return [word, text.slice(word.length).trim()];
}

/** The groups in which lists show slash commands. Built-in ones are named here; those of sources are the user's own. */

import type { SlashCommand } from './command.ts';

export const GROUPS = ['Conversation', 'Model and context', 'Work', 'Look', 'Castor', 'Yours'] as const;
export type CommandGroup = (typeof GROUPS)[number];

const BUILTIN: Readonly<Record<Exclude<CommandGroup, 'Castor' | 'Yours'>, readonly string[]>> = {
  Conversation: [
    'clear',
    'chat',
    'resume',
    'rewind',
    'undo',
    'redo',
    'restore',
    'branch',
    'compress',
    'copy',
    'export',
  ],
  'Model and context': ['model', 'auth', 'connect', 'context', 'memory', 'directory', 'init', 'stats', 'tools', 'mcp'],
  Work: ['diff', 'plan', 'tasks', 'agents', 'skills', 'commands', 'policies', 'permissions', 'hooks', 'ide'],
  Look: ['theme', 'settings', 'footer', 'editor', 'vim', 'terminal-setup'],
};

export function groupOf({ name, source }: Pick<SlashCommand, 'name' | 'source'>): CommandGroup {
  if (source !== 'builtin') return 'Yours';
  const known = Object.entries(BUILTIN).find(([, names]) => names.includes(name));
  return known ? (known[0] as CommandGroup) : 'Castor';
}

/** In the order of the groups, by name inside each. */
export function byGroup<T extends SlashCommand>(commands: readonly T[]): (T & { readonly group: CommandGroup })[] {
  const rank = (group: CommandGroup) => GROUPS.indexOf(group);
  return commands
    .map((command) => ({ ...command, group: groupOf(command) }))
    .toSorted((one, other) => rank(one.group) - rank(other.group) || one.name.localeCompare(other.name));
}

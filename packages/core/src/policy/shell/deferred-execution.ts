/**
 * Finds commands that change what other programs run later without naming the changed
 * file: settings of git and of package managers, scheduled jobs, the settings of agents.
 */

import { setsGitProgram } from './git-command.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';

export interface LaterCode {
  /** What a rule must name to cover it. */
  place: string;
  reason: string;
}

/** Subcommands that write settings, mostly in protected places, without naming the file. */
const SETTERS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:(?:config|c) (?:set|edit|delete|rm|fix)|set)\b/,
  pnpm: /^(?:(?:config|c) (?:set|delete)|set)\b/,
  yarn: /^config (?:set|unset|delete)\b/,
  castor: /^(?:config (?:set|unset)|hooks (?!list|test|-)|(?:mcp|extensions|skills) (?!list|-))/,
  gemini: /^(?:hooks|mcp|extensions|skills) (?!list|-)/,
  claude: /^(?:mcp|config|plugin) (?!list|get|-)/,
  systemctl: /^(?:enable|link|edit|preset|reenable)\b/,
  launchctl: /^(?:load|bootstrap|submit|enable)\b/,
  direnv: /^(?:allow|permit|grant)\b/,
  codex: /^mcp (?!list|get|-)/,
};

const CLOCKS = new Set(['at', 'batch']);

export function laterCode({ words, piped, input }: SimpleCommand): LaterCode | undefined {
  const name = words[0] === undefined ? '' : baseName(words[0]);
  if (name === 'git' && setsGitProgram(words)) return { place: 'git config', reason: 'it sets what git runs later' };
  const rest = words.slice(1).map(({ value }) => value);
  const given = rest.length > 0 || piped || input.length > 0;
  if ((name === 'crontab' || CLOCKS.has(name)) && given && !rest.includes('-l'))
    return { place: name, reason: 'it sets what runs later by the clock' };
  const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
  const operands = rest.filter((word) => !word.startsWith('--')).join(' ');
  if (setter?.test(operands) !== true) return undefined;
  return { place: `${name} ${rest[0] ?? ''}`, reason: `it changes the settings ${name} obeys later` };
}

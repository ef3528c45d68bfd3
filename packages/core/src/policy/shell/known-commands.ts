/**
 * Classifies commands by name: those that only read and print, those that reach the
 * network, and those that destroy. A command that can reach the network, write a file or
 * run another one is never in the first list.
 */

import { isDestructiveGit, isSafeGit } from './git-forms.ts';
import { isPrivate } from './private-paths.ts';
import { isPlainSedScript } from './sed-script.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

type Arguments = readonly ShellWord[];

/** Safe with any arguments: none of their options writes, runs or sends. */
export const SAFE_COMMANDS: readonly string[] = [
  ...[
    'cat',
    'cd',
    'cut',
    'echo',
    'expr',
    'false',
    'grep',
    'head',
    'id',
    'ls',
    'nl',
    'paste',
    'pwd',
    'rev',
    'seq',
    'stat',
  ],
  ...['tail', 'tr', 'true', 'uname', 'wc', 'which', 'whoami', 'numfmt', 'tac', 'basename', 'dirname', ':'],
];

const ALWAYS_SAFE = new Set(SAFE_COMMANDS);

/** Whether no option makes it do more than read and print. */
export function isSafeWithAnyOption({ words: [head] }: SimpleCommand): boolean {
  return head !== undefined && ALWAYS_SAFE.has(head.value);
}

/** Safe in some forms; every option and operand is checked. */
const SAFE_FORMS: Readonly<Record<string, (words: Arguments) => boolean>> = {
  // The second operand of uniq is a file it writes; after `--` an operand may begin with a dash.
  uniq: (words) =>
    allKnown(words) &&
    !words.some(({ value, kind }) => value === '--' || kind === 'glob') &&
    words.slice(1).filter(({ value }) => !/^-./.test(value)).length <= 1,
  git: isSafeGit,
  find: (words) => allKnown(words) && !words.some(({ value }) => FIND_EFFECTS.test(value)),
  rg: (words) => allKnown(words) && !words.some(({ value }) => RIPGREP_EFFECTS.test(value)),
  sed: isSafeSed,
  test: allKnown,
  '[': allKnown,
  printf: (words) => words[1]?.kind === 'literal' && !words[1].value.startsWith('-'),
  command: (words) => /^-[vV]$/.test(words[1]?.value ?? ''),
  type: () => true,
  sleep: allKnown,
  date: (words) =>
    words
      .slice(1)
      .every(({ value, kind }) => kind === 'literal' && (value.startsWith('+') || value === '-u' || value === '-I')),
};

const FIND_EFFECTS = /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from(?:=.*)?)$/;
const RIPGREP_EFFECTS = /^(?:--pre(?:-glob)?(?:=|$)|--hostname-bin|--search-zip|-[A-Za-z]*z)/;

/** An unknown word could be any option. */
function allKnown(words: Arguments): boolean {
  return words.every(({ kind }) => kind !== 'dynamic');
}

function isSafeSed(words: Arguments): boolean {
  if (!allKnown(words)) return false;
  const scripts: (string | undefined)[] = [];
  const operands: string[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const value = words[index]?.value ?? '';
    if (/^(?:-[nErsz]*e|--expression)$/.test(value)) scripts.push(words[(index += 1)]?.value);
    else if (value.startsWith('--expression=')) scripts.push(value.slice('--expression='.length));
    else if (!value.startsWith('-')) operands.push(value);
    else if (!/^(?:-[nErsz]+|--quiet|--silent|--regexp-extended)$/.test(value)) return false;
  }
  if (scripts.length === 0) scripts.push(operands[0]);
  return scripts.every((script) => script !== undefined && isPlainSedScript(script));
}

/** These print the content of their files. */
const PRINTS_FILES = new Set(['cat', 'cut', 'grep', 'head', 'nl', 'paste', 'rev', 'tail', 'tac']);

/** The word of a printing command whose file is unknown before it runs. The file may be private. */
export function unreadFile({ words, redirections }: SimpleCommand): ShellWord | undefined {
  const [head, ...rest] = words;
  const prints = head !== undefined && PRINTS_FILES.has(head.value);
  const read = redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const named = rest.some(({ value }) => /^-[A-Za-z]*[ef]|^--(?:file|regexp)/.test(value));
  const pattern = head?.value === 'grep' && !named ? rest.find(({ text }) => !text.startsWith('-')) : undefined;
  return [...(prints ? rest : []), ...read].find(
    (word) =>
      (word.output === 'text' || word.output === 'spelled') && !(word === pattern && /^"[^"]*"$/s.test(word.text)),
  );
}

export function isKnownSafe(command: SimpleCommand, options: { trustedFolder: boolean }): boolean {
  const { words } = command;
  const [head] = words;
  if (unreadFile(command) !== undefined) return false;
  const read = command.redirections.map(({ target }) => target);
  if ([...words.slice(1), ...read].some(isPrivate)) return false;
  if (head === undefined) return true;
  if (head.kind !== 'literal' || head.value.includes('/')) return false;
  if (ALWAYS_SAFE.has(head.value)) return true;
  if (head.value === 'git' && !options.trustedFolder) return false;
  const isSafe = Object.hasOwn(SAFE_FORMS, head.value) ? SAFE_FORMS[head.value] : undefined;
  return isSafe?.(words) === true;
}

export const NETWORK_COMMANDS: readonly string[] = [
  ...[
    'curl',
    'wget',
    'aria2c',
    'http',
    'https',
    'xh',
    'lynx',
    'w3m',
    'links',
    'elinks',
    'nc',
    'ncat',
    'netcat',
    'socat',
  ],
  ...[
    'telnet',
    'ssh',
    'scp',
    'sftp',
    'rsync',
    'ftp',
    'tftp',
    'ping',
    'ping6',
    'nslookup',
    'dig',
    'host',
    'drill',
    'getent',
  ],
  ...[
    'traceroute',
    'tracepath',
    'mtr',
    'whois',
    'nmap',
    'openssl',
    'mail',
    'sendmail',
    'resolvectl',
    'finger',
    'rclone',
  ],
];

const NETWORK = new Set(NETWORK_COMMANDS);

export function reachesNetwork(command: SimpleCommand): boolean {
  const [head] = command.words;
  return (
    (head !== undefined && NETWORK.has(baseName(head))) ||
    command.redirections.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.value))
  );
}

const DESTRUCTIVE_COMMANDS: Readonly<Record<string, (words: Arguments) => boolean>> = {
  rm: (words) => hasOption(words, 'rRf', ['--recursive', '--force']),
  rmdir: () => false,
  shred: () => true,
  truncate: () => true,
  dd: () => true,
  wipefs: () => true,
  fdisk: () => true,
  parted: () => true,
  mkswap: () => true,
  shutdown: () => true,
  reboot: () => true,
  halt: () => true,
  poweroff: () => true,
  crontab: () => true,
  killall: () => true,
  pkill: () => true,
  chmod: (words) => hasOption(words, 'R', ['--recursive']),
  chown: (words) => hasOption(words, 'R', ['--recursive']),
  find: (words) => words.some(({ value }) => FIND_EFFECTS.test(value)),
  fd: (words) => words.some(({ value }) => /^(?:-[xX]|--exec)/.test(value)),
  git: isDestructiveGit,
  rsync: (words) => words.some(({ value }) => value.startsWith('--del') || value.startsWith('--remove')),
  mv: (words) => hasOption(words, 'f', ['--force']),
};

/** Whether it may destroy data that cannot be restored. */
export function isDestructive(command: SimpleCommand): boolean {
  const [head] = command.words;
  if (head === undefined) return false;
  const name = baseName(head);
  if (name.startsWith('mkfs')) return true;
  return Object.hasOwn(DESTRUCTIVE_COMMANDS, name) && DESTRUCTIVE_COMMANDS[name]?.(command.words) === true;
}

/** Short letters anywhere in a cluster, long names by any unique prefix. */
export function hasOption(words: Arguments, letters: string, long: readonly string[]): boolean {
  for (const { value } of words.slice(1)) {
    if (value === '--') return false;
    if (value.startsWith('--')) {
      if (value.length > 3 && long.some((name) => name.startsWith(value))) return true;
    } else if (value.startsWith('-') && [...value.slice(1)].some((letter) => letters.includes(letter))) return true;
  }
  return false;
}

/**
 * Describes a command line before it runs: which programs it names, whether it leaves jobs
 * behind, whether it would end this program. It is not a security boundary: the policy
 * decides what may run. The parser loads on first use.
 */

import type { Command, SyntaxNode } from 'unbash';

export interface OwnProcess {
  pid: number;
  /** As `ps` shows it: the name `pkill` and `killall` compare with. */
  name: string;
  commandLine: string;
}

export interface ParsedCommand {
  /** Names of the programs it runs, without duplicates, in order. */
  rootCommands: string[];
  /** Whether a part of it keeps running after the shell: `command &`. */
  leavesJobs: boolean;
  commands: string[][];
}

export async function parseCommand(text: string): Promise<ParsedCommand> {
  const { parse, forEachChild } = await import('unbash');
  const commands: string[][] = [];
  let leavesJobs = false;
  function visit(node: SyntaxNode): void {
    if (node.type === 'Command') commands.push(wordsOf(node));
    if ('background' in node && node.background) leavesJobs = true;
    forEachChild(node, visit);
  }
  try {
    visit(parse(text));
  } catch {
    // A command that cannot be parsed is shown by its first word; the policy decides on it separately.
  }
  const names = commands.map(([name]) => baseName(name ?? '')).filter((name) => name !== '');
  const rootCommands = [...new Set(names.length > 0 ? names : [baseName(text.trim().split(/\s/)[0] ?? '')])];
  return { rootCommands, leavesJobs, commands };
}

function wordsOf(command: Command): string[] {
  if (command.name === undefined) return [];
  return [command.name.value, ...command.args.map((word) => (word.type === 'Word' ? word.value : word.text))];
}

function baseName(name: string): string {
  return name.split('/').at(-1) ?? name;
}

/** Programs that run the rest of their arguments. */
const WRAPPERS = new Set(['sudo', 'doas', 'command', 'exec', 'nohup', 'env', 'time', 'builtin']);

/** The part of the command that would end this program, if any. */
export function findSelfSignal({ commands }: ParsedCommand, self: OwnProcess): string | undefined {
  const plain = commands.map(withoutWrappers);
  const isHanded = plain.some(killsWhatItIsHanded);
  const found = plain.find((words) => signalsSelf(words, self) || (isHanded && findsSelf(words, self)));
  return found?.join(' ');
}

/** `kill $(…)` and `xargs kill` end processes that another command of the line finds. */
function killsWhatItIsHanded([name = '', ...args]: string[]): boolean {
  const program = baseName(name);
  return program === 'kill' ? args.some((word) => /[$`]/.test(word)) : program === 'xargs' && args.includes('kill');
}

function findsSelf([name = '', ...args]: string[], self: OwnProcess): boolean {
  switch (baseName(name)) {
    case 'pgrep':
      return signalsSelf(['pkill', ...args], self);
    case 'pidof':
      return signalsSelf(['killall', ...args], self);
    default:
      return false;
  }
}

function withoutWrappers(words: string[]): string[] {
  const rest = [...words];
  while (rest.length > 1 && WRAPPERS.has(baseName(rest[0]!))) {
    rest.shift();
    while (rest.length > 1 && /^-|=/.test(rest[0]!)) rest.shift();
  }
  return rest;
}

function signalsSelf([name = '', ...args]: string[], self: OwnProcess): boolean {
  switch (baseName(name)) {
    case 'kill':
      return args.some((word, index) => word === String(self.pid) || (word === '-1' && index > 0));
    case 'killall':
      return operandsOf(args).includes(self.name);
    case 'pkill': {
      const pattern = operandsOf(args).at(-1);
      if (pattern === undefined) return false;
      const full = args.some((word) => /^-[a-z]*f[a-z]*$/.test(word) || word === '--full');
      const exact = args.some((word) => /^-[a-z]*x[a-z]*$/.test(word) || word === '--exact');
      return matches(exact ? `^(?:${pattern})$` : pattern, full ? self.commandLine : self.name);
    }
    default:
      return false;
  }
}

/** Options of these programs that take a value; the value is not an operand. */
const TAKES_VALUE = /^(-[sugGPtUF]|--(signal|euid|uid|group|pgroup|parent|terminal|session|older|younger))$/;

function operandsOf(args: string[]): string[] {
  return args.filter((word, index) => !word.startsWith('-') && !TAKES_VALUE.test(args[index - 1] ?? ''));
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return text.includes(pattern);
  }
}

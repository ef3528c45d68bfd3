/**
 * Finds forms in which a harmless-looking command does something else: options that run a
 * program, inline code, variables that change what a program loads. A rule that allows the
 * command does not allow these unless it spells them.
 */

import { readGit } from './git-command.ts';
import { optionRisks } from './option-risks.ts';
import { isInterpreter, programOptionsOf } from './program-options.ts';
import type { Risk } from './risk.ts';
import { awkRisks, findRisksOfWriting, isAwk, sedRisks, xxdRisksOfWriting } from './script-risks.ts';
import { isHiddenInput } from './shell-invocation.ts';
import { baseName, clipped, mayBecomeSeveral } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { isHiddenCode, printsSetup } from './unwrapped.ts';
import { assignmentRisk, setterRisks } from './variable-risks.ts';

export function findRisks(command: SimpleCommand, options: { moreArguments: boolean }): Risk[] {
  const risks = command.assignments.flatMap(({ name }) => assignmentRisk(name));
  const [head] = command.words;
  if (head !== undefined) risks.push(...commandRisks(command, head, options));
  for (const { target } of command.redirections) {
    if ([target.value, ...(target.candidates ?? [])].some((path) => /^\/dev\/(?:tcp|udp)\//.test(path)))
      risks.push({ reason: `${target.value} opens a network connection`, word: target.value, unreadable: false });
  }
  return risks;
}

/** The risks of a command passed to another program. */
export function risksBehind(command: SimpleCommand): Risk[] {
  return command.words.slice(1, 8).flatMap((head, index) => {
    if (head.kind !== 'literal' || !isArgumentSensitive(baseName(head))) return [];
    return commandRisks({ ...command, words: command.words.slice(index + 1) }, head, { moreArguments: false });
  });
}

function commandRisks(command: SimpleCommand, head: ShellWord, options: { moreArguments: boolean }): Risk[] {
  if (head.kind === 'dynamic' || head.kind === 'glob' || isPattern(head)) {
    const reason = `the command ${clipped(head.text)} is known only when it runs`;
    const hidden = isHiddenName(head) ? true : undefined;
    return [{ reason, word: head.text, unreadable: true, hidden }];
  }
  const name = baseName(head);
  const risks = [...risksByName(name, command.words), ...setterRisks(name, command.words)];
  risks.push(...inputRisks(name, command), ...replacementRisks(name, command.words));
  const unknown = command.words.slice(1).find(({ kind }) => kind === 'dynamic');
  // Any unknown word could be one of the options above; git's are checked in their positions. uniq writes its second operand.
  const another = options.moreArguments && name === 'uniq';
  if (another || (isArgumentSensitive(name) && (options.moreArguments || (unknown !== undefined && name !== 'git')))) {
    const named = unknown === undefined ? '' : `: ${clipped(unknown.text)}`;
    const reason = `${name} gets arguments that are known only when it runs${named}`;
    risks.push({ reason, word: unknown?.text ?? '', unreadable: true });
  }
  return risks;
}

function inputRisks(name: string, command: SimpleCommand): Risk[] {
  if (isInterpreter(name) ? !readsItsInput(command) : !INPUT_RUNNERS.has(name) || !hasInput(command)) return [];
  const hidden = isInterpreter(name) && isHiddenInput(command) ? true : undefined;
  return [{ reason: `${name} reads code from its input`, word: '', unreadable: true, hidden }];
}

function replacementRisks(name: string, words: readonly ShellWord[]): Risk[] {
  const risks = isInterpreter(name) ? hiddenCode(name, words) : [];
  const option = words[1]?.value ?? '';
  const pattern = Object.hasOwn(REPLACES_COMMANDS, name) ? REPLACES_COMMANDS[name] : undefined;
  if (pattern?.test(option) !== true) return risks;
  const reason = `${name} ${option} changes what the name of a command runs`;
  return [...risks, { reason, word: name, unreadable: true, hidden: true }];
}

/** A value without quotes that the shell expands to the names of files. */
function isPattern({ kind, text, value }: ShellWord): boolean {
  return kind === 'resolved' && /[*?[]/.test(value) && !/["']/.test(text);
}

/** Whether neither the word nor the values the line gives it show which command it is. */
function isHiddenName(head: ShellWord): boolean {
  if (head.kind !== 'dynamic') return !/\/[\w.+-]+$/.test(head.value);
  if (locatedName(head) !== undefined || printsSetup(head.text)) return false;
  if (/\$[@*]|\[[@*]\]|\$\{[@*]/.test(head.text)) return true;
  const isSafelySplit = head.open !== true || !mayBecomeSeveral(head);
  if (isSafelySplit && /\/[\w.+-]+$/.test(head.value)) return false;
  return head.open === true || (head.candidates ?? []).length === 0;
}

/** The command in `$(which node)`. */
export function locatedName({ text }: ShellWord): string | undefined {
  return /^"?(?:\$\(|`)(?:which|command -v|type -P) ([\w.+-]+)[)`]"?$/.exec(text)?.[1];
}

function risksByName(name: string, words: readonly ShellWord[]): Risk[] {
  if (name === 'git') {
    const { risks } = readGit(words);
    return risks.map((risk) => ({ ...risk, unreadable: risk.script === undefined && risk.writes !== true }));
  }
  if (name === 'sed' || name === 'gsed') return sedRisks(words);
  if (name === 'find') return findRisksOfWriting(words);
  if (name === 'xxd') return xxdRisksOfWriting(words);
  if (isAwk(name)) return awkRisks(words);
  const options = programOptionsOf(name);
  return options === undefined ? [] : optionRisks(name, words, options);
}

function isArgumentSensitive(name: string): boolean {
  return name === 'git' || name === 'find' || name === 'sed' || isAwk(name) || programOptionsOf(name) !== undefined;
}

/** Programs whose input language can run another program. */
const INPUT_RUNNERS = new Set([
  ...['ed', 'ex', 'at', 'batch', 'crontab', 'm4', 'dc', 'ftp', 'telnet', 'gdb', 'lldb', 'sqlite3', 'psql', 'mysql'],
  ...['mongo', 'mongosh', 'gnuplot', 'octave', 'ghci', 'irb', 'sftp', 'lftp', 'mail', 'mailx'],
]);

/** Ignores the operands, which are mostly names of databases and hosts. */
function hasInput(command: SimpleCommand): boolean {
  const { piped, input, redirections } = command;
  return piped || input.length > 0 || redirections.some(({ operator }) => operator === '<') || readsItsInput(command);
}

/** Builtins that make a known name run something else. */
const REPLACES_COMMANDS: Readonly<Record<string, RegExp>> = { hash: /^-p/, enable: /^-[a-z]*f/ };

/** The code of an interpreter when the line shows none of it: `python3 -c "$x"`. */
function hiddenCode(name: string, words: readonly ShellWord[]): Risk[] {
  return words.flatMap((word, index) => {
    const isCode = /^(?:-[A-Za-z]*[ceEpr]|--eval|--print|--run)$/.test(words[index - 1]?.value ?? '');
    if (!isCode || word.kind !== 'dynamic' || word.skeleton.trim() !== '' || !isHiddenCode(word)) return [];
    const reason = `${name} runs code that is known only when it runs: ${clipped(word.text)}`;
    return [{ reason, word: word.text, unreadable: true, hidden: true as const }];
  });
}

const STANDARD_INPUT = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/(?:self|\d+|\$\$)\/fd\/\d+)$/;

function readsItsInput({ words, piped, input }: SimpleCommand): boolean {
  const operands = words.slice(1).filter(({ value }) => !value.startsWith('-') || value === '-');
  if (operands.length > 0 && !STANDARD_INPUT.test(operands[0]?.value ?? '')) return false;
  const asks = words.slice(1).some(({ value }) => /^(?:-V|-v|--version|-h|--help)$/.test(value));
  return !asks && (piped || input.length > 0 || words.length === 1 || operands.length > 0);
}

/**
 * Reads a shell called as a command: the text after -c, its input, or a file. It reads
 * only text that the line contains.
 */

import { baseName, clipped, mayBecomeSeveral } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { isHiddenCode, result, scriptOf, unreadable } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';

/** Distributions add versions to the names: bash-5.2, sh.distrib, ksh93. */
const SHELL = /^(?:r?bash|sh|zsh|[drp]?ash|[lmo]*ksh|fish|t?csh|yash|[op]osh|osh|hush|posh)(?:[-.]?[\d.]+|\.\w+)?$/;

/** Shells with their own language: reading it as sh would miss commands where it differs. */
const OWN_LANGUAGE = /^(?:zsh|fish|t?csh)/;
const SAME_IN_ALL = /^(?!.*(?:^|\s)=)[\w\s./,:@%+=;|&<>~-]*$/s;
const PLAIN_LONG_OPTION =
  /^--(?:posix|login|norc|noprofile|noediting|restricted|verbose|debug|no-config|no-rcs|interactive|private|command|version|help)$/;

const BASH = /^(?:r?bash|zsh)(?:[-.]?[\d.]+|\.\w+)?$/;
/** Builtins that pass text to the same shell. */
const SAME_SHELL = new Set(['eval', 'trap', 'alias', 'command', 'builtin', 'exec']);

/** Whether bash runs the text inside these wrappers, outermost first: it runs a line, while most programs use sh. */
export function isReadByBash(within: readonly string[]): boolean {
  const reader = within.findLast((name) => !SAME_SHELL.has(name));
  return reader === undefined || BASH.test(reader);
}

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

export function unwrapShell(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const name = words[0] === undefined ? 'sh' : baseName(words[0]);
  let index = 1;
  let isStream = false;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || word.kind === 'dynamic' || !/^[-+]./.test(word.value)) break;
    if (word.value === '--') {
      index += 1;
      break;
    }
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word.value)) return shellText(words, index, name);
    if (startsCode(word.value)) return startFile(word, words[index + 1], name);
    if (word.value === '--command') return shellText(words, index, name);
    isStream ||= STREAM.test(word.value);
    index += optionNames(word.value);
  }
  const file = words[index];
  const isInput = isStream || file === undefined || file.value === '-' || isStandardInput(file);
  return isInput ? shellInput(command, name) : shellFile(file, name);
}

function startFile(option: ShellWord, file: ShellWord | undefined, name: string): Unwrapped {
  const isHidden = file?.kind === 'dynamic' && isHiddenCode(file);
  return unreadable(`${name} ${option.value} may run other code first`, option.value, isHidden ? true : undefined);
}

function shellFile(file: ShellWord, name: string): Unwrapped {
  if (file.kind !== 'dynamic') return unreadable(`${name} runs commands from the file ${file.value}`, file.value);
  const isOpen = file.open === true || (file.skeleton === '' && mayBecomeSeveral(file));
  const reason = `${name} runs commands from a place known only when it runs: ${clipped(file.text)}`;
  return unreadable(reason, file.value, isOpen && isHiddenCode(file) ? true : undefined);
}

/** After `-s` the words are arguments. */
const STREAM = /^-[A-Za-z]*s[A-Za-z]*$/;

function isStandardInput({ value }: ShellWord): boolean {
  return /^\/dev\/(?:stdin|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/.test(value);
}

/** Whether code on the standard input is neither in the line nor in a file that the line names. */
export function isHiddenInput({ input, openInput, redirections, feed }: SimpleCommand): boolean {
  if (openInput !== undefined) return true;
  if (input.length > 0) return false;
  const read = redirections.filter(({ operator }) => operator.startsWith('<'));
  if (read.length > 0) return read.some(({ target, operator }) => target.open === true || operator === '<&');
  const { text, isFile } = feed?.() ?? {};
  return text === undefined && isFile !== true;
}

/** How many of the following words are option names: one for each o, as in `-euo pipefail`. */
function optionNames(option: string): number {
  return /^[-+][A-Za-z]+$/.test(option) ? option.replaceAll(/[^oO]/g, '').length : 0;
}

/** A start file, fish's -C, or an unknown long option. */
function startsCode(option: string): boolean {
  return option.startsWith('--') ? !PLAIN_LONG_OPTION.test(option) : /^-[A-Za-z]*C/.test(option);
}

/** More options may stand between -c and the text. */
function shellText(words: readonly ShellWord[], option: number, name: string): Unwrapped {
  let at = option + 1 + optionNames(words[option]?.value ?? '');
  while (/^[-+]/.test(words[at]?.value ?? '')) at += 1 + optionNames(words[at]?.value ?? '');
  const text = words[at];
  if (text === undefined) return unreadable(`${name} -c has no text to run`, '', true);
  const script = scriptOf(text, at, `${name} -c`, words.slice(at + 1));
  if (!OWN_LANGUAGE.test(name) || SAME_IN_ALL.test(text.value)) return result(script);
  const reason = `${name} is a shell that Castor cannot parse`;
  return result([{ kind: 'unreadable', reason, word: text.text, hidden: true }, ...script], false);
}

export function shellInput(command: SimpleCommand, name: string): Unwrapped {
  const { input, openInput, redirections, words, feed } = command;
  const inner = input.map((text): Inner => ({ kind: 'script', text, start: words.length }));
  const isRedirected = redirections.some(({ operator }) => operator.startsWith('<'));
  // A here-document replaces piped input; another redirection may replace the here-document.
  if (inner.length > 0 && !isRedirected && openInput === undefined) return result(inner);
  const fed = input.length === 0 && !isRedirected ? feed?.().text : undefined;
  if (fed !== undefined) inner.push({ kind: 'script', text: fed, start: words.length });
  const part = openInput === undefined ? '' : `: ${clipped(openInput)}`;
  const hidden = isHiddenInput(command) ? true : undefined;
  inner.push({ kind: 'unreadable', reason: `${name} reads commands from its input${part}`, word: '', hidden });
  return result(inner, false);
}

/**
 * A shell called as a command: the text after -c, its input, or a file. Only text that
 * stands in the line is read.
 */

import { baseName } from './shell-line.ts';
import type { ShellWord, SimpleCommand } from './shell-line.ts';
import { result, scriptOf, unreadable } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';

/** Distributions add versions to the names: bash-5.2, sh.distrib, ksh93. */
const SHELL = /^(?:r?bash|sh|zsh|[drp]?ash|[lmo]*ksh|fish|t?csh|yash|[op]osh|osh|hush|posh)(?:[-.]?[\d.]+|\.\w+)?$/;

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

export function unwrapShell(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const name = words[0] === undefined ? 'sh' : baseName(words[0]);
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || word.kind === 'dynamic' || !/^[-+]./.test(word.value)) break;
    if (word.value === '--') {
      index += 1;
      break;
    }
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word.value)) return shellText(words, index, name);
    if (/^--(?:rcfile|init-file)/.test(word.value))
      return unreadable(`${name} ${word.value} runs a start file`, word.value);
    if (/^[-+][oO]$/.test(word.value)) index += 1;
  }
  const file = words[index];
  if (file === undefined || file.value === '-') return shellInput(command, name);
  const place = file.kind === 'dynamic' ? 'a place known only when it runs' : `the file ${file.value}`;
  return unreadable(`${name} runs commands from ${place}`, file.value);
}

/** Options may still stand between -c and the text. */
function shellText(words: readonly ShellWord[], option: number, name: string): Unwrapped {
  let at = option + 1;
  while (/^[-+]/.test(words[at]?.value ?? '')) at += /^[-+][oO]$/.test(words[at]?.value ?? '') ? 2 : 1;
  const text = words[at];
  return text === undefined ? unreadable(`${name} -c without text`, '') : result(scriptOf(text, at, `${name} -c`));
}

function shellInput(command: SimpleCommand, name: string): Unwrapped {
  const inner = command.input.map((text): Inner => ({ kind: 'script', text, start: command.words.length }));
  // A here-document replaces what a pipe would bring; another redirection may replace the here-document.
  if (inner.length > 0 && !command.redirections.some(({ operator }) => operator.startsWith('<'))) return result(inner);
  inner.push({ kind: 'unreadable', reason: `${name} reads commands from its input`, word: '' });
  return result(inner, false);
}

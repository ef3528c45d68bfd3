/** Knows the builtins that set variables, and finds the variables that their arguments set. */

import type { CommandArgument, ParsedScript, Redirection, SyntaxNode, Word } from 'unbash';
import type { ShellWord } from './shell-word.ts';

/** Builtins that set the variables their arguments name. */
export const SETTERS = new Set(['read', 'mapfile', 'readarray', 'getopts', 'unset', 'let', 'printf']);
/** Fill variables from their input, or from arguments. */
export const READS_INPUT = new Set(['read', 'mapfile', 'readarray', 'getopts']);
/** Commands with assignments, or code, in their arguments. */
export const HIDES_ASSIGNMENTS = new Set(['eval', 'declare', 'typeset', 'local', 'trap', 'source', '.']);

/** Folders and words of earlier commands. */
export const SET_BY_SHELL = /^(?:_|OLDPWD|DIRSTACK|BASH_.*)$/;

/** The variables that the text of an argument sets, with and without its quotes. */
export function assignedIn(argument: CommandArgument, read: (word: Word) => ShellWord): string[] {
  const texts = [argument.text, argument.text.replaceAll(/['"\\]/g, '')];
  if (argument.type === 'Word') texts.push(read(argument).value);
  return namesIn(texts.join('\n'));
}

/** The variables that code on the standard input sets. */
export function assignedInInput(redirects: readonly Redirection[]): string[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return namesIn(redirect.body.text);
    return redirect.type === 'HereString' ? namesIn((redirect.target?.text ?? '').replaceAll(/['"\\]/g, '')) : [];
  });
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/g)].map(([, name = '']) => name);
}

export function isWord(argument: CommandArgument): argument is Word {
  return argument.type === 'Word';
}

/** Assignments at the top of a line: in a condition, in a loop or before a command they may not take effect. */
export function certainAssignments({ commands }: Pick<ParsedScript, 'commands'>): ReadonlySet<SyntaxNode> {
  const certain = new Set<SyntaxNode>();
  for (const { command, background } of commands) {
    if (command.type !== 'Command' || background === true) continue;
    if (command.name === undefined) for (const part of command.prefix) certain.add(part);
    else if (['export', 'readonly'].includes(command.name.value)) for (const part of command.args) certain.add(part);
  }
  return certain;
}

export type ForEachChild = (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;

/** The names of the functions that a script defines, at any depth. */
export function functionNames(node: SyntaxNode, forEachChild: ForEachChild): string[] {
  const names = node.type === 'Function' ? [node.name.value] : [];
  forEachChild(node, (child) => names.push(...functionNames(child, forEachChild)));
  return names;
}

/** The types of a parsed shell line: its simple commands, their words, assignments and redirections. */

import { shorten, toOneLine } from '../../util/short-text.ts';
import type { LineVariables } from './line-variables.ts';
import type { ShellWord } from './shell-word.ts';

/** Input from a pipe, or from the redirection of a group. */
export interface Feed {
  /** Set when the line fixes every character. */
  readonly text?: string | undefined;
  /** Whether it is the content of files that the line names. */
  readonly isFile?: boolean;
  /** Whether it is a list of names below the line's folder. */
  readonly isBelow?: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellRedirection {
  readonly operator: string;
  readonly target: ShellWord;
  /** Whether a file may be created or changed. */
  readonly writes: boolean;
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** As written. */
  readonly source: string;
  /** Text that the line itself passes to its standard input: here-documents and here-strings. */
  readonly input: readonly string[];
  /** The part of that text that is known only when it runs. */
  readonly openInput?: string | undefined;
  /** Whether another command's output is its input. */
  readonly piped: boolean;
  /** What reaches its standard input from outside the command; undefined when nothing does. */
  readonly feed?: (() => Feed) | undefined;
  /** The substitutions around it, outermost first, as `$(…)` or `<(…)`. */
  readonly substitutions: readonly string[];
}

/** The beginning of the problem for a line that, as far as we know, no shell could read either. */
const SYNTAX_PROBLEM = 'Invalid or unsupported shell syntax';
/** So much of the line shows where it stops making sense. */
const NEAR = 40;

/** The beginning of the problems for values that arithmetic evaluates. */
const EVALUATION_PROBLEM = 'An arithmetic expression evaluates';

/** `source` is what fills the variable, as it is written. */
export function nameProblem({ variable, source }: { variable: string; source: string }): string {
  return `${EVALUATION_PROBLEM} ${variable}, whose values come from ${clipped(source)}, and would run a command in one of them.`;
}

/** `values` as they are written. */
export function piecesProblem(values: readonly string[]): string {
  return `The line evaluates values that may hold a command, alone or put together: ${clipped(values.join(' '))}.`;
}

/** `value` as it is written. */
export function subscriptProblem(value: string): string {
  return `An arithmetic expression or a test would run the command in a subscript: ${clipped(value)}.`;
}

/** `element` as it is written. */
export function keyProblem(element: string): string {
  return `The key of an array is evaluated, and a command may be in it: ${clipped(element)}.`;
}

/** `redirection` as it is written. */
export function descriptorProblem(redirection: string): string {
  return `A redirection evaluates the subscript of an array, and a command may be in it: ${clipped(redirection)}.`;
}

const SETTER_PROBLEM = 'A loop or an arithmetic expression sets the variable';

export function setterProblem(name: string): string {
  return `${SETTER_PROBLEM} ${name}, which changes what programs load or run.`;
}

/** `source` names where the value comes from: `the output of $(cat f)`. */
export function outputProblem(source: string): string {
  return `${EVALUATION_PROBLEM} ${clipped(source)}, and would run a command in it.`;
}

/** `rest` is the line from the place of the mistake. */
export function syntaxProblem(message: string, rest: string): string {
  const near = toOneLine(rest);
  return `${SYNTAX_PROBLEM}${near === '' ? ' at the end' : ` at \`${shorten(near, NEAR)}\``}: ${message}.`;
}

/** Shortens a part of a line for a message. */
export function clipped(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** Whether a problem of a line matters only when a rule could ask or deny because of it. */
export function isTolerable(problem: string): boolean {
  return [SYNTAX_PROBLEM, EVALUATION_PROBLEM, SETTER_PROBLEM].some((beginning) => problem.startsWith(beginning));
}

export interface ShellLine {
  readonly commands: readonly SimpleCommand[];
  /** Why the line cannot be read with certainty. */
  readonly problems: readonly string[];
  /** What the line sets, for the scripts in its words. */
  readonly variables?: LineVariables;
}

/** Whether the shell may make several words of it. */
export function mayBecomeSeveral({ text }: ShellWord): boolean {
  return !/^(?:"[^"]*"|[^\s"$`]*"[^"]*"[^\s"$`]*)$/s.test(text) || /\$[@*]|\[[@*]\]|\$\{[@*]/.test(text);
}

/** The command's name, without its folder. */
export function baseName(word: ShellWord): string {
  return word.value.slice(word.value.lastIndexOf('/') + 1);
}

/** For a script in the words of a line: what that line sets for it. */
export interface OuterLine {
  readonly variables: LineVariables | undefined;
  readonly positional: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
}

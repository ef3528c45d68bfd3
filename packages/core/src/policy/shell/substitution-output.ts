/**
 * Determines what a substitution can print, as far as its commands show before they run: a
 * text that the line fixes, a number, names of files, or anything. It runs nothing, and
 * treats whatever is uncertain as anything.
 */

import { dirname, basename, resolve } from 'node:path';
import type { AndOr, Command, Pipeline, ParsedScript, SyntaxNode } from 'unbash';
import { isBoundedList, listsBelow } from './listing-commands.ts';
import type { OutputShape, ShellWord } from './shell-word.ts';

const WIDTH: readonly OutputShape[] = ['number', 'names', 'text', 'spelled'];

export function wider(left: OutputShape | undefined, right: OutputShape | undefined): OutputShape | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return WIDTH.indexOf(left) >= WIDTH.indexOf(right) ? left : right;
}

export interface SubstitutionOutput {
  readonly shape: OutputShape;
  /** Set when the line fixes every character of the output. */
  readonly text?: string;
  /** Whether each word of it names something below the line's folder, or something new: none of them removes more. */
  readonly isBelow?: boolean;
}

const ANYTHING: SubstitutionOutput = { shape: 'text' };

type ReadCommand = (node: Command) => readonly ShellWord[];

/** `read` returns the words of a command; `directory` is the output of `pwd`, when that is certain. */
export function outputOf(
  script: ParsedScript | undefined,
  read: ReadCommand,
  directory: string | undefined,
): SubstitutionOutput {
  const [statement, ...more] = script?.commands ?? [];
  if (script?.errors?.length || statement === undefined || more.length > 0 || statement.background === true)
    return ANYTHING;
  return nodeOutput(statement.command, read, directory);
}

/** The output of the commands of a pipeline. */
export function outputOfPipeline(node: Pipeline, read: ReadCommand, directory: string | undefined): SubstitutionOutput {
  const [only, ...more] = node.commands;
  return only !== undefined && more.length === 0
    ? nodeOutput(only, read, directory)
    : pipelineOutput(node, read, directory);
}

function nodeOutput(node: SyntaxNode, read: ReadCommand, directory: string | undefined): SubstitutionOutput {
  switch (node.type) {
    case 'Command':
      return commandOutput(node, read, directory);
    case 'Pipeline':
      return pipelineOutput(node, read, directory);
    case 'AndOr':
      return anyOutput(node, read, directory);
    default:
      return ANYTHING;
  }
}

/** The output of one of its commands, or of several. */
function anyOutput(node: AndOr, read: ReadCommand, directory: string | undefined): SubstitutionOutput {
  const outputs = node.commands.map((command) => nodeOutput(command, read, directory));
  const isBelow = outputs.every((output) => output.isBelow === true);
  return { isBelow, shape: outputs.map(shapeOf).reduce((left, right) => wider(left, right) ?? 'text') };
}

/** The shape of an output that is only a part of the whole: the line then contains a path in it in another form. */
function shapeOf({ shape, text }: SubstitutionOutput): OutputShape {
  if (text === undefined) return shape;
  return /^[\w-][\w.-]*$/.test(text) ? 'names' : 'spelled';
}

function pipelineOutput(node: Pipeline, read: ReadCommand, directory: string | undefined): SubstitutionOutput {
  const [first, ...filters] = node.commands;
  if (first === undefined || node.prefixes.length > 0) return ANYTHING;
  const source = nodeOutput(first, read, directory);
  const steps = filters.map((filter) => (isPlainCommand(filter) ? read(filter) : []));
  const last = steps.at(-1);
  if (last !== undefined && countsInput(last)) return { shape: 'number' };
  if (steps.every(passesLines)) return { shape: shapeOf(source), isBelow: source.isBelow === true };
  return { shape: source.text === undefined && source.shape !== 'spelled' ? 'text' : 'spelled' };
}

/** Whether no prefix changes the command, no redirection takes its output, and its errors are not part of the output. */
function isPlainCommand(node: SyntaxNode): node is Command {
  if (node.type !== 'Command' || node.prefix.length > 0) return false;
  return node.redirects.every((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.operator === '<') return true;
    const { descriptor, operator } = redirect;
    return descriptor?.type === 'FileDescriptor' && descriptor.value === 2 && /^>[>|]?$/.test(operator);
  });
}

function commandOutput(node: Command, read: ReadCommand, directory: string | undefined): SubstitutionOutput {
  if (!isPlainCommand(node)) return ANYTHING;
  const words = read(node);
  const [head, ...rest] = words;
  if (head?.kind !== 'literal') return ANYTHING;
  const name = head.value;
  const prints = name === 'echo' || name === 'printf';
  const isBelow = listsBelow(words);
  if (!rest.every(isFixed)) return { isBelow, shape: prints ? printedShape(rest) : listedShape(words) };
  const known = rest.map(({ value }) => value);
  const text = Object.hasOwn(FIXED_TEXTS, name) ? FIXED_TEXTS[name]?.(known, directory) : undefined;
  if (text !== undefined) return { shape: 'names', text: text.replace(/\n+$/, '') };
  if (prints) return { shape: 'spelled' };
  return { isBelow, shape: countsInput(words) || printsNumbers(name, known) ? 'number' : listedShape(words) };
}

function listedShape(words: readonly ShellWord[]): OutputShape {
  return isBoundedList(words) ? 'names' : 'text';
}

function isFixed({ kind }: ShellWord): boolean {
  return kind === 'literal' || kind === 'resolved';
}

function printedShape(rest: readonly ShellWord[]): OutputShape {
  return rest
    .map(({ kind, output }): OutputShape => (kind === 'dynamic' ? (output ?? 'text') : 'names'))
    .reduce((left, right) => wider(left, right) ?? 'text', 'names');
}

type FixedText = (rest: readonly string[], directory: string | undefined) => string | undefined;

/** Undefined when the output depends on the program or the machine. */
const FIXED_TEXTS: Readonly<Record<string, FixedText>> = {
  echo: (rest) => {
    const printed = rest[0] === '-n' ? rest.slice(1) : rest;
    const isChanged = /^-[neE]+$/.test(printed[0] ?? '') || printed.some((word) => word.includes('\\'));
    return isChanged ? undefined : printed.join(' ');
  },
  printf: ([format = '', value, ...more]) => {
    if (more.length > 0) return undefined;
    if (value !== undefined) return /^%s(?:\\n)?$/.test(format) ? value : undefined;
    return /[%\\]|^-/.test(format) ? undefined : format;
  },
  pwd: (rest, directory) => (rest.length === 0 ? directory : undefined),
  dirname: (rest) => onlyPath(rest, dirname),
  basename: (rest) => onlyPath(rest, basename),
  realpath: (rest, directory) => onlyPath(rest, (path) => fromDirectory(directory, path)),
  readlink: ([option, ...rest], directory) =>
    option === '-f' ? onlyPath(rest, (path) => fromDirectory(directory, path)) : undefined,
};

function onlyPath(rest: readonly string[], change: (path: string) => string | undefined): string | undefined {
  const [path = '', ...more] = rest;
  return path === '' || path.startsWith('-') || more.length > 0 ? undefined : change(path);
}

function fromDirectory(directory: string | undefined, path: string): string | undefined {
  return directory === undefined ? undefined : resolve(directory, path);
}

/** Whether it counts its input and prints no name: after a pipe, or for one redirected file. */
function countsInput([head, ...rest]: readonly ShellWord[]): boolean {
  if (head?.kind !== 'literal' || !rest.every(({ kind }) => kind === 'literal')) return false;
  if (head.value === 'wc') return rest.length > 0 && rest.every(({ value }) => /^-[clmw]$/.test(value));
  const [option, ...operands] = rest.map(({ value }) => value);
  // For several files it prints their names as well.
  return head.value === 'grep' && /^-[iEFvw]*c[iEFvw]*$/.test(option ?? '') && operands.length <= 2;
}

const DIGITS = /^\+(?:%[sNYmdHMSjyuw]|\d)+$/;

function printsNumbers(name: string, rest: readonly string[]): boolean {
  switch (name) {
    case 'nproc':
      return rest.length === 0;
    case 'date':
      return rest.some((word) => DIGITS.test(word)) && !rest.some((word) => /^-[^du]|^--(?!date|utc)/.test(word));
    case 'seq':
      return rest.length > 0 && rest.every((word) => /^\d+$/.test(word));
    case 'id':
      return rest.length === 1 && /^-[ug]$/.test(rest[0] ?? '');
    case 'git':
      return rest[0] === 'rev-list' && rest.includes('--count');
    case 'pgrep':
    case 'pidof':
      return !rest.some((word) => /^-[A-Za-z]*[lad]|^--/.test(word));
    case 'stat':
      return rest.length === 3 && rest[0] === '-c' && /^%[sXYZ]$/.test(rest[1] ?? '');
    case 'tput':
      return rest.length === 1 && /^(?:cols|lines)$/.test(rest[0] ?? '');
    case 'lsof':
      return rest.some((word) => word.startsWith('-t'));
    default:
      return false;
  }
}

/** Whether it passes on some of the lines it reads, unchanged. */
function passesLines([head, ...rest]: readonly ShellWord[]): boolean {
  if (head?.kind !== 'literal' || !rest.every(({ kind }) => kind === 'literal')) return false;
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  switch (head.value) {
    case 'head':
    case 'tail':
      return rest.every(({ value }) => /^(?:-n|-?\+?\d+|-n\+?\d+)$/.test(value));
    case 'sort':
    case 'uniq':
      return operands.length === 0 && rest.every(({ value }) => /^-[A-Za-z]+$/.test(value) && !/[ocTS]/.test(value));
    case 'grep':
      return operands.length === 1 && rest.every(({ value }) => /^-[viEFw]+$|^[^-]/.test(value));
    default:
      return false;
  }
}

/**
 * Parses a shell line into every simple command it would run, at any depth, with its
 * words, assignments and redirections. It reads syntax and decides nothing. Anything it
 * cannot read with certainty becomes a problem, never a guess.
 */

import { LineReader } from './line-reader.ts';
import type { ShellParser } from './line-reader.ts';
import { inPlainShell, isAboutQuotes, withoutDisputedQuotes } from './shell-doubts.ts';
import { syntaxProblem } from './shell-line.ts';
import type { OuterLine, ShellLine } from './shell-line.ts';
import { getErrorMessage } from '../../protocol/errors.ts';

/** Longer lines are not read at all: Linux would not hand them to a shell, and no user could review them either. */
const MAX_LENGTH = 131_072;
const MAX_READINGS = 8;
const MAX_BRACES = 1000;

let parser: ShellParser | undefined;

/** Loaded on demand: the parser is large, and most read-only sessions never need it. */
export async function loadShellParser(): Promise<void> {
  parser ??= await import('unbash');
}

/**
 * Needs `loadShellParser` first. `variables` are values known from outside the line, for
 * example HOME. When `isBash` is false another shell may run the line: what that shell
 * would run counts as well.
 */
export function parseShellLine(
  source: string,
  variables: ReadonlyMap<string, string> = new Map(),
  isBash = true,
  outer?: OuterLine,
): ShellLine {
  if (parser === undefined) throw new Error('loadShellParser() must be awaited before parseShellLine()');
  if (source.length > MAX_LENGTH) return { commands: [], problems: ['The command is longer than 131,072 characters.'] };
  if (hasEndlessBraces(source))
    return { commands: [], problems: [`The command has a word with more than ${MAX_BRACES} braces.`] };
  const problems = unsafeCharacters(source);
  const reader = new LineReader(parser, source, variables, outer);
  try {
    for (const text of new Set([source, isBash ? source : inPlainShell(source)])) readText(parser, reader, text);
  } catch (error) {
    // A parser that gives up, for example on endless nesting, counts like one that reports an error.
    problems.push(syntaxProblem(getErrorMessage(error), source));
  }
  return {
    commands: reader.commands,
    // A line that is read in two ways repeats what holds for both.
    problems: [...new Set([...problems, ...reader.problems])],
    variables: reader.lineVariables,
  };
}

/** When quotes are ambiguous both readings count: the one in which they quote nothing is read as well. */
function readText(loaded: ShellParser, reader: LineReader, source: string): void {
  reader.read(loaded.parse(source));
  let other = source;
  for (let round = 0; round < MAX_READINGS && reader.problems.some(isAboutQuotes); round += 1) {
    const next = withoutDisputedQuotes(other);
    if (next === other) break;
    reader.read(loaded.parse((other = next)));
  }
}

/** The parser needs quadratic time for these, and no shell would finish expanding them. */
function hasEndlessBraces(source: string): boolean {
  if (!source.includes('{') || source.length < MAX_BRACES) return false;
  return source.split(/[\s'"]+/).some((word) => word.split('{').length > MAX_BRACES);
}

/** Characters on which shells, terminals and users disagree about where a word ends. */
function unsafeCharacters(source: string): string[] {
  return UNSAFE.flatMap(([pattern, name]) => {
    const index = source.search(pattern);
    if (index < 0) return [];
    const code = source.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0');
    // The text before it, up to another such character: it says where without showing what is not seen.
    const before = /[^\p{C}\p{Zl}\p{Zp}]*$/u.exec(source.slice(Math.max(0, index - BEFORE), index))?.[0].trim() ?? '';
    return [`The command contains ${name} (U+${code}) ${before === '' ? 'at its beginning' : `after \`${before}\``}.`];
  });
}

const BEFORE = 40;
/** Format characters, line separators and invisible letters. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]|\u034f/u;

const UNSAFE: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\0/, 'a NUL character'],
  [/\r(?!\n)/, 'a carriage return inside a line'],
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  [/[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/, 'a control character'],
  [INVISIBLE, 'an invisible or direction-changing character'],
];

/**
 * Splits a command from the user's settings into words: white space, quotes and
 * backslashes only. It supports neither expansion nor operators, because no shell runs the
 * command.
 */

import { ToolError } from '../protocol/errors.ts';

const WORD = /(?:[^\s'"\\]|\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*")+/g;
const PIECE = /\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g;

/** Throws ToolError when a quotation mark is not closed or a backslash ends the command. */
export function splitCommand(command: string): string[] {
  const rest = command.replace(WORD, '').trim();
  if (rest !== '') throw new ToolError(`Unclosed quote in: ${command}`, 'invalid_tool_params');
  return (command.match(WORD) ?? []).map(unquote);
}

function unquote(word: string): string {
  return word.replace(
    PIECE,
    (_piece, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? (double ?? '').replace(/\\([^])/g, '$1'),
  );
}

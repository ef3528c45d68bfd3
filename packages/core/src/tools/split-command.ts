/**
 * A command of the user's settings as words: white space, quotes and backslashes,
 * nothing else. There is no expansion and no operator, because no shell runs it.
 */

import { ToolError } from '../protocol/errors.ts';

export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < command.length; index++) {
    const character = command[index] ?? '';
    if (character === '\\' && quote !== "'" && index + 1 < command.length) word = (word ?? '') + command[++index];
    else if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw new ToolError(`A quotation mark is not closed in: ${command}`, 'invalid_tool_params');
  if (word !== undefined) words.push(word);
  return words;
}

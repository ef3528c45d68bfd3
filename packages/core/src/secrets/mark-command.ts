/**
 * Rewrites a command line that uses marks: each mark becomes a reference to a variable, quoted as its place needs, and the
 * value goes into the environment of the command, never into its arguments. Pure.
 */

import { MARK } from './secret-vault.ts';
import type { MarkedValue } from './secret-vault.ts';

export interface MarkedCommand {
  command: string;
  variables: Record<string, string>;
}

/** A mark that this command cannot use; the message is for the model. */
export class MarkError extends Error {
  override name = 'MarkError';
}

/** Not SECRET or TOKEN: a sandbox withholds variables of such names. */
export const MARK_VARIABLE = 'CASTOR_MARK_';

export function variableOf(name: string): string {
  return `${MARK_VARIABLE}${name.toUpperCase().replaceAll('-', '_')}`;
}

type Quote = 'none' | 'double' | 'single' | 'dollar' | 'here' | 'here-literal';

/** Throws MarkError for a mark without a value, one that commands do not get, and one where no variable is expanded. */
export function useMarks(command: string, valueOf: (name: string) => MarkedValue | undefined): MarkedCommand {
  if (!command.includes('‹secret:')) return { command, variables: {} };
  const variables: Record<string, string> = {};
  const quotes = quotesOf(command);
  let result = '';
  let end = 0;
  for (const match of command.matchAll(MARK)) {
    const [whole, name = ''] = match;
    const marked = valueOf(name);
    if (!marked) throw new MarkError(describeUnknown(whole));
    if (!marked.isUsable) throw new MarkError(describeWithheld(whole));
    const variable = variableOf(name);
    variables[variable] = marked.value;
    result += command.slice(end, match.index) + reference(variable, quotes[match.index] ?? 'none', whole);
    end = match.index + whole.length;
  }
  return { command: result + command.slice(end), variables };
}

export function describeUnknown(mark: string): string {
  return `${mark} stands for a value that Castor no longer has: values are kept in memory only. Read the file, or run the command, that showed it again, or ask the user for it.`;
}

export function describeWithheld(mark: string): string {
  return `${mark} stands for a credential that commands and files do not get. If the task needs it, ask the user to allow its variable in security.environmentVariableRedaction.allowed.`;
}

function reference(variable: string, quote: Quote, mark: string): string {
  switch (quote) {
    case 'double':
    case 'here':
      return `\${${variable}}`;
    case 'single':
      return `'"\${${variable}}"'`;
    case 'dollar':
      return `'"\${${variable}}"$'`;
    case 'none':
      return `"\${${variable}}"`;
    case 'here-literal':
      throw new MarkError(
        `${mark} is inside a here-document with a quoted word, where the shell puts no value. Remove the quotes around the word, or use the mark outside of it.`,
      );
  }
}

const HERE_DOCUMENT = /<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))/y;

/** How each character is quoted; a substitution inside quotes begins anew. */
function quotesOf(command: string): Quote[] {
  const quotes: Quote[] = [];
  const waiting: { word: string; isLiteral: boolean }[] = [];
  /** The quotes around each open substitution, and how many parentheses are open in it. */
  const outer: { quote: Quote; open: number }[] = [];
  let quote: Quote = 'none';
  let open = 0;
  for (let index = 0; index < command.length; index++) {
    quotes[index] = quote;
    const character = command[index];
    const next = command[index + 1];
    if (quote === 'single') {
      if (character === "'") quote = 'none';
    } else if (character === '\\') quotes[++index] = quote;
    else if (quote === 'dollar') {
      if (character === "'") quote = 'none';
    } else if (character === '$' && next === '(') {
      outer.push({ quote, open });
      [quote, open] = ['none', 0];
      quotes[++index] = quote;
    } else if (quote === 'double') {
      if (character === '"') quote = 'none';
    } else if (character === "'") quote = command[index - 1] === '$' ? 'dollar' : 'single';
    else if (character === '"') quote = 'double';
    else if (character === '(') open++;
    else if (character === ')') {
      if (open > 0) open--;
      else ({ quote, open } = outer.pop() ?? { quote, open });
    } else if (character === '#' && /^[\s;&|(]?$/.test(command[index - 1] ?? '')) {
      // A quote in a comment opens nothing.
      while (index + 1 < command.length && command[index + 1] !== '\n') quotes[++index] = 'none';
    } else if (character === '<' && next === '<' && command[index + 2] !== '<' && command[index - 1] !== '<') {
      HERE_DOCUMENT.lastIndex = index;
      const [whole = '', single, double, bare = ''] = HERE_DOCUMENT.exec(command) ?? [];
      const isLiteral = single !== undefined || double !== undefined || whole.includes('\\');
      if (whole !== '') waiting.push({ word: single ?? double ?? bare, isLiteral });
      for (let left = whole.length - 1; left > 0; left--) quotes[++index] = 'none';
    } else if (character === '\n') {
      for (const { word, isLiteral } of waiting.splice(0)) {
        const end = endOfDocument(command, index + 1, word);
        while (index + 1 < end) quotes[++index] = isLiteral ? 'here-literal' : 'here';
      }
    }
  }
  return quotes;
}

/** After the line that holds only the word, tabs aside; the end of the command where there is none. */
function endOfDocument(command: string, start: number, word: string): number {
  for (let line = start; line < command.length;) {
    const next = command.indexOf('\n', line);
    const end = next < 0 ? command.length : next;
    if (command.slice(line, end).replace(/^\t+/, '') === word) return end;
    line = end + 1;
  }
  return command.length;
}

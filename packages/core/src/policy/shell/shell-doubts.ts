/**
 * Finds places in a shell line where shells and parsers disagree, or where a value becomes
 * a command when the line runs. It reports doubts only; it resolves none.
 */

import type { SyntaxNode, WordPart } from 'unbash';
import { clipped } from './shell-line.ts';

/** A subscript with a command in it: arithmetic runs that command when it reads the value. */
const SUBSCRIPT = /\w\[/;
const CODE = /\$\(|`/;

export function hasSubscriptCode(text: string): boolean {
  if (!text.includes('[') || !CODE.test(text)) return false;
  // Bracket by bracket: one search over the whole text would take quadratic time.
  return text
    .replaceAll(/['"\\]/g, '')
    .split(']')
    .some((piece) => {
      const start = piece.search(SUBSCRIPT);
      return start >= 0 && CODE.test(piece.slice(start));
    });
}

/** Commands that take the name of a variable, and evaluate the subscript in it. */
const READS_SUBSCRIPTS = new Set([
  ...['let', 'test', '[', 'printf', 'declare', 'typeset', 'local', 'export', 'readonly', 'unset', 'read'],
  ...['mapfile', 'readarray', 'getopts', 'wait', 'builtin', 'command'],
]);

export function readsSubscripts(command: string): boolean {
  return READS_SUBSCRIPTS.has(command);
}

const DISPUTED_QUOTES = 'Shells read the quotes and substitutions of an expansion in double quotes in different ways';

export function isAboutQuotes(problem: string): boolean {
  return problem.startsWith(DISPUTED_QUOTES);
}

/** The line with the first of those quotes replaced by plain characters, up to the brace that then ends the expansion. */
export function withoutDisputedQuotes(source: string): string {
  return source.replace(/\$\{\w+[^}'"\s]*'[^}]*\}/, (expansion) => expansion.replaceAll("'", '_'));
}

/**
 * The line as a shell other than bash reads it, for example dash: `((` opens two
 * subshells, `[[` is an ordinary command name, and neither `$[` nor `$'` has a special
 * meaning.
 */
export function inPlainShell(source: string): string {
  return source
    .replaceAll(/(?<!\$(?:\\\n)*)\((?=(?:\\\n)*\()/g, '( ')
    .replaceAll(/(?<![^\s;&|(){}!`])\[(?:\\\n)*\[(?=\s|\\\n)/g, '[')
    .replaceAll(/\$(?=(?:\\\n)*[['])/g, '_');
}

/** Why this node cannot be read with certainty; undefined when it can. */
export function doubtOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.operation?.type !== 'Transform') return undefined;
      if (node.operation.operand.value.includes('P'))
        return `A value is expanded as a prompt, which runs the commands in it: ${clipped(node.text)}.`;
      return node.operation.operand.value.includes('E')
        ? `A value is expanded with its escapes, which may put a command together: ${clipped(node.text)}.`
        : undefined;
    case 'DoubleQuoted':
    case 'LocaleString':
    case 'HereDocBody': {
      const disputed = node.parts?.find(hasDisputedQuotes);
      return disputed && `${DISPUTED_QUOTES}: ${clipped(disputed.text)}.`;
    }
    default:
      return undefined;
  }
}

/**
 * `"${x:-'}"` ends at the brace in bash but not in other shells: the rest is code or text.
 * Quotes around plain characters make no difference.
 */
function hasDisputedQuotes(part: WordPart): boolean {
  if (part.type !== 'ParameterExpansion') return false;
  return /'[^']*[}"`$\\][^']*'|[<>]\(/.test(part.text) || /^[^']*'[^']*$/.test(part.text);
}

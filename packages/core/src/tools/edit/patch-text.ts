/** Replaces tokens of a model's text with pieces of a file. */

import type { Difference } from './differences.ts';
import type { Tokens } from './tokens.ts';

/** Replaces tokens `from` to `to` of a text with tokens `first` to `last` of the file, ends exclusive. */
export interface Patch extends Difference {
  /** For an insertion: attaches the piece to the text after it instead of the text before it. */
  goesWithNext?: boolean;
  /** For an insertion or a deletion: also takes the surrounding whitespace from the file. */
  setsGlue?: boolean;
}

/** Applies patches in order. Whitespace around them stays that of the text, inside and before them that of the file. */
export function patchText(tokens: Tokens, patches: readonly Patch[], file: Tokens): string {
  const { text, starts, ends } = tokens;
  let result = '';
  let position = 0;
  const copyUntil = (end: number, resume = end) => {
    result += text.slice(position, end);
    position = resume;
  };
  for (const patch of patches) {
    const { from, to, first, last } = patch;
    if (from === to) {
      copyUntil(ends[from - 1] ?? 0, starts[from] ?? text.length);
      result += glueAround(tokens, patch, file);
      continue;
    }
    const piece = first < last ? file.text.slice(file.starts[first], file.ends[last - 1]) : '';
    if (piece === '' && from > 0 && to < starts.length) {
      const own = text.slice(ends[to - 1], starts[to]) || text.slice(ends[from - 1], starts[from]);
      copyUntil(ends[from - 1]!, starts[to]);
      result += patch.setsGlue ? file.text.slice(file.ends[first - 1], file.starts[first]) : own;
      continue;
    }
    copyUntil(starts[from]!, ends[to - 1]);
    result += piece;
  }
  return result + text.slice(position);
}

/** The piece with its surrounding whitespace, which replaces the whitespace of the text. */
function glueAround({ text, starts, ends }: Tokens, patch: Patch, file: Tokens): string {
  const { from, first, last } = patch;
  const piece = file.text.slice(file.starts[first], file.ends[last - 1]);
  const glue = text.slice(ends[from - 1] ?? 0, starts[from]);
  const before = first === 0 ? '' : file.text.slice(file.ends[first - 1], file.starts[first]);
  const behind = last === file.keys.length ? '' : file.text.slice(file.ends[last - 1], file.starts[last]);
  if (from === 0) return glue + piece + behind;
  if (from === starts.length) return before + piece + glue;
  if (patch.setsGlue) return before + piece + behind;
  const isWhole = [glue, before, behind].every((each) => each.includes('\n'));
  if (!isWhole) return patch.goesWithNext ? glue + piece + behind : before + piece + glue;
  // Keeps the text's number of blank lines on the side of the change.
  const own = countBreaks(glue);
  const lead = patch.goesWithNext ? own + 1 - Math.min(own, countBreaks(behind)) : Math.min(own, countBreaks(before));
  const trailing = glue.slice(0, glue.indexOf('\n'));
  return (
    trailing + '\n'.repeat(lead) + indentationOf(before) + piece + '\n'.repeat(own + 1 - lead) + indentationOf(glue)
  );
}

function countBreaks(glue: string): number {
  return glue.split('\n').length - 1;
}

function indentationOf(glue: string): string {
  return glue.slice(glue.lastIndexOf('\n') + 1);
}

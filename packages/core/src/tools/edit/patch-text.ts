/** Pieces of a file put into a model's text in the place of its own tokens. */

import type { Difference } from './differences.ts';
import type { Tokens } from './tokens.ts';

/** Tokens `from` to `to` of a text become those `first` to `last` of the file, ends exclusive. */
export interface Patch extends Difference {
  /** Where there is nothing to replace: the piece follows what is before it, unless it goes with what is behind. */
  goesWithNext?: boolean;
  /** Where there is nothing to replace: the whitespace on both sides becomes that of the file too. */
  setsGlue?: boolean;
}

/** Patches in order. Whitespace around them stays as the text has it, inside and before them as the file does. */
export function patchText({ text, starts, ends }: Tokens, patches: readonly Patch[], file: Tokens): string {
  let result = '';
  let position = 0;
  const copyUntil = (end: number, resume = end) => {
    result += text.slice(position, end);
    position = resume;
  };
  for (const { from, to, first, last, goesWithNext, setsGlue } of patches) {
    const piece = first < last ? file.text.slice(file.starts[first], file.ends[last - 1]) : '';
    if (from < to) {
      // Where nothing comes instead, the whitespace before goes too.
      const begin = piece === '' && from > 0 ? ends[from - 1]! : starts[from]!;
      copyUntil(begin, piece === '' && from === 0 && to < starts.length ? starts[to] : ends[to - 1]);
      result += piece;
    } else if (setsGlue && from > 0 && from < starts.length) {
      copyUntil(ends[from - 1]!, starts[from]);
      result += file.text.slice(file.ends[first - 1], file.starts[last]);
    } else if (from === 0 || (goesWithNext && from < starts.length)) {
      const lineStart = Math.max(position, text.lastIndexOf('\n', starts[from]! - 1) + 1);
      copyUntil(lineStart, starts[from]);
      result += indentationOf(file, first) + piece + file.text.slice(file.ends[last - 1], file.starts[last]);
    } else {
      copyUntil(ends[from - 1]!);
      result += file.text.slice(file.ends[first - 1] ?? file.starts[first], file.starts[first]) + piece;
    }
  }
  return result + text.slice(position);
}

function indentationOf({ text, starts }: Tokens, index: number): string {
  return text.slice(text.lastIndexOf('\n', starts[index]! - 1) + 1, starts[index]);
}

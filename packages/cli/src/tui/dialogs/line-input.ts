/** One line of text that is being typed, with its caret, by user-perceived characters. It draws nothing but its own words. */

import type { Key } from '../input/key.ts';
import { graphemesIn, rowWidth } from '../text/row-width.ts';

type Edit = (before: string[], after: string[]) => [before: string[], after: string[]];

const toStart: Edit = (before, after) => [[], [...before, ...after]];
const toEnd: Edit = (before, after) => [[...before, ...after], []];
const deleteBack: Edit = (before, after) => [before.slice(0, -1), after];

const EDITS: Readonly<Record<string, Edit>> = {
  backspace: deleteBack,
  'ctrl+h': deleteBack,
  delete: (before, after) => [before, after.slice(1)],
  left: (before, after) => [before.slice(0, -1), [...before.slice(-1), ...after]],
  right: (before, after) => [[...before, ...after.slice(0, 1)], after.slice(1)],
  home: toStart,
  'ctrl+a': toStart,
  end: toEnd,
  'ctrl+e': toEnd,
  'ctrl+u': (_before, after) => [[], after],
  'ctrl+k': (before) => [before, []],
  'ctrl+w': (before, after) => [[...before.join('').replace(/\S*\s*$/, '')], after],
};

export interface LineView {
  readonly text: string;
  /** Cells before the caret. */
  readonly caret: number;
}

export class LineInput {
  private before: string[] = [];
  private after: string[] = [];

  get text(): string {
    return [...this.before, ...this.after].join('');
  }

  onText(text: string): void {
    this.before.push(...graphemesIn(text));
  }

  onKey(key: Key): void {
    const edit = EDITS[key.ctrl ? `ctrl+${key.name}` : key.name];
    if (edit) [this.before, this.after] = edit(this.before, this.after);
    else if (key.text !== '') this.onText(key.text);
  }

  /** The part around the caret that fits, each character as `mask` where it is given. */
  view(width: number, mask?: string): LineView {
    const show = (characters: readonly string[]) =>
      mask === undefined ? characters.join('') : mask.repeat(characters.length);
    let left = show(this.before);
    while (rowWidth(left) > width) left = left.slice([...graphemesIn(left)][0]?.length ?? 1);
    return { text: left + show(this.after), caret: rowWidth(left) };
  }
}

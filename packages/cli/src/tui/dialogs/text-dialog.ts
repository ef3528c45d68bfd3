/** Asks for one line of text. Enter submits it, Escape cancels; a secret is shown as dots. */

import type { Key } from '../input/key.ts';
import { cutRow, graphemesIn, rowWidth } from '../text/row-width.ts';
import { renderKeys, renderRule } from '../render/rule.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';

export interface TextQuestion {
  readonly title: string;
  readonly body?: (space: DialogSpace) => readonly string[];
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  /** What Enter and Escape do here, where it differs from the default. */
  readonly keys?: string;
  /** Why a text is invalid; undefined when it is valid. */
  readonly check?: (text: string) => string | undefined;
}

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

/** As in a question with answers. */
const ROOM_FOR_GAPS = 16;

/** `enter takes it · esc goes back` as keys and what they do. */
function splitKeys(keys: string): (readonly [key: string, does: string])[] {
  return keys.split(' · ').map((part) => {
    const [key = '', ...does] = part.split(' ');
    return [key, does.join(' ')] as const;
  });
}

/** The same for a voice. */
function sayKeys(keys: string): string {
  const words = splitKeys(keys).map(([key, does]) => `${SPOKEN_KEYS[key] ?? key} ${does}`);
  return `${words.join(', ')}.`;
}

const SPOKEN_KEYS: Readonly<Record<string, string>> = { enter: 'Enter', esc: 'Escape' };

export class TextDialog implements Dialog {
  readonly takesText = true;
  private readonly question: TextQuestion;
  private readonly settle: (value: string | undefined) => void;
  /** By user-perceived characters. */
  private before: string[] = [];
  private after: string[] = [];
  private problem: string | undefined;

  constructor(question: TextQuestion, settle: (value: string | undefined) => void) {
    this.question = question;
    this.settle = settle;
  }

  view(space: DialogSpace): DialogView {
    const { styles, width } = space;
    const { title, body, placeholder = '', isSecret } = this.question;
    const keys = this.question.keys ?? 'enter takes it · esc goes back';
    const heading = styles.isSpoken
      ? [`Question: ${title}`]
      : rowWidth(title) + 6 <= width
        ? [renderRule({ styles, width, left: styles.bold(title) })]
        : [renderRule({ styles, width }), ...wrapRows(styles.bold(title), { width, first: '  ' })];
    const gap = styles.isSpoken || space.maxRows < ROOM_FOR_GAPS ? [] : [''];
    const matter = (body?.(space) ?? []).map((row) => (row === '' ? '' : `  ${row}`));
    const rows = [...heading, ...gap, ...matter, ...(matter.length > 0 ? gap : [])];
    if (this.problem !== undefined) rows.push(...wrapRows(styles.error(this.problem), { width, first: '  ' }));
    rows.push(
      ...(styles.isSpoken ? [sayKeys(keys)] : wrapRows(renderKeys(splitKeys(keys), styles), { width, first: '  ' })),
    );
    const show = (characters: readonly string[]) => (isSecret ? '•'.repeat(characters.length) : characters.join(''));
    const available = Math.max(width - 4, 8);
    let left = show(this.before);
    while (rowWidth(left) > available) left = left.slice([...graphemesIn(left)][0]?.length ?? 1);
    const text = left === '' && this.after.length === 0 ? styles.secondary(placeholder) : left + show(this.after);
    // The last row: where the user types.
    rows.push(cutRow(`${styles.accent('❯')} ${text}`, width));
    return { rows, caret: { row: rows.length - 1, column: 2 + rowWidth(left) } };
  }

  onText(text: string): void {
    this.problem = undefined;
    this.before.push(...graphemesIn(text));
  }

  onKey(key: Key): void {
    if (key.name === 'escape') return this.settle(undefined);
    if (key.name === 'enter') return this.submit();
    const edit = EDITS[key.ctrl ? `ctrl+${key.name}` : key.name];
    if (edit) [this.before, this.after] = edit(this.before, this.after);
    else if (key.text !== '') this.onText(key.text);
  }

  dismiss(): void {
    this.settle(undefined);
  }

  private submit(): void {
    const text = [...this.before, ...this.after].join('');
    this.problem = this.question.check?.(text);
    if (this.problem === undefined) this.settle(text);
  }
}

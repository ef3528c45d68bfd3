/** Asks for one line of text. Enter submits it, Escape cancels; a secret is shown as dots. */

import type { Key } from '../input/key.ts';
import { cutRow, rowWidth } from '../text/row-width.ts';
import { renderKeyRows, renderRule } from '../render/rule.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';
import { LineInput } from './line-input.ts';

export interface TextQuestion {
  readonly title: string;
  /** At the right end of the title rule, such as its place among several questions. */
  readonly why?: string | undefined;
  readonly body?: (space: DialogSpace) => readonly string[];
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  /** What Enter and Escape do here, where it differs from the default. */
  readonly keys?: string;
  /** Why a text is invalid; undefined when it is valid. */
  readonly check?: (text: string) => string | undefined;
}

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
  private readonly line = new LineInput();
  private problem: string | undefined;

  constructor(question: TextQuestion, settle: (value: string | undefined) => void) {
    this.question = question;
    this.settle = settle;
  }

  view(space: DialogSpace): DialogView {
    const { styles, width } = space;
    const { title, why = '', body, placeholder = '', isSecret } = this.question;
    const keys = this.question.keys ?? 'enter takes it · esc goes back';
    const heading = styles.isSpoken
      ? [`Question: ${title}`]
      : rowWidth(title) + 6 <= width
        ? [renderRule({ styles, width, left: styles.bold(title), right: styles.secondary(why) })]
        : [renderRule({ styles, width }), ...wrapRows(styles.bold(title), { width, first: '  ' })];
    const gap = styles.isSpoken || space.maxRows < ROOM_FOR_GAPS ? [] : [''];
    const matter = (body?.(space) ?? []).map((row) => (row === '' ? '' : `  ${row}`));
    const rows = [...heading, ...gap, ...matter, ...(matter.length > 0 ? gap : [])];
    if (this.problem !== undefined) rows.push(...wrapRows(styles.error(this.problem), { width, first: '  ' }));
    rows.push(...(styles.isSpoken ? [sayKeys(keys)] : renderKeyRows(splitKeys(keys), { styles, width })));
    const { text, caret } = this.line.view(Math.max(width - 4, 8), isSecret ? '•' : undefined);
    // The last row: where the user types.
    rows.push(cutRow(`${styles.accent('❯')} ${text === '' ? styles.secondary(placeholder) : text}`, width));
    return { rows, caret: { row: rows.length - 1, column: 2 + caret } };
  }

  onText(text: string): void {
    this.problem = undefined;
    this.line.onText(text);
  }

  onKey(key: Key): void {
    if (key.name === 'escape') return this.settle(undefined);
    if (key.name === 'enter') return this.submit();
    // Text of a key is typed, too: what was wrong with it is no longer known.
    if (key.text !== '') this.problem = undefined;
    this.line.onKey(key);
  }

  dismiss(): void {
    this.settle(undefined);
  }

  private submit(): void {
    const { text } = this.line;
    this.problem = this.question.check?.(text);
    if (this.problem === undefined) this.settle(text);
  }
}

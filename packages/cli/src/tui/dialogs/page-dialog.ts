/**
 * Shows a page in the composer's place and leaves nothing behind: arrows and Page keys scroll, `/` and a word find the
 * next row that has it, Escape closes.
 */

import type { Key } from '../input/key.ts';
import { renderKeys, renderRule } from '../render/rule.ts';
import { rowWidth, shortenRow, stripStyles } from '../text/row-width.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';
import type { KeyHint } from './key-hint.ts';

export interface Page {
  readonly title: string;
  readonly rows: (space: DialogSpace) => readonly string[];
  /** Begins with its last rows. */
  readonly startsAtEnd?: boolean;
}

/** The key that closes is the last to give way. */
function keysThatFit(keys: readonly KeyHint[], width: number): readonly KeyHint[] {
  const needed = keys.reduce((sum, [key, does]) => sum + rowWidth(`${key} ${does} · `), 0);
  return needed <= width + 1 || keys.length === 1 ? keys : keysThatFit(keys.slice(1), width);
}

const ROOM_FOR_GAPS = 12;
const STEPS: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1 };

export class PageDialog implements Dialog {
  private readonly page: Page;
  private readonly close: (value: undefined) => void;
  private rows: readonly string[] = [];
  private laidOut: DialogSpace | undefined;
  private top: number;
  private height = 1;
  /** Typed after `/`; undefined while nothing is searched. */
  private query: string | undefined;

  constructor(page: Page, close: (value: undefined) => void) {
    this.page = page;
    this.close = close;
    this.top = page.startsAtEnd ? Infinity : 0;
  }

  get takesText(): boolean {
    return this.query !== undefined;
  }

  get scrolls(): boolean {
    return this.rows.length > this.height;
  }

  view(space: DialogSpace): DialogView {
    const { styles, width, maxRows } = space;
    this.layOut(space);
    if (styles.isSpoken) return { rows: [this.page.title, ...this.rows] };
    // The empty row before the keys is the first to go where rows are few.
    const gaps = maxRows < ROOM_FOR_GAPS ? [] : [''];
    this.height = Math.max(maxRows - 3 - gaps.length, 1);
    this.top = Math.max(0, Math.min(this.top, this.rows.length - this.height));
    const shown = this.rows.slice(this.top, this.top + this.height);
    const isWhole = this.rows.length <= this.height;
    const place = isWhole ? '' : `${this.top + 1}–${this.top + shown.length} of ${this.rows.length}`;
    const rule = renderRule({ styles, width, left: styles.bold(this.page.title), right: styles.secondary(place) });
    const keys = [...(isWhole ? [] : [['↑ ↓ pgup pgdn', 'scroll'] as const, ['/', 'finds'] as const])];
    const last =
      this.query === undefined
        ? `  ${renderKeys(keysThatFit([...keys, ['esc', 'closes']], width), styles)}`
        : `${styles.accent('/')} ${this.query}`;
    return { rows: [rule, '', ...shown, ...gaps, shortenRow(last, width)] };
  }

  onKey(key: Key): void {
    const { name } = key;
    const step = this.query === undefined || name.length > 1 ? STEPS[name] : undefined;
    if (name === 'escape') this.leave();
    else if (step !== undefined) this.top += step;
    else if (name === 'pageup') this.top -= this.height;
    else if (name === 'pagedown') this.top += this.height;
    else if (name === 'home') this.top = 0;
    else if (name === 'end') this.top = Infinity;
    else if (name === 'enter') this.find(1);
    else if (name === 'backspace') this.query = this.query?.slice(0, -1);
    else if (key.text !== '') this.onText(key.text);
    this.top = Math.max(0, this.top);
  }

  onText(text: string): void {
    if (this.query !== undefined) {
      this.query += text;
      this.find(0);
    } else if (text === '/') this.query = '';
    else if (text === ' ') this.top += this.height;
    else if (text === 'q') this.close(undefined);
    else if (STEPS[text] !== undefined) this.top = Math.max(0, this.top + STEPS[text]);
  }

  dismiss(): void {
    this.close(undefined);
  }

  /** Rows are laid out once for a width and a look: a page may be long. */
  private layOut(space: DialogSpace): void {
    const { laidOut } = this;
    if (laidOut && laidOut.width === space.width && laidOut.styles === space.styles) return;
    this.laidOut = space;
    this.rows = this.page.rows(space);
  }

  /** The search first, then the page. */
  private leave(): void {
    if (this.query === undefined) this.close(undefined);
    else this.query = undefined;
  }

  private find(from: 0 | 1): void {
    if (!this.query) return;
    const wanted = this.query.toLowerCase();
    const start = Math.min(this.top, this.rows.length) + from;
    const has = (row: string) => stripStyles(row).toLowerCase().includes(wanted);
    const next = this.rows.findIndex((row, index) => index >= start && has(row));
    const found = next >= 0 ? next : this.rows.findIndex(has);
    if (found >= 0) this.top = found;
  }
}

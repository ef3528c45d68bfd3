/**
 * Asks for one of several answers: arrows or j/k and Enter, or a digit. The first answer is the default unless set
 * otherwise; Escape returns the answer for cancelling. With `search` typed text narrows the list instead. Titles,
 * answers and hints are sanitised here.
 */

import { sanitize } from '../../sanitize.ts';
import type { Key } from '../input/key.ts';
import { graphemesIn, rowWidth, shortenRow } from '../terminal/row-width.ts';
import { wrapRows } from '../render/wrap-rows.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';

export interface SelectOption<T> {
  readonly label: string;
  readonly value: T;
  readonly hint?: string | undefined;
}

export interface SelectQuestion<T> {
  readonly title: string;
  /** Rows above the answers; those that do not fit scroll with Page Up and Page Down. */
  readonly body?: (space: DialogSpace) => readonly string[];
  readonly options: readonly SelectOption<T>[];
  readonly initial?: number;
  /** The answer of Escape. Without it: none. */
  readonly escape?: T;
  readonly search?: boolean;
  /** The answer of Tab. Without it: moves one down. */
  readonly tab?: T;
  /** A further answer while the user searches. */
  readonly whenSearched?: (query: string) => SelectOption<T>;
  /** The answer of the Delete key. Without it: none. */
  readonly remove?: (value: T) => T;
  /** Called with every move, for a preview. */
  readonly onMove?: (value: T) => void;
}

const STEPS: Readonly<Record<string, number>> = { up: -1, 'ctrl+p': -1, down: 1, 'ctrl+n': 1, tab: 1 };
const PAGE = 5;
/** A frame that stays small leaves nothing behind when the window shrinks. */
const MOST_OPTIONS = 12;
const MOST_DETAIL_ROWS = 4;
/** A dialog of so few rows has room for a title of one row. */
const LOW = 7;
const SEARCH = '  search: ';

export class SelectDialog<T> implements Dialog {
  readonly takesText: boolean;
  private readonly question: SelectQuestion<T>;
  private readonly settle: (value: T | undefined) => void;
  private index: number;
  private query = '';
  private hasHiddenRows = false;
  private scroll = 0;

  constructor(question: SelectQuestion<T>, settle: (value: T | undefined) => void) {
    this.question = question;
    this.takesText = question.search ?? false;
    this.settle = settle;
    this.index = question.initial ?? 0;
  }

  get scrolls(): boolean {
    return this.hasHiddenRows;
  }

  view(space: DialogSpace): DialogView {
    const options = this.shown();
    const body = this.question.body?.(space) ?? [];
    const title = this.titleRows(space);
    const search = this.question.search ? [this.searchRow(options.length, space)] : [];
    const isLow = space.maxRows <= LOW;
    const room = Math.max(space.maxRows - title.length - search.length - (isLow ? 0 : 1), 3);
    const forBody = isLow ? 0 : Math.min(body.length, Math.ceil(room / 2));
    const most = Math.min(MOST_OPTIONS, Math.max(3, room - forBody));
    const optionRows = Math.min(options.length || 1, most);
    const detail = isLow ? [] : this.detailRows(options, room - optionRows - forBody, space);
    const rows = [
      ...title,
      ...this.visibleBody(body, room - optionRows - detail.length, space),
      ...search,
      ...this.renderOptions(options, optionRows, space),
      ...detail,
    ];
    return this.question.search
      ? {
          rows,
          caret: {
            row: rows.length - Math.min(optionRows, options.length || 1) - 1,
            column: SEARCH.length + rowWidth(this.query),
          },
        }
      : { rows };
  }

  onKey(key: Key): void {
    const options = this.shown();
    const step = STEPS[key.ctrl ? `ctrl+${key.name}` : key.name];
    if (key.name === 'escape') this.settle(this.question.escape);
    else if (key.name === 'tab' && this.question.tab !== undefined) this.settle(this.question.tab);
    else if (key.name === 'enter') this.choose(options[this.index]);
    else if (key.name === 'delete') this.remove(options[this.index]);
    else if (step !== undefined) this.move(step, options);
    else if (key.name === 'pageup') this.scroll = Math.max(0, this.scroll - PAGE);
    else if (key.name === 'pagedown') this.scroll += PAGE;
    else if (this.question.search) this.onSearchKey(key);
    else if (!key.ctrl && !key.alt) this.onPlainKey(key.name, options);
  }

  onText(text: string): void {
    if (this.question.search) this.narrow(this.query + text);
    else if (text.length === 1) this.onPlainKey(text, this.shown());
  }

  dismiss(): void {
    this.settle(undefined);
  }

  private onPlainKey(name: string, options: readonly SelectOption<T>[]): void {
    if (name === 'k') this.move(-1, options);
    if (name === 'j') this.move(1, options);
    if (/^[1-9]$/.test(name)) this.choose(options[Number(name) - 1]);
  }

  private onSearchKey({ name, text }: Key): void {
    if (name === 'backspace') this.narrow([...graphemesIn(this.query)].slice(0, -1).join(''));
    else if (text !== '') this.narrow(this.query + text);
  }

  private choose(option: SelectOption<T> | undefined): void {
    if (option) this.settle(option.value);
  }

  private remove(option: SelectOption<T> | undefined): void {
    const { remove } = this.question;
    if (option && remove) this.settle(remove(option.value));
  }

  private move(by: number, options: readonly SelectOption<T>[]): void {
    if (options.length === 0) return;
    this.index = (this.index + by + options.length) % options.length;
    const option = options[this.index];
    if (option) this.question.onMove?.(option.value);
  }

  private narrow(query: string): void {
    this.query = query;
    this.index = 0;
    this.move(0, this.shown());
  }

  private shown(): readonly SelectOption<T>[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const { options, whenSearched } = this.question;
    if (words.length === 0) return options;
    const found = options.filter(({ label, hint = '' }) => {
      const text = `${label} ${hint}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return whenSearched ? [...found, whenSearched(this.query)] : found;
  }

  private searchRow(found: number, { styles, width }: DialogSpace): string {
    const removes = this.question.remove ? ', del deletes one' : '';
    const many = this.query === '' ? `(type to search ${found}${removes})` : '';
    return shortenRow(`${styles.secondary(SEARCH)}${this.query}${styles.secondary(many)}`, width);
  }

  /** One row where the answers need the others. */
  private titleRows({ styles, width, maxRows }: DialogSpace): string[] {
    const title = styles.bold(sanitize(this.question.title));
    if (maxRows <= LOW) return [shortenRow(`${styles.warning('? ')}${title}`, width)];
    return wrapRows(title, { width, first: styles.warning('? ') });
  }

  private visibleBody(body: readonly string[], most: number, { styles }: DialogSpace): string[] {
    this.hasHiddenRows = body.length > most && most > 1;
    if (body.length <= most) return body.map((row) => `  ${row}`);
    // Where not even one row and the hint fit, the body is left out: the answers matter more.
    if (most < 2) return [];
    const height = Math.max(most - 1, 1);
    this.scroll = Math.min(this.scroll, body.length - height);
    const rows = body.slice(this.scroll, this.scroll + height).map((row) => `  ${row}`);
    const hidden = body.length - height - this.scroll;
    return [...rows, styles.secondary(`  … ${this.scroll} rows above, ${hidden} below (Page Up, Page Down)`)];
  }

  private renderOptions(options: readonly SelectOption<T>[], most: number, { styles, width }: DialogSpace): string[] {
    if (options.length === 0) return [styles.secondary('  nothing found')];
    const isCut = options.length > most && most > 2;
    const shown = isCut ? most - 1 : most;
    const first = Math.max(0, Math.min(this.index - Math.floor(shown / 2), options.length - shown));
    const rows = options.slice(first, first + shown).map(({ label, hint }, offset) => {
      const index = first + offset;
      const isActive = index === this.index;
      const words = `${this.numberOf(index)}${sanitize(label)}`;
      const text = isActive ? styles.accent(words) : words;
      const tail = hint === undefined ? '' : styles.secondary(`  ${sanitize(hint)}`);
      return shortenRow(`${isActive ? styles.accent('● ') : '  '}${text}${tail}`, width);
    });
    const below = options.length - first - shown;
    return isCut ? [...rows, styles.secondary(`  … ${first} above, ${below} below`)] : rows;
  }

  /** The full text of the choice where it did not fit; as many rows for every choice, so that nothing moves. */
  private detailRows(options: readonly SelectOption<T>[], most: number, { styles, width }: DialogSpace): string[] {
    if (this.question.search) return [];
    const details = options.map(({ label, hint = '' }, index) => {
      const isWhole = rowWidth(`  ${this.numberOf(index)}${sanitize(label)}  ${sanitize(hint)}`) <= width;
      return isWhole ? [] : wrapRows(sanitize(hint || label), { width, first: '     ' });
    });
    const height = Math.min(Math.max(0, ...details.map((rows) => rows.length)), MOST_DETAIL_ROWS);
    if (height === 0 || height > most) return [];
    const rows = (details[this.index] ?? []).slice(0, height).map((row) => styles.secondary(row));
    return [...rows, ...Array.from({ length: height - rows.length }, () => '')];
  }

  private numberOf(index: number): string {
    return this.question.search ? '' : index > 8 ? '   ' : `${index + 1}. `;
  }
}

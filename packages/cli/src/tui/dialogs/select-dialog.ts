/**
 * Asks for one of several answers: arrows or j/k and Enter, or a digit. The first answer is the default unless set
 * otherwise; Escape returns the answer for cancelling. With `search` typed text narrows the list instead. Titles,
 * answers and hints are sanitised here. Its parts are set off by empty rows: title, matter, answers, keys.
 */

import { sanitize } from '../../sanitize.ts';
import type { Key } from '../input/key.ts';
import { cutRow, graphemesIn, rowWidth, shortenRow } from '../text/row-width.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';
import type { LineInput } from './line-input.ts';
import { renderSelect } from './select-rows.ts';

/** An answer in the user's own words: chosen, its row becomes an input. */
export interface AnswerInput<T> {
  readonly line: LineInput;
  /** Stays before the words. */
  readonly lead: string;
  readonly placeholder: string;
  /** What Enter and Escape do meanwhile. */
  readonly enters: string;
  readonly escapes: string;
  readonly toValue: (words: string) => T;
}

export interface SelectOption<T> {
  readonly label: string;
  readonly value: T;
  readonly hint?: string | undefined;
  /** Before the label, such as whether it is chosen. */
  readonly mark?: string | undefined;
  /** Rows below the answer, always shown whole: what it grants. */
  readonly below?: readonly string[] | undefined;
  /** A sentence about it, shown while it is chosen. */
  readonly about?: string | undefined;
  /** After that sentence, dim; never cut. */
  readonly aside?: string | undefined;
  /** The heading it stands under. */
  readonly group?: string | undefined;
  /** Of the last answer only: the caret is in the last row. */
  readonly input?: AnswerInput<T> | undefined;
}

export interface SelectQuestion<T> {
  readonly title: string;
  /** Beside the title, such as `+1 −1`; styled. */
  readonly facts?: string | undefined;
  /** At the right end of the title, such as why it is asked. */
  readonly why?: string | undefined;
  /** Rows above the answers; those that do not fit scroll with Page Up and Page Down. */
  readonly body?: (space: DialogSpace) => readonly string[];
  /** Rows about the chosen answer, below the answers; always as many. */
  readonly preview?: (value: T, space: DialogSpace) => readonly string[];
  /** Whether the preview stands beside the answers, where the window has room for both. */
  readonly previewsBeside?: boolean;
  /** Whether what is said of the chosen answer stands beside the list, where the window is wide. */
  readonly tellsBeside?: boolean;
  /** Above the second column. */
  readonly heading?: string | undefined;
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
  /** The answer of the space key. Without it: none. */
  readonly toggle?: (value: T) => T;
  /** Answers of further keys, such as `ctrl+s` or `left`. */
  readonly keyed?: Readonly<Record<string, (value: T) => T>>;
  /** What is typed into the filter at first, and whenever it changes. */
  readonly query?: string;
  readonly onQuery?: (query: string) => void;
  /** What Enter does. Default `takes it`. */
  readonly enters?: string;
  /** Called with every move, for a preview. */
  readonly onMove?: (value: T) => void;
  /** Keys in the last row beside the usual ones. */
  readonly keys?: readonly (readonly [key: string, does: string])[];
  /** What Escape does, in one word or two. Default `leaves`. */
  readonly escapes?: string;
}

const STEPS: Readonly<Record<string, number>> = { up: -1, 'ctrl+p': -1, down: 1, 'ctrl+n': 1, tab: 1 };
const PAGE = 5;
/** Where a preview beside the answers begins, and from which width on. */
const BESIDE_AT = 32;
const LEAST_FOR_BESIDE = 79;

export class SelectDialog<T> implements Dialog {
  private readonly question: SelectQuestion<T>;
  private readonly settle: (value: T | undefined) => void;
  private index: number;
  private query = '';
  private hasHiddenRows = false;
  private scroll = 0;
  /** The answer that is being typed. */
  private input: AnswerInput<T> | undefined;
  /** Of the list without a filter: a picker is as high while it is open. */
  private height = { rows: 0, width: 0, maxRows: 0 };

  constructor(question: SelectQuestion<T>, settle: (value: T | undefined) => void) {
    this.question = question;
    this.settle = settle;
    this.index = question.initial ?? 0;
    this.query = question.query ?? '';
  }

  get takesText(): boolean {
    return this.input !== undefined || (this.question.search ?? false);
  }

  get scrolls(): boolean {
    return this.hasHiddenRows;
  }

  view(space: DialogSpace): DialogView {
    const { styles } = space;
    const { input } = this;
    const options = this.shown();
    const typed = input && this.viewInput(input, space);
    const active = options[this.index];
    const isBeside = this.question.previewsBeside === true && space.width >= LEAST_FOR_BESIDE;
    const besideSpace = isBeside ? { ...space, width: space.width - BESIDE_AT } : space;
    const { rows, scroll, hasHiddenRows } = renderSelect(
      {
        ...this.question,
        options: (input ? options.slice(0, -1) : options).map(clean),
        index: this.index,
        ...(input && { input: { ...input, row: typed?.row ?? '' } }),
        body: fit(this.question.body?.(space) ?? [], space.width - 2),
        preview: (active && this.question.preview ? this.question.preview(active.value, besideSpace) : []).map((row) =>
          shortenRow(row, space.width),
        ),
        ...(isBeside && { previewAt: BESIDE_AT }),
        scroll: this.scroll,
        query: this.query,
      },
      space,
    );
    this.scroll = scroll;
    this.hasHiddenRows = hasHiddenRows;
    if (typed) return { rows, caret: { row: rows.length - 1, column: typed.caret } };
    if (!this.question.search) return { rows };
    const shown = styles.isSpoken ? rows : this.keepHeight(rows, space);
    return { rows: shown, caret: { row: shown.length - 1, column: 2 + rowWidth(this.query) } };
  }

  /** In the row of the answer, under its number. */
  private viewInput({ line, lead, placeholder }: AnswerInput<T>, { styles, width }: DialogSpace) {
    const number = styles.isSpoken ? '' : `❯ ${this.shown().length}  `;
    const before = styles.isSpoken ? '  ' : `${number}${lead}`;
    const { text, caret } = line.view(Math.max(width - rowWidth(before) - 2, 8));
    const words = text === '' ? styles.secondary(placeholder) : text;
    const look = (part: string) => styles.bold(styles.accent(part));
    return { row: cutRow(`${look(before)}${words}`, width), caret: rowWidth(before) + caret };
  }

  /** Rows that a filter took away are empty ones on top, so that the caret stays where it is. */
  private keepHeight(rows: readonly string[], { width, maxRows }: DialogSpace): readonly string[] {
    const { height } = this;
    const isSame = height.width === width && height.maxRows === maxRows;
    this.height = { rows: Math.max(rows.length, isSame ? height.rows : 0), width, maxRows };
    return [...Array.from({ length: this.height.rows - rows.length }, () => ''), ...rows];
  }

  onKey(key: Key): void {
    if (this.input && this.typeInto(this.input, key)) return;
    const options = this.shown();
    const step = STEPS[key.ctrl ? `ctrl+${key.name}` : key.name];
    if (key.name === 'escape') this.settle(this.question.escape);
    else if (key.name === 'tab' && this.question.tab !== undefined) this.settle(this.question.tab);
    else if (key.name === 'enter') this.choose(options[this.index]);
    else if (this.keyedBy(key)) this.change(options[this.index], this.keyedBy(key));
    else if (key.name === 'delete') this.change(options[this.index], this.question.remove);
    else if (key.name === 'space' && this.question.toggle && this.query === '')
      this.change(options[this.index], this.question.toggle);
    else if (step !== undefined) this.move(step, options);
    else if (key.name === 'pageup') this.turnPage(-1, options);
    else if (key.name === 'pagedown') this.turnPage(1, options);
    else if (this.question.search) this.onSearchKey(key);
    else if (!key.ctrl && !key.alt) this.onPlainKey(key.name, options);
  }

  /** Up leaves the input for the other answers; false for keys that are not the input's. */
  private typeInto(input: AnswerInput<T>, key: Key): boolean {
    if (key.name === 'escape' || key.name === 'pageup' || key.name === 'pagedown') return false;
    if (key.name === 'enter') this.settle(input.toValue(input.line.text));
    else if (key.name === 'up') this.input = undefined;
    else input.line.onKey(key);
    return true;
  }

  onText(text: string): void {
    if (this.input) this.input.line.onText(text);
    else if (text === ' ' && this.question.toggle && this.query === '')
      this.change(this.shown()[this.index], this.question.toggle);
    else if (this.question.search) this.narrow(this.query + text);
    else if (text.length === 1) this.onPlainKey(text, this.shown());
  }

  dismiss(): void {
    this.settle(undefined);
  }

  wants(key: Key): boolean {
    return this.keyedBy(key) !== undefined;
  }

  private keyedBy({ name, ctrl }: Key): ((value: T) => T) | undefined {
    return this.question.keyed?.[ctrl ? `ctrl+${name}` : name];
  }

  private turnPage(direction: 1 | -1, options: readonly SelectOption<T>[]): void {
    if (this.hasHiddenRows) this.scroll = Math.max(0, this.scroll + direction * PAGE);
    else if (this.question.search) {
      const next = Math.max(0, Math.min(this.index + direction * PAGE, options.length - 1));
      this.move(next - this.index, options);
    }
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
    if (option?.input) {
      this.index = this.shown().length - 1;
      this.input = option.input;
    } else if (option) this.settle(option.value);
  }

  private change(option: SelectOption<T> | undefined, change: ((value: T) => T) | undefined): void {
    if (option && change) this.settle(change(option.value));
  }

  private move(by: number, options: readonly SelectOption<T>[]): void {
    if (options.length === 0) return;
    this.index = (this.index + by + options.length) % options.length;
    const option = options[this.index];
    if (option) this.question.onMove?.(option.value);
  }

  private narrow(query: string): void {
    this.query = query;
    this.question.onQuery?.(query);
    this.index = 0;
    this.move(0, this.shown());
  }

  private shown(): readonly SelectOption<T>[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const { options, whenSearched } = this.question;
    if (words.length === 0) return options;
    const found = options.filter(({ label, hint = '', about = '', aside = '' }) => {
      const text = `${label} ${hint} ${about} ${aside}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return whenSearched ? [...found, whenSearched(this.query)] : found;
  }
}

/** A row that is wider than the window would break the frame. */
function fit(rows: readonly string[], width: number): readonly string[] {
  return rows.flatMap((row) => (rowWidth(row) <= width ? [row] : wrapRows(row, { width })));
}

function clean<T>({ value: _value, input: _input, label, hint, about, ...option }: SelectOption<T>) {
  return {
    ...option,
    label: sanitize(label),
    ...(hint !== undefined && { hint: sanitize(hint) }),
    ...(about !== undefined && { about: sanitize(about) }),
  };
}

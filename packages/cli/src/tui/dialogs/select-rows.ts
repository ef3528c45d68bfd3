/**
 * Lays out a question with answers: title rule, matter, answers in columns, keys, and the filter in the last row. Where
 * rows are few, the empty ones go first and the matter scrolls; no answer is ever cut. Pure.
 */

import { sanitize } from '../../sanitize.ts';
import { renderKeyRows, renderKeys, renderRule } from '../render/rule.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import { withoutDots } from '../text/without-dots.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import { aboutBeside, aboutRows } from './about-rows.ts';
import type { RowsBeside } from './about-rows.ts';
import type { DialogSpace } from './dialog.ts';
import { sayHeading, sayKeys, sayOption } from './say-select.ts';
import type { TypedAnswer } from './say-select.ts';

export interface SelectPicture {
  readonly title: string;
  readonly facts?: string | undefined;
  readonly why?: string | undefined;
  readonly body: readonly string[];
  readonly preview: readonly string[];
  /** Where the preview begins, beside the answers; without it: below them. */
  readonly previewAt?: number;
  /** Whether what is said of the chosen answer stands beside the list, where the window is wide. */
  readonly tellsBeside?: boolean;
  readonly heading?: string | undefined;
  readonly enters?: string;
  readonly options: readonly PictureOption[];
  readonly index: number;
  readonly search?: boolean;
  /** The answer that is being typed, in the last row; it is none of the options. */
  readonly input?: TypedAnswer & { readonly row: string };
  readonly query: string;
  readonly scroll: number;
  readonly keys?: readonly (readonly [key: string, does: string])[];
  readonly escapes?: string;
}

export interface PictureOption {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly mark?: string | undefined;
  readonly below?: readonly string[] | undefined;
  readonly about?: string | undefined;
  readonly aside?: string | undefined;
  readonly group?: string | undefined;
}

type AnswerList = Pick<SelectPicture, 'options' | 'index' | 'search'>;

export interface SelectRows {
  readonly rows: readonly string[];
  readonly scroll: number;
  readonly hasHiddenRows: boolean;
}

/** A frame that stays small leaves nothing behind when the window shrinks. */
const MOST_OPTIONS = 12;
const ROOM_FOR_GAPS = 16;
/** For answers: the key that leaves is shown if they have more. */
const LEAST_ROOM = 4;
/** Of the matter, with the row that says how to scroll. */
const LEAST_BODY = 4;
const MOST_LABEL_CELLS = 48;
const MOST_LABEL_SHARE = 0.5;
/** A narrower second column goes below the first. */
const LEAST_HINT = 24;

export function renderSelect(picture: SelectPicture, space: DialogSpace): SelectRows {
  const { styles, width, maxRows } = space;
  const told = picture.tellsBeside ? aboutBeside(picture, space) : undefined;
  // The columns of a list are those of its own width.
  const listSpace = told ? { ...space, width: told.at - 2 } : space;
  const blocks = picture.options.map((option, index) => [
    ...groupRow(picture.options, index, styles),
    ...optionRows(option, index, picture, listSpace),
  ]);
  const title = titleRows(picture, space);
  const keys = styles.isSpoken ? [sayKeys(picture)] : renderKeyRows(keysOf(picture), { styles, width });
  const filter = picture.input ? [picture.input.row] : picture.search ? [filterRow(picture, space)] : [];
  const about = told ? [] : aboutRows(picture, space);
  const isLow = maxRows < ROOM_FOR_GAPS;
  const gaps = isLow ? 1 : 3;
  const needed = title.length + filter.length + gaps;
  const wanted = Math.min(sum(blocks), picture.search ? MOST_OPTIONS : Infinity);
  const fewKeys = [shortenRow(`  ${renderKeys(keysOf(picture).slice(-1), styles)}`, width)];
  const hasRoom = maxRows - needed - wanted - keys.length >= 0;
  const keysShown = hasRoom ? keys : maxRows - needed > LEAST_ROOM && !styles.isSpoken ? fewKeys : [];
  const room = Math.max(maxRows - needed - keysShown.length, 3);
  // Answers that fit are all shown: the matter scrolls beside them.
  const leftOver = room - sum(blocks);
  const least = Math.min(picture.body.length, LEAST_BODY);
  const forBody = Math.min(picture.body.length, leftOver >= least ? leftOver : Math.ceil(room / 2));
  const headings = headingRows(picture, listSpace);
  const forList = Math.min(room - forBody - headings.length, picture.search ? MOST_OPTIONS : room);
  const answers = windowOf(blocks, picture, Math.max(3, forList), styles);
  const { previewAt } = picture;
  const right = told ?? (previewAt === undefined ? undefined : { rows: picture.preview, at: previewAt });
  const list = right ? beside(answers, right, width) : answers;
  const left = room - list.length - headings.length;
  const body = bodyRows(picture, left, space);
  const extra = left - body.rows.length;
  const below = previewAt === undefined ? picture.preview : [];
  // The empty row before the keys is the first to go.
  const wants = [...about, ...below, ...(below.length > 0 && !isLow ? [''] : [])];
  const more = wants.slice(0, Math.max(extra, 0));
  const gap = isLow ? [] : [''];
  return {
    rows: [
      ...title,
      ...(picture.body.length === 0 && isLow ? [] : gap),
      ...body.rows,
      ...(body.rows.length > 0 ? [''] : []),
      ...headings,
      ...list,
      ...(more.length > 0 || keysShown.length > 0 ? gap : []),
      ...more,
      ...keysShown,
      ...filter,
    ].slice(-maxRows),
    scroll: body.scroll,
    hasHiddenRows: body.hasHiddenRows,
  };
}

/** The heading of a group, before its first answer. */
function groupRow(options: readonly PictureOption[], index: number, styles: Styles): string[] {
  const group = options[index]?.group;
  return group === undefined || group === options[index - 1]?.group ? [] : [`  ${styles.secondary(group)}`];
}

function titleRows({ title, facts, why, options, search, index }: SelectPicture, space: DialogSpace): string[] {
  const { styles, width } = space;
  const words = sanitize(title).replaceAll(/\s+/g, ' ').trim();
  if (styles.isSpoken) return [`Question: ${withoutDots(words)}`];
  const count = search && options.length > 0 ? `${index + 1} of ${options.length}` : '';
  const left = [styles.bold(words), facts].filter(Boolean).join(' ');
  const right = styles.secondary(why ? sanitize(why) : count);
  const fits = rowWidth(left) + rowWidth(right) + 12 <= width;
  const reason = why && !fits ? wrapRows(right, { width, first: '  ' }) : [];
  if (rowWidth(left) + 6 <= width) return [renderRule({ styles, width, left, right: fits ? right : '' }), ...reason];
  // A title is never cut: it may name what is granted.
  return [renderRule({ styles, width }), ...wrapRows(left, { width, first: '  ' }), ...reason];
}

function keysOf({ search, keys = [], escapes = 'leaves', enters = 'takes it', options, input }: SelectPicture) {
  if (input) return [['enter', input.enters] as const, ['↑', 'back'] as const, ['esc', input.escapes] as const];
  const enter = search ? (['enter', enters] as const) : (['enter', 'or a digit'] as const);
  return [...(options.length > 0 ? [enter] : []), ...keys, ['esc', escapes] as const];
}

function filterRow({ query }: SelectPicture, { styles, width }: DialogSpace): string {
  const text = query === '' ? styles.secondary('type to filter') : query;
  return shortenRow(`${styles.isSpoken ? ' ' : styles.accent('❯')} ${text}`, width);
}

/** How many rows the answers of a question take. */
export function countAnswerRows(options: readonly PictureOption[], space: DialogSpace): number {
  return sum(options.map((option, index) => optionRows(option, index, { options, index: 0 }, space)));
}

function optionRows(option: PictureOption, index: number, picture: AnswerList, space: DialogSpace): string[] {
  const { styles, width } = space;
  const isActive = index === picture.index;
  const number = picture.search ? '' : index > 8 ? '   ' : `${index + 1}  `;
  const mark = option.mark === undefined ? '' : `${option.mark} `;
  const sign = isActive ? styles.bold(styles.accent('❯ ')) : '  ';
  const look = isActive ? (text: string) => styles.bold(styles.accent(text)) : (text: string) => text;
  const lead = `${sign}${look(number)}${mark}`;
  const indent = ' '.repeat(rowWidth(lead));
  // Blanks in a list may be columns.
  const blanks = picture.search ? /[\r\n\t]+/g : /\s+/g;
  const label = option.label.replaceAll(blanks, ' ').trim();
  if (styles.isSpoken) {
    return [sayOption({ ...option, label }, { isChosen: isActive && picture.search === true, number: number.trim() })];
  }
  // What an answer grants is not for skipping: it is not dim.
  const below = (option.below ?? []).flatMap((row) => wrapRows(styles.symbol(row), { width, first: `${indent}  ` }));
  if (option.hint === undefined || option.hint === '') {
    const rows = picture.search
      ? [shortenRow(`${lead}${look(label)}`, width)]
      : wrapRows(look(label), { width, first: lead, rest: indent });
    return [...rows, ...below];
  }
  const column = columnOf(picture.options, rowWidth(lead), width);
  const hint = option.hint.replaceAll(blanks, ' ');
  const first = () => shortenOrWrap(look(label), lead, indent, picture, width);
  if (column === undefined) {
    return [...first(), ...wrapRows(styles.secondary(hint), { width, first: `${indent}  ` }), ...below];
  }
  // In a list a long name gives way to the second column.
  const name = picture.search ? shortenRow(label, column - 2) : label;
  const padded = `${lead}${look(name)}${' '.repeat(Math.max(column - rowWidth(name), 2))}`;
  if (picture.search) return [shortenRow(`${padded}${styles.secondary(hint)}`, width), ...below];
  const left = width - rowWidth(padded);
  // A hint with little room beside a long answer goes below it as a whole.
  if (rowWidth(hint) > left && left < LEAST_HINT)
    return [...first(), ...wrapRows(styles.secondary(hint), { width, first: `${indent}  ` }), ...below];
  return [...wrapRows(styles.secondary(hint), { width, first: padded }), ...below];
}

function shortenOrWrap(label: string, lead: string, indent: string, { search }: AnswerList, width: number): string[] {
  return search ? [shortenRow(`${lead}${label}`, width)] : wrapRows(label, { width, first: lead, rest: indent });
}

/** Where the second column begins, after the answer; undefined where there is no room for one. */
function columnOf(options: readonly PictureOption[], lead: number, width: number): number | undefined {
  const share = Math.min(MOST_LABEL_CELLS, Math.max(Math.floor(width * MOST_LABEL_SHARE), LEAST_HINT));
  const longest = Math.max(...options.map(({ label }) => rowWidth(label)));
  // Names that are longer than their share take what the second column does not need.
  const hint = longest <= share ? 0 : Math.max(LEAST_HINT, ...options.map((option) => rowWidth(option.hint ?? '')));
  const widest = Math.min(longest, Math.max(share, width - lead - hint - 2)) + 2;
  return lead + widest + LEAST_HINT <= width ? widest : undefined;
}

/** The names of the columns, above them. */
function headingRows(picture: SelectPicture, { styles, width }: DialogSpace): string[] {
  const { heading, options, search } = picture;
  const lead = search ? 2 : 5;
  const column = heading === undefined ? undefined : columnOf(options, lead, width);
  if (heading === undefined || column === undefined) return [];
  if (styles.isSpoken) return [sayHeading(heading)];
  return [shortenRow(styles.secondary(`${' '.repeat(lead + column)}${heading}`), width)];
}

/** Answers left, what is said of the chosen one right; as many rows as the longer has. */
function beside(list: readonly string[], { rows, at }: RowsBeside, width: number): string[] {
  return Array.from({ length: Math.max(list.length, rows.length) }, (_, index) => {
    const [left, right] = [shortenRow(list[index] ?? '', at - 2), rows[index] ?? ''];
    return right === '' ? left : shortenRow(`${left}${' '.repeat(Math.max(at - rowWidth(left), 1))}${right}`, width);
  });
}

/** The answers around the chosen one, whole, with the headings of their groups; a count tells of others. */
function windowOf(
  blocks: readonly (readonly string[])[],
  picture: SelectPicture,
  room: number,
  styles: Styles,
): string[] {
  if (blocks.length === 0) return ['  nothing found'];
  // A list has its count in the title.
  const hasCount = !picture.search && sum(blocks) > room;
  const most = hasCount ? room - 1 : room;
  // An answer that is being typed is none of them: the ones before it are shown.
  const chosen = Math.min(picture.index, blocks.length - 1);
  let [first, end] = [chosen, chosen + 1];
  let height = blocks[chosen]?.length ?? 1;
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    const after = blocks[end];
    if (after && height + after.length <= most) {
      height += after.length;
      end++;
      hasGrown = true;
    }
    const before = blocks[first - 1];
    if (before && height + before.length <= most) {
      height += before.length;
      first--;
      hasGrown = true;
    }
  }
  const hidden = blocks.length - (end - first);
  const count = hasCount && hidden > 0 ? [styles.secondary(`  … ${hidden} more · ↑ ↓`)] : [];
  return [...blocks.slice(first, end).flat(), ...count];
}

function bodyRows(
  { body, scroll: asked }: SelectPicture,
  most: number,
  { styles }: DialogSpace,
): { rows: string[]; scroll: number; hasHiddenRows: boolean } {
  if (body.length <= most) return { rows: body.map(indented), scroll: 0, hasHiddenRows: false };
  // Where not even one row and the hint fit, the body is left out: the answers matter more.
  if (most < 2) return { rows: [], scroll: 0, hasHiddenRows: true };
  const height = most - 1;
  const scroll = Math.min(asked, body.length - height);
  const hidden = body.length - height - scroll;
  const hint = styles.secondary(`  … ${scroll} rows above, ${hidden} below · pgup pgdn`);
  return { rows: [...body.slice(scroll, scroll + height).map(indented), hint], scroll, hasHiddenRows: true };
}

export function indented(row: string): string {
  return row === '' ? '' : `  ${row}`;
}

function sum(blocks: readonly (readonly string[])[]): number {
  return blocks.reduce((total, block) => total + block.length, 0);
}

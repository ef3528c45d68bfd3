/**
 * Reduces a row to the style sequences it needs: one before the characters it changes, none for a blank whose colour is
 * invisible, all closed at the end. Rows that look the same become the same text, however they were assembled.
 * `carryStyles` continues a style from row to row. Pure.
 */

import { FILL, RESET } from './row-width.ts';

/** Grouped by attribute, so that two of a kind do not add up; the values are SGR parameters. */
type Look = Readonly<Record<Kind, string>>;
type Kind = keyof typeof OFF;

const OFF = {
  color: '39',
  background: '49',
  weight: '22',
  italic: '23',
  underline: '24',
  inverse: '27',
  hidden: '28',
  strike: '29',
};
const ON: Readonly<Record<number, Kind>> = { 3: 'italic', 4: 'underline', 7: 'inverse', 8: 'hidden', 9: 'strike' };
const KINDS = Object.keys(OFF) as readonly Kind[];
const PLAIN = Object.fromEntries(KINDS.map((kind) => [kind, ''])) as Look;
/** With one of these the colour of a blank is visible. */
const LINES: readonly Kind[] = ['underline', 'inverse', 'strike'];
// oxlint-disable-next-line no-control-regex -- SGR sequences are what is looked for
const PIECES = /\x1b\[([\d;]*)m|\x1b\[K|( +)|[^\x1b ]+/g;

export function compactRow(row: string): string {
  if (!row.includes('\x1b')) return row;
  let compact = '';
  let wanted = PLAIN;
  let current = PLAIN;
  for (const [piece, parameters, blanks] of row.matchAll(PIECES)) {
    if (parameters !== undefined) {
      wanted = applySgr(wanted, parameters);
      continue;
    }
    // The fill shows the background only.
    if (piece === FILL) {
      const filled = { ...PLAIN, background: wanted.background, color: wanted.color };
      compact += change(current, filled) + piece;
      current = filled;
      continue;
    }
    if (blanks === undefined || !isSameOnBlanks(current, wanted)) {
      compact += change(current, wanted);
      current = wanted;
    }
    compact += piece;
  }
  return compact + change(current, PLAIN);
}

/** The rows of one text, each with the style in force where it begins; none leaves a style open. */
export function carryStyles(rows: readonly string[]): readonly string[] {
  if (rows.length < 2 || !rows.some((row) => row.includes('\x1b'))) return rows;
  let look = PLAIN;
  return rows.map((row) => {
    const opening = row === '' ? '' : change(PLAIN, look);
    for (const [, parameters] of row.matchAll(PIECES)) if (parameters !== undefined) look = applySgr(look, parameters);
    return opening + row + (looksSame(look, PLAIN, KINDS) || row === '' ? '' : RESET);
  });
}

function isSameOnBlanks(left: Look, right: Look): boolean {
  return left.background === right.background && LINES.every((kind) => left[kind] === '' && right[kind] === '');
}

function looksSame(left: Look, right: Look, kinds: readonly Kind[]): boolean {
  return left === right || kinds.every((kind) => left[kind] === right[kind]);
}

function change(from: Look, to: Look): string {
  if (looksSame(from, to, KINDS)) return '';
  if (looksSame(to, PLAIN, KINDS)) return RESET;
  // Bold and dim are switched off together, so the remaining one must be set again.
  const parameters = KINDS.filter((kind) => from[kind] !== to[kind]).flatMap((kind) =>
    kind === 'weight' && from[kind] !== '' && to[kind] !== '' ? [OFF[kind], to[kind]] : [to[kind] || OFF[kind]],
  );
  return `\x1b[${parameters.join(';')}m`;
}

function applySgr(look: Look, parameters: string): Look {
  const codes = parameters.split(';');
  let next = { ...look };
  for (let index = 0; index < codes.length; index++) {
    const code = Number(codes[index]);
    if (code === 0) {
      next = { ...PLAIN };
    } else if (code === 38 || code === 48) {
      const length = codes[index + 1] === '2' ? 5 : 3;
      next[code === 38 ? 'color' : 'background'] = codes.slice(index, index + length).join(';');
      index += length - 1;
    } else {
      applyCode(next, code);
    }
  }
  return next;
}

function applyCode(look: Record<Kind, string>, code: number): void {
  const off = KINDS.find((kind) => OFF[kind] === String(code));
  const on = ON[code];
  if (off) look[off] = '';
  else if (on) look[on] = String(code);
  else if (code === 1 || code === 2) look.weight = look.weight && look.weight !== `${code}` ? '1;2' : `${code}`;
  else if (isColor(code, 30)) look.color = String(code);
  else if (isColor(code, 40)) look.background = String(code);
}

function isColor(code: number, first: number): boolean {
  return (code >= first && code < first + 8) || (code >= first + 60 && code < first + 68);
}

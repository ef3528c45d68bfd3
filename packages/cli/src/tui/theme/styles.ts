/**
 * Turns a theme into functions from text to styled text. A style reopens where a nested one closed, so styles can be
 * nested; without colours each returns the text unchanged.
 */

import { isGreyOf16, toSgr } from './color-depth.ts';
import type { ColorDepth } from './color-depth.ts';
import type { Theme } from './theme-colors.ts';
import { FILL } from '../text/row-width.ts';
import { surfacesOf } from './surfaces.ts';

export type Style = (text: string) => string;

export interface Styles {
  /** Whether the marks of markdown stay: they carry what no style can. To a voice they are noise. */
  readonly keepsMarks: boolean;
  /** A screen reader reads it: words instead of signs. */
  readonly isSpoken: boolean;
  readonly primary: Style;
  readonly secondary: Style;
  readonly link: Style;
  readonly accent: Style;
  readonly response: Style;
  readonly border: Style;
  readonly focused: Style;
  readonly success: Style;
  readonly warning: Style;
  readonly error: Style;
  readonly comment: Style;
  readonly symbol: Style;
  /** A row of the user's message, of code and of a changed line: filled to the right edge. */
  readonly message: Style;
  readonly code: Style;
  readonly added: Style;
  readonly removed: Style;
  /** The words of a changed line that differ. */
  readonly addedWord: Style;
  readonly removedWord: Style;
  /** Whether code has a background of its own. */
  readonly hasSurfaces: boolean;
  /** Whether syntax colours are readable on changed lines. */
  readonly hasSyntaxOnChanges: boolean;
  readonly bold: Style;
  readonly dim: Style;
  readonly italic: Style;
  readonly underline: Style;
  readonly strike: Style;
  readonly inverse: Style;
  /** From the first colour of the gradient to the last. */
  readonly gradient: Style;
}

const PLAIN: Style = (text) => text;

export interface StyleOptions {
  /** False: changed lines have coloured text instead, and nothing else a background. */
  readonly hasBackgrounds?: boolean;
  readonly isSpoken?: boolean;
  /** Whether bold, italic and underlined text is possible; without colours only where it is asked for. */
  readonly hasWeight?: boolean;
  /** As the terminal told it, `#rrggbb`. */
  readonly terminalBackground?: string | undefined;
}

export function createStyles(
  theme: Theme,
  depth: ColorDepth,
  { hasBackgrounds = true, isSpoken = false, hasWeight = depth !== 'none', terminalBackground }: StyleOptions = {},
): Styles {
  const line = (color: string) => wrap(toSgr(color, depth, 'text'), '39');
  const text = (color: string) => (isGreyOf16(color, depth) ? PLAIN : line(color));
  const mode = (open: string, close: string) => (hasWeight ? wrap(open, close) : PLAIN);
  const [bold, underline] = [mode('1', '22'), mode('4', '24')];
  const surfaces = surfacesOf(theme, depth, terminalBackground);
  const background = (color: string) =>
    color === '' || !hasBackgrounds ? undefined : toSgr(color, depth, 'background');
  const on = toSgr(surfaces.on, depth, 'text');
  const band = (color: string, mark: string) => {
    const open = background(color);
    return open === undefined ? text(mark) : fill(open, on);
  };
  const word = (color: string, row: string) => {
    const open = background(color);
    const marked = color === row || open === undefined ? underline : wrap(open, '49');
    return (inner: string) => bold(marked(inner));
  };
  const hasSurfaces = background(surfaces.code) !== undefined;
  return {
    keepsMarks: !isSpoken && (depth === 'none' || depth === 'ansi16'),
    isSpoken,
    hasSurfaces,
    hasSyntaxOnChanges: surfaces.hasSyntaxOnChanges && background(surfaces.added) !== undefined,
    message: band(surfaces.message, ''),
    code: band(surfaces.code, ''),
    primary: text(theme.text.primary),
    secondary: text(theme.text.secondary),
    link: text(theme.text.link),
    accent: text(theme.text.accent),
    response: text(theme.text.response),
    border: line(theme.border.default),
    focused: text(theme.border.focused),
    success: text(theme.status.success),
    warning: text(theme.status.warning),
    error: text(theme.status.error),
    comment: text(theme.ui.comment),
    symbol: text(theme.ui.symbol),
    added: band(surfaces.added, theme.status.success),
    removed: band(surfaces.removed, theme.status.error),
    addedWord: word(surfaces.addedWord, surfaces.added),
    removedWord: word(surfaces.removedWord, surfaces.removed),
    bold,
    dim: mode('2', '22'),
    italic: mode('3', '23'),
    underline,
    strike: mode('9', '29'),
    inverse: mode('7', '27'),
    gradient: gradientOf(theme.ui.gradient, depth),
  };
}

function wrap(open: string | undefined, close: string): Style {
  if (open === undefined) return PLAIN;
  const begin = `\x1b[${open}m`;
  const end = `\x1b[${close}m`;
  return (text) => (text === '' ? '' : begin + (text.includes(end) ? text.replaceAll(end, end + begin) : text) + end);
}

/** The background fills the row before the text is written, and every background inside ends in it again. */
function fill(background: string, on: string | undefined): Style {
  const begin = `\x1b[${background}m`;
  const text = wrap(on, '39');
  return (row) => `${begin}${FILL}${text(row.replaceAll('\x1b[49m', `\x1b[49m${begin}`))}\x1b[49m`;
}

function gradientOf(colors: readonly string[], depth: ColorDepth): Style {
  const styles = colors.map((color) => wrap(toSgr(color, depth, 'text'), '39'));
  if (styles.length === 0) return PLAIN;
  return (text) => {
    const share = Math.ceil(text.length / styles.length);
    return styles.map((style, index) => style(text.slice(index * share, (index + 1) * share))).join('');
  };
}

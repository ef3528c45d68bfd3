/**
 * Turns a theme into functions from text to styled text. A style reopens where a nested one closed, so styles can be
 * nested; without colours each returns the text unchanged.
 */

import { toSgr } from './color-depth.ts';
import type { ColorDepth } from './color-depth.ts';
import type { Theme } from './theme.ts';

export type Style = (text: string) => string;

export interface Styles {
  /** Whether the marks of markdown stay: they carry what no style can. To a voice they are noise. */
  readonly keepsMarks: boolean;
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
  readonly added: Style;
  readonly removed: Style;
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

/** Without `hasBackgrounds` the text is coloured instead. */
export function createStyles(
  theme: Theme,
  depth: ColorDepth,
  { hasBackgrounds = true, isSpoken = false } = {},
): Styles {
  const text = (color: string) => wrap(toSgr(color, depth, 'text'), '39');
  const background = (color: string, mark: string) =>
    color === '' || !hasBackgrounds ? text(mark) : wrap(toSgr(color, depth, 'background'), '49');
  const mode = (open: string, close: string) => (depth === 'none' ? PLAIN : wrap(open, close));
  return {
    keepsMarks: depth === 'none' && !isSpoken,
    primary: text(theme.text.primary),
    secondary: text(theme.text.secondary),
    link: text(theme.text.link),
    accent: text(theme.text.accent),
    response: text(theme.text.response),
    border: text(theme.border.default),
    focused: text(theme.border.focused),
    success: text(theme.status.success),
    warning: text(theme.status.warning),
    error: text(theme.status.error),
    comment: text(theme.ui.comment),
    symbol: text(theme.ui.symbol),
    added: background(theme.background.diff.added, theme.status.success),
    removed: background(theme.background.diff.removed, theme.status.error),
    bold: mode('1', '22'),
    dim: mode('2', '22'),
    italic: mode('3', '23'),
    underline: mode('4', '24'),
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

function gradientOf(colors: readonly string[], depth: ColorDepth): Style {
  const styles = colors.map((color) => wrap(toSgr(color, depth, 'text'), '39'));
  if (styles.length === 0) return PLAIN;
  return (text) => {
    const share = Math.ceil(text.length / styles.length);
    return styles.map((style, index) => style(text.slice(index * share, (index + 1) * share))).join('');
  };
}

/**
 * The surfaces of a theme: backgrounds under messages, code and changed lines, each with the colour of the text on it.
 * They are mixed from the background the terminal has told, else from the theme's; one that makes text unreadable is
 * left out. Pure.
 */

import type { ColorDepth } from './color-depth.ts';
import { READABLE, contrastOf, isLight, mix } from './contrast.ts';
import type { Theme } from './theme-colors.ts';

export interface Surfaces {
  /** Text on any surface. */
  readonly on: string;
  /** Colours, or empty: no surface. The same for all below. */
  readonly message: string;
  readonly code: string;
  readonly added: string;
  readonly removed: string;
  readonly addedWord: string;
  readonly removedWord: string;
  /** Whether syntax colours are readable on changed lines. */
  readonly hasSyntaxOnChanges: boolean;
}

const ON = { dark: '#e6e8eb', light: '#1f2328' };
const NONE: Surfaces = {
  on: '',
  ...{ message: '', code: '', added: '', removed: '', addedWord: '', removedWord: '' },
  hasSyntaxOnChanges: true,
};
/** Of the 256, chosen for contrast; see FIXED_COLORS. */
const OF_256 = {
  dark: { message: '236', code: '235', added: '22', removed: '52', addedWord: '22', removedWord: '52' },
  light: { message: '254', code: '255', added: '194', removed: '224', addedWord: '157', removedWord: '217' },
};
const SHARES = { dark: { message: 0.08, code: 0.04 }, light: { message: 0.07, code: 0.03 } };
const WORD_SHARE = 0.12;
const MOST_HALVINGS = 3;

export function surfacesOf(theme: Theme, depth: ColorDepth, terminalBackground?: string): Surfaces {
  if (depth === 'none' || depth === 'ansi16' || theme.type === 'ansi') return NONE;
  const { primary } = theme.background;
  const kind = lightnessOf(theme, terminalBackground);
  const on = isReadable(theme.text.primary, primary) ? theme.text.primary : ON[kind];
  if (depth === 'ansi256') return { on: ON[kind], ...OF_256[kind], hasSyntaxOnChanges: kind === 'light' };
  const { message, code, diff } = theme.background;
  const base = baseOf(kind, terminalBackground, primary);
  const texts = [on, ...textsOf(theme)];
  const choose = (own: string | undefined, share: number) =>
    base === undefined || (own && theme.type === 'custom') ? (own ?? '') : surface(base, share, kind, texts);
  return {
    on,
    message: choose(message, SHARES[kind].message),
    code: choose(code, SHARES[kind].code),
    added: diff.added,
    removed: diff.removed,
    addedWord: diff.addedWord ?? mix(diff.added, theme.status.success, WORD_SHARE),
    removedWord: diff.removedWord ?? mix(diff.removed, theme.status.error, WORD_SHARE),
    hasSyntaxOnChanges: true,
  };
}

/** The colours of a theme that words are written in. */
export function textsOf({ text, status, ui }: Theme): string[] {
  return [text.secondary, text.link, text.accent, ui.symbol, status.success, status.warning, status.error];
}

function lightnessOf({ type, background }: Theme, terminalBackground: string | undefined): 'dark' | 'light' {
  if (type === 'dark' || type === 'light') return type;
  const known = background.primary || terminalBackground;
  return known !== undefined && isLight(known) ? 'light' : 'dark';
}

/** A terminal that is light under a dark theme is not what the theme was made for. */
function baseOf(kind: 'dark' | 'light', told: string | undefined, primary: string): string | undefined {
  if (told !== undefined && isLight(told) === (kind === 'light')) return told;
  return primary || undefined;
}

function surface(base: string, share: number, kind: 'dark' | 'light', texts: readonly string[]): string {
  const towards = kind === 'dark' ? '#ffffff' : '#000000';
  for (let halvings = 0; halvings <= MOST_HALVINGS; halvings++) {
    const mixed = mix(base, towards, share / 2 ** halvings);
    if (texts.every((text) => isReadable(text, mixed) !== false)) return mixed;
  }
  return '';
}

/** Undefined where the terminal alone knows the colours. */
function isReadable(text: string, background: string): boolean | undefined {
  const contrast = contrastOf(text, background);
  return contrast === undefined ? undefined : contrast >= READABLE;
}

/** The choice of a theme by its name, and the validation of a custom theme. */

import { parseHex, toSgr } from './color-depth.ts';
import type { Theme } from './theme-colors.ts';
import { THEMES } from './themes-data.ts';
import { isRecord } from '@castor/core/program';

export const DEFAULT_THEME = 'Default';
export const DEFAULT_LIGHT_THEME = 'Default Light';

export function themeNames(customThemes: Readonly<Record<string, unknown>> = {}): string[] {
  return [...THEMES.map(({ name }) => name), ...Object.keys(customThemes)];
}

/** `dark`, `light` or `custom`. */
export function typeOfTheme(name: string): Theme['type'] {
  return findBuiltin(name)?.type ?? 'custom';
}

export interface ThemeChoice {
  /** `ui.theme`. */
  readonly name?: string | undefined;
  /** `ui.customThemes`. */
  readonly customThemes?: Readonly<Record<string, unknown>> | undefined;
  /** The detected background of the terminal. */
  readonly background?: 'dark' | 'light' | undefined;
}

/** The theme, and a sentence when the requested one is unavailable. */
export function chooseTheme({ name, customThemes = {}, background = 'dark' }: ThemeChoice): {
  theme: Theme;
  problem?: string;
} {
  const fallback = findBuiltin(background === 'light' ? DEFAULT_LIGHT_THEME : DEFAULT_THEME)!;
  if (!name) return { theme: fallback };
  const custom = Object.entries(customThemes).find(([key]) => key.toLowerCase() === name.toLowerCase());
  if (custom) return toTheme(custom[0], custom[1], fallback);
  const builtin = findBuiltin(name);
  if (builtin) return { theme: builtin };
  return {
    theme: fallback,
    problem: `Unknown theme ${JSON.stringify(name)}. Known themes: ${themeNames(customThemes).join(', ')}.`,
  };
}

function findBuiltin(name: string): Theme | undefined {
  return THEMES.find((theme) => theme.name.toLowerCase() === name.toLowerCase());
}

type Fields = Record<string, unknown>;

/** A missing or invalid colour is taken from `fallback`; each invalid one is reported. */
export function toTheme(name: string, value: unknown, fallback: Theme): { theme: Theme; problem?: string } {
  if (!isRecord(value))
    return { theme: fallback, problem: `The theme ${JSON.stringify(name)} must be an object of colours.` };
  const bad: string[] = [];
  const pick = (path: string, own: unknown, otherwise: string): string => {
    if (own === undefined) return otherwise;
    if (typeof own === 'string' && (own === '' || parseHex(own) || toSgr(own, 'ansi16', 'text'))) return own;
    bad.push(path);
    return otherwise;
  };
  const optional = (path: string, own: unknown) => pick(path, own, '') || undefined;
  const group = (key: string): Fields => {
    const fields = value[key];
    return isRecord(fields) ? fields : {};
  };
  const [text, background, border, status, ui] = ['text', 'background', 'border', 'status', 'ui'].map(group) as [
    Fields,
    Fields,
    Fields,
    Fields,
    Fields,
  ];
  const diff = isRecord(background['diff']) ? background['diff'] : {};
  const gradient = Array.isArray(ui['gradient'])
    ? ui['gradient'].filter((color) => typeof color === 'string')
    : fallback.ui.gradient;
  const theme: Theme = {
    name,
    type: 'custom',
    text: {
      primary: pick('text.primary', text['primary'], fallback.text.primary),
      secondary: pick('text.secondary', text['secondary'], fallback.text.secondary),
      link: pick('text.link', text['link'], fallback.text.link),
      accent: pick('text.accent', text['accent'], fallback.text.accent),
      response: pick('text.response', text['response'] ?? text['primary'], fallback.text.response),
    },
    background: {
      primary: pick('background.primary', background['primary'], fallback.background.primary),
      message: optional('background.message', background['message']),
      code: optional('background.code', background['code']),
      diff: {
        addedWord: optional('background.diff.addedWord', diff['addedWord']),
        removedWord: optional('background.diff.removedWord', diff['removedWord']),
        added: pick('background.diff.added', diff['added'], fallback.background.diff.added),
        removed: pick('background.diff.removed', diff['removed'], fallback.background.diff.removed),
      },
    },
    border: {
      default: pick('border.default', border['default'], fallback.border.default),
      focused: pick('border.focused', border['focused'], fallback.border.focused),
    },
    status: {
      success: pick('status.success', status['success'], fallback.status.success),
      warning: pick('status.warning', status['warning'], fallback.status.warning),
      error: pick('status.error', status['error'], fallback.status.error),
    },
    ui: {
      comment: pick('ui.comment', ui['comment'], fallback.ui.comment),
      symbol: pick('ui.symbol', ui['symbol'], fallback.ui.symbol),
      gradient,
    },
  };
  if (bad.length === 0) return { theme };
  return {
    theme,
    problem: `The theme ${JSON.stringify(name)} has invalid colours in ${bad.join(', ')}; use "#rrggbb" or a name such as "red".`,
  };
}

/**
 * Determines how many colours the terminal has, from the environment, and encodes a colour as SGR for that many. Pure.
 */

import { FIXED_COLORS } from './fixed-colors.ts';

export type ColorDepth = 'none' | 'ansi16' | 'ansi256' | 'truecolor';

export type Rgb = readonly [red: number, green: number, blue: number];

type Environment = Readonly<Record<string, string | undefined>>;

export function colorDepthOf(environment: Environment): ColorDepth {
  const { NO_COLOR, FORCE_COLOR, COLORTERM = '', TERM = '', TERM_PROGRAM = '' } = environment;
  if (NO_COLOR) return 'none';
  if (FORCE_COLOR === '0' || FORCE_COLOR === 'false') return 'none';
  if (FORCE_COLOR === '3') return 'truecolor';
  if (TERM === 'dumb') return 'none';
  if (/truecolor|24bit/i.test(COLORTERM) || /direct/.test(TERM)) return 'truecolor';
  if (/iTerm|vscode|WezTerm|ghostty|kitty/i.test(TERM_PROGRAM) || /kitty|ghostty/.test(TERM)) return 'truecolor';
  return /256/.test(TERM) ? 'ansi256' : 'ansi16';
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** The sixteen colours as terminals approximately show them. */
const SIXTEEN: readonly Rgb[] = [
  [0, 0, 0],
  [205, 49, 49],
  [13, 188, 121],
  [229, 229, 16],
  [36, 114, 200],
  [188, 63, 188],
  [17, 168, 205],
  [229, 229, 229],
  [102, 102, 102],
  [241, 76, 76],
  [35, 209, 139],
  [245, 245, 67],
  [59, 142, 234],
  [214, 112, 214],
  [41, 184, 219],
  [255, 255, 255],
];

/**
 * The parameters of the SGR sequence for `#rrggbb`, `#rgb`, `red` or `brightRed`; undefined for the terminal's own
 * colour (an empty text) and for an invalid colour.
 */
export function toSgr(color: string, depth: ColorDepth, layer: 'text' | 'background'): string | undefined {
  if (depth === 'none' || color === '') return undefined;
  const base = layer === 'text' ? 0 : 10;
  if (depth === 'ansi256' && /^\d{1,3}$/.test(color)) return `${base + 38};5;${color}`;
  const named = namedIndex(color);
  if (named !== undefined) return ofSixteen(named, base);
  const rgb = parseHex(color);
  if (!rgb) return undefined;
  if (depth === 'truecolor') return `${base + 38};2;${rgb.join(';')}`;
  const fixed = FIXED_COLORS.get(color.toLowerCase());
  if (fixed) return depth === 'ansi256' ? `${base + 38};5;${fixed[0]}` : ofSixteen(fixed[1], base);
  if (depth === 'ansi256') return `${base + 38};5;${to256(rgb)}`;
  return ofSixteen(nearest(rgb), base);
}

/** Black, white and their bright forms. */
const GREYS: ReadonlySet<number> = new Set([0, 7, 8, 15]);

/**
 * Whether a grey of a theme would become one of the sixteen: bright black is invisible in several palettes, white on
 * white paper. Such words keep the terminal's own colour; a colour by its name is what the theme asks for.
 */
export function isGreyOf16(color: string, depth: ColorDepth): boolean {
  const rgb = depth === 'ansi16' && !FIXED_COLORS.has(color.toLowerCase()) ? parseHex(color) : undefined;
  return rgb !== undefined && GREYS.has(nearest(rgb));
}

function ofSixteen(index: number | undefined, base: number): string | undefined {
  return index === undefined ? undefined : String(base + (index < 8 ? 30 + index : 82 + index));
}

function namedIndex(color: string): number | undefined {
  const match = /^(bright)?(\w+)$/i.exec(color.trim());
  if (!match) return undefined;
  const name = match[2]?.toLowerCase() ?? '';
  if (name === 'gray' || name === 'grey') return 8;
  const index = NAMES.indexOf(name);
  return index < 0 ? undefined : index + (match[1] ? 8 : 0);
}

export function parseHex(color: string): Rgb | undefined {
  const match = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color.trim());
  if (!match) return undefined;
  const digits =
    match[1]?.length === 3 ? [...(match[1] ?? '')].map((digit) => digit + digit).join('') : (match[1] ?? '');
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function to256([red, green, blue]: Rgb): number {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) < 10) {
    if (red < 8) return 16;
    return red > 248 ? 231 : 232 + Math.round(((red - 8) / 247) * 24);
  }
  const level = (value: number) => Math.round((value / 255) * 5);
  return 16 + 36 * level(red) + 6 * level(green) + level(blue);
}

function nearest([red, green, blue]: Rgb): number {
  const distances = SIXTEEN.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  return distances.indexOf(Math.min(...distances));
}

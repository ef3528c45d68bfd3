/** Detects whether the terminal is dark or light, from its answer or from the environment. Pure. */

import { toHex } from './contrast.ts';

/** The query; the answer arrives through the input as an OSC 11 report. */
export const ASK_BACKGROUND = '\x1b]11;?\x1b\\';

export type Background = 'dark' | 'light';

/** The background a terminal told. */
export interface ToldBackground {
  readonly background: Background;
  /** `#rrggbb`. */
  readonly color: string;
}

/** `rgb:1c1c/1c1c/1c1c`, with one to four digits each, or `#rrggbb`. */
export function backgroundOfReport(report: string): ToldBackground | undefined {
  const match =
    /rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(report) ??
    /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b/i.exec(report);
  if (!match) return undefined;
  const [red = 0, green = 0, blue = 0] = match
    .slice(1, 4)
    .map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  const background = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark';
  return { background, color: toHex([red, green, blue].map((share) => share * 255)) };
}

/** `COLORFGBG=15;0`: the last number is the background, 7 and 9 to 15 are light. */
export function backgroundOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Background | undefined {
  const last = environment['COLORFGBG']?.split(';').at(-1);
  if (last === undefined || !/^\d+$/.test(last)) return undefined;
  const index = Number(last);
  return index === 7 || (index >= 9 && index <= 15) ? 'light' : 'dark';
}

/** Measures and mixes colours: the contrast of two, as WCAG defines it, and a share of one in another. Pure. */

import { parseHex } from './color-depth.ts';
import type { Rgb } from './color-depth.ts';

/** Text is readable from here on. */
export const READABLE = 4.5;

/** From 1 to 21; undefined for a colour that only the terminal knows. */
export function contrastOf(one: string, other: string): number | undefined {
  const [first, second] = [parseHex(one), parseHex(other)];
  if (!first || !second) return undefined;
  const [light = 0, dark = 0] = [luminanceOf(first), luminanceOf(second)].toSorted((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

/** `color` moved towards `target` by a share from 0 to 1. */
export function mix(color: string, target: string, share: number): string {
  const [from, to] = [parseHex(color), parseHex(target)];
  return from && to ? toHex(from.map((value, index) => value + ((to[index] ?? 0) - value) * share)) : color;
}

export function isLight(color: string): boolean {
  const rgb = parseHex(color);
  return rgb !== undefined && luminanceOf(rgb) > 0.18;
}

export function toHex(values: readonly number[]): string {
  return `#${values.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

function luminanceOf(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * The colours of the default themes where there are fewer than 24 bits: chosen by eye and by contrast, since the nearest
 * of the 256 or the 16 is often unreadable. Data only.
 */

/** The index among the 256, and among the 16; undefined: the terminal's own colour. */
export const FIXED_COLORS: ReadonlyMap<string, readonly [of256: number, of16: number | undefined]> = new Map([
  ['#e6e8eb', [254, undefined]],
  ['#1f2328', [235, undefined]],
  ['#a3a9b3', [248, undefined]],
  ['#555d67', [240, undefined]],
  ['#8cc0ff', [111, 12]],
  ['#1a56b0', [25, 4]],
  ['#cbb2ff', [183, 13]],
  ['#6a2bd0', [56, 5]],
  ['#86dbe5', [116, 14]],
  ['#0a6173', [23, 6]],
  ['#8fd694', [114, 10]],
  ['#15662d', [22, 2]],
  ['#f2cc7c', [222, 11]],
  ['#755200', [58, 1]],
  ['#ffa3a3', [217, 9]],
  ['#b01e28', [124, 1]],
  ['#6b727d', [242, 8]],
  ['#8c959f', [246, 7]],
]);

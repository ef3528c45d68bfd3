/**
 * The tables of what terminals send for named keys: final letters and numbers of
 * control sequences (xterm, rxvt, the Linux console) and the code points of the
 * kitty protocol. Data only.
 */

/** `CSI … letter` and `SS3 letter`. */
export const KEYS_BY_LETTER = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['E', 'clear'],
  ['F', 'end'],
  ['H', 'home'],
  ['P', 'f1'],
  ['Q', 'f2'],
  ['R', 'f3'],
  ['S', 'f4'],
]);

/** `SS3 letter` only: the numeric keypad in application mode. */
export const KEYPAD_BY_LETTER = new Map([
  ['M', 'enter'],
  ['X', '='],
  ['j', '*'],
  ['k', '+'],
  ['l', ','],
  ['m', '-'],
  ['n', '.'],
  ['o', '/'],
  ...Array.from({ length: 10 }, (_, digit): [string, string] => [String.fromCharCode(0x70 + digit), String(digit)]),
]);

/** `CSI number ~`. */
export const KEYS_BY_NUMBER = new Map([
  [1, 'home'],
  [2, 'insert'],
  [3, 'delete'],
  [4, 'end'],
  [5, 'pageup'],
  [6, 'pagedown'],
  [7, 'home'],
  [8, 'end'],
  ...numbered('f', 1, [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34]),
]);

/** `CSI [ letter`, the Linux console. */
export const CONSOLE_KEYS = new Map([
  ['A', 'f1'],
  ['B', 'f2'],
  ['C', 'f3'],
  ['D', 'f4'],
  ['E', 'f5'],
]);

/** rxvt: lower-case arrows are shifted after CSI and with control after SS3. */
export const RXVT_ARROWS = new Map([
  ['a', 'up'],
  ['b', 'down'],
  ['c', 'right'],
  ['d', 'left'],
]);

/** Code points that are keys and not characters; the private area is kitty's. */
export const KEYS_BY_CODE_POINT = new Map([
  [8, 'backspace'],
  [9, 'tab'],
  [13, 'enter'],
  [27, 'escape'],
  [32, 'space'],
  [127, 'backspace'],
  [57358, 'capslock'],
  [57359, 'scrolllock'],
  [57360, 'numlock'],
  [57361, 'printscreen'],
  [57362, 'pausebreak'],
  [57363, 'menu'],
  ...numbered('f', 13, range(57376, 57398)),
  [57409, '.'],
  [57410, '/'],
  [57411, '*'],
  [57412, '-'],
  [57413, '+'],
  [57414, 'enter'],
  [57415, '='],
  [57416, ','],
  [57417, 'left'],
  [57418, 'right'],
  [57419, 'up'],
  [57420, 'down'],
  [57421, 'pageup'],
  [57422, 'pagedown'],
  [57423, 'home'],
  [57424, 'end'],
  [57425, 'insert'],
  [57426, 'delete'],
  [57427, 'clear'],
  ...numbered('', 0, range(57399, 57408)),
]);

function numbered(prefix: string, first: number, codes: readonly number[]): [number, string][] {
  return codes.map((code, index) => [code, `${prefix}${first + index}`]);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

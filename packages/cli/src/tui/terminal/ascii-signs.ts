/**
 * Our signs in ASCII, for a terminal that has no others. Each sign keeps its one cell, so no row changes its width and
 * nothing above the writing of bytes has to know. Pure.
 */

const SIGNS: Readonly<Record<string, string>> = {
  '❯': '>',
  '✓': '+',
  '✗': 'x',
  '▸': '*',
  '•': '*',
  '·': '.',
  '└': "'",
  '☐': 'o',
  '…': '~',
  '⋮': ':',
  '─': '-',
  '█': '#',
  '▮': '_',
  '−': '-',
  '–': '-',
  '—': '-',
  '×': 'x',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
};
const ANY_SIGN = new RegExp(`[${Object.keys(SIGNS).join('')}\u2800-\u28FF]`, 'gu');
const FIRST_DOTS = 0x2800;
const SPINNER = '|/-\\';

export function toAsciiSigns(bytes: string): string {
  return bytes.replaceAll(ANY_SIGN, (sign) => SIGNS[sign] ?? SPINNER[(sign.codePointAt(0)! - FIRST_DOTS) % 4]!);
}

/** The built-in themes, as one row of colours each. Data only. */

import { OWN_SURFACES } from './own-surfaces.ts';
import type { Theme } from './theme-colors.ts';

/**
 * The colours of a theme in one text: background, text, grey, blue, purple, green, yellow, red, cyan, comment, added,
 * removed; `-` is the terminal's own.
 */
const PALETTES: readonly (readonly [name: string, type: 'dark' | 'light' | 'ansi', palette: string])[] = [
  ['ANSI', 'ansi', '- - gray brightBlue brightMagenta green yellow red cyan gray - -'],
  [
    'Atom One',
    'dark',
    '#282c34 #abb2bf #a2a6ad #61afef #cf8ee2 #98c379 #e5c07b #e78b92 #56b6c2 #a2a6ad #29402f #45282d',
  ],
  ['Ayu', 'dark', '#0b0e14 #bfbdb6 #93979d #39bae6 #d2a6ff #aad94c #ffb454 #f26d78 #95e6cb #91979d #1f3318 #3d1d22'],
  ['Default', 'dark', '- - #a3a9b3 #8cc0ff #cbb2ff #8fd694 #f2cc7c #ffa3a3 #86dbe5 #a3a9b3 #1b3324 #3f2328'],
  [
    'Dracula',
    'dark',
    '#282a36 #f8f8f2 #9ea8c7 #8be9fd #ff79c6 #50fa7b #f1fa8c #ff8383 #8be9fd #9ea8c7 #1e4430 #4d1f2b',
  ],
  ['GitHub', 'dark', '#0d1117 #c9d1d9 #9098a2 #79c0ff #d2a8ff #7ee787 #ffa657 #ff7b72 #a5d6ff #9098a2 #12361f #4b1d1f'],
  [
    'Holiday',
    'dark',
    '#00210e #f0f8ff #8fbc8f #5bbf88 #ff9999 #32cd32 #ffee8c #ee91aa #66cdaa #8fbc8f #0e4a22 #52111f',
  ],
  [
    'Shades Of Purple',
    'dark',
    '#2d2b55 #e3dfff #b3a9ed #9effff #fb94ff #a5ff90 #fad000 #ff90ad #80ffbb #cf9cff #2b4a3f #5a2450',
  ],
  [
    'Solarized Dark',
    'dark',
    '#002b36 #8e9e9f #8f9ea3 #51a2db #9497d4 #92a41c #b58900 #e97c7a #41aba3 #8f9ea3 #0d3a2a #3b2226',
  ],
  [
    'Tokyo Night',
    'dark',
    '#1a1b26 #c0caf5 #8f95b1 #7aa2f7 #bb9af7 #9ece6a #e0af68 #f7768e #7dcfff #8f95b1 #20303b #37222c',
  ],
  ['ANSI Light', 'ansi', '- - gray blue magenta green red red cyan gray - -'],
  [
    'Ayu Light',
    'light',
    '#fcfcfc #5c6166 #61656b #266898 #755893 #4e6f00 #a26700 #ae3f3f #217058 #61656b #dff0cf #fbdcdc',
  ],
  ['Default Light', 'light', '- - #555d67 #1a56b0 #6a2bd0 #15662d #755200 #b01e28 #0a6173 #555d67 #dcf5e3 #ffe4e4'],
  [
    'GitHub Light',
    'light',
    '#ffffff #24292f #656d77 #0550ae #7f4edb #116329 #953800 #cf222e #0a3069 #656d77 #dafbe1 #ffebe9',
  ],
  [
    'Google Code',
    'light',
    '#ffffff #202124 #5f6368 #000088 #660066 #006600 #8a5a00 #880000 #006666 #5f6368 #d9f2dc #fadcdc',
  ],
  [
    'Solarized Light',
    'light',
    '#fdf6e3 #53676e #5d6565 #1d689e #5a5ea3 #5c6a00 #8d6a00 #bd2b28 #1d6f69 #5d6565 #e6edc9 #f9ddd0',
  ],
  ['Xcode', 'light', '#ffffff #1c1c1e #646468 #0e0eff #aa0d91 #007400 #836c28 #c41a16 #3e6d73 #586773 #d8f3dc #fbdedd'],
];

export const THEMES: readonly Theme[] = PALETTES.map(([name, type, palette]) => {
  const colors = palette.split(' ').map((color) => (color === '-' ? '' : color));
  const [background = '', text = '', grey = '', blue = '', purple = '', green = '', yellow = ''] = colors;
  const [red = '', cyan = '', comment = '', added = '', removed = ''] = colors.slice(7);
  const own = OWN_SURFACES[name];
  return {
    name,
    type,
    text: { primary: text, secondary: grey, link: blue, accent: purple, response: text },
    background: {
      primary: background,
      message: own?.message,
      code: own?.code,
      diff: { added, removed, addedWord: own?.addedWord, removedWord: own?.removedWord },
    },
    border: { default: own?.line ?? grey, focused: blue },
    status: { success: green, warning: yellow, error: red },
    ui: { comment, symbol: cyan, gradient: [blue, purple, red] },
  };
});

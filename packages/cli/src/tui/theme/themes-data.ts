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
    '#282c34 #abb2bf #5c6370 #61afef #c678dd #98c379 #e5c07b #e06c75 #56b6c2 #5c6370 #29402f #45282d',
  ],
  ['Ayu', 'dark', '#0b0e14 #bfbdb6 #646a73 #39bae6 #d2a6ff #aad94c #ffb454 #f26d78 #95e6cb #626a73 #1f3318 #3d1d22'],
  ['Default', 'dark', '- - #a3a9b3 #8cc0ff #cbb2ff #8fd694 #f2cc7c #ffa3a3 #86dbe5 #a3a9b3 #1b3324 #3f2328'],
  [
    'Dracula',
    'dark',
    '#282a36 #f8f8f2 #6272a4 #8be9fd #ff79c6 #50fa7b #f1fa8c #ff5555 #8be9fd #6272a4 #1e4430 #4d1f2b',
  ],
  ['GitHub', 'dark', '#0d1117 #c9d1d9 #8b949e #79c0ff #d2a8ff #7ee787 #ffa657 #ff7b72 #a5d6ff #8b949e #12361f #4b1d1f'],
  [
    'Holiday',
    'dark',
    '#00210e #f0f8ff #8fbc8f #3cb371 #ff9999 #32cd32 #ffee8c #d7003a #66cdaa #8fbc8f #0e4a22 #52111f',
  ],
  [
    'Shades Of Purple',
    'dark',
    '#2d2b55 #e3dfff #a599e9 #9effff #fb94ff #a5ff90 #fad000 #ff628c #80ffbb #b362ff #2b4a3f #5a2450',
  ],
  [
    'Solarized Dark',
    'dark',
    '#002b36 #839496 #586e75 #268bd2 #6c71c4 #859900 #b58900 #dc322f #2aa198 #586e75 #0d3a2a #3b2226',
  ],
  [
    'Tokyo Night',
    'dark',
    '#1a1b26 #c0caf5 #565f89 #7aa2f7 #bb9af7 #9ece6a #e0af68 #f7768e #7dcfff #565f89 #20303b #37222c',
  ],
  ['ANSI Light', 'ansi', '- - gray blue magenta green red red cyan gray - -'],
  [
    'Ayu Light',
    'light',
    '#fcfcfc #5c6166 #8a9199 #399ee6 #a37acc #6c9a00 #b87500 #d94f4f #2f9e7c #8a9199 #dff0cf #fbdcdc',
  ],
  ['Default Light', 'light', '- - #555d67 #1a56b0 #6a2bd0 #15662d #755200 #b01e28 #0a6173 #555d67 #dcf5e3 #ffe4e4'],
  [
    'GitHub Light',
    'light',
    '#ffffff #24292f #6e7781 #0550ae #8250df #116329 #953800 #cf222e #0a3069 #6e7781 #dafbe1 #ffebe9',
  ],
  [
    'Google Code',
    'light',
    '#ffffff #202124 #5f6368 #000088 #660066 #006600 #8a5a00 #880000 #006666 #5f6368 #d9f2dc #fadcdc',
  ],
  [
    'Solarized Light',
    'light',
    '#fdf6e3 #586e75 #93a1a1 #268bd2 #6c71c4 #6f8000 #9b7500 #dc322f #2aa198 #93a1a1 #e6edc9 #f9ddd0',
  ],
  ['Xcode', 'light', '#ffffff #1c1c1e #6c6c70 #0e0eff #aa0d91 #007400 #836c28 #c41a16 #3f6e74 #5d6c79 #d8f3dc #fbdedd'],
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

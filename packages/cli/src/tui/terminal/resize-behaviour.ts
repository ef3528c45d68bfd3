/** Predicts how a terminal behaves when its window changes size, from its environment and its answers. Pure. */

import type { Reflow } from './painter.ts';

/** Terminals made with xterm.js. */
const XTERM_JS = /^(vscode|Hyper|Tabby|WaveTerminal|Theia|JupyterLab)$/i;

/** Terminals that keep the cursor at its text, by their own name or by a variable only they set. */
const KEEPS_CURSOR = /^(iTerm\.app|WezTerm|ghostty|rio)$/;
const KEEPS_CURSOR_BY = ['VTE_VERSION', 'KITTY_WINDOW_ID', 'ALACRITTY_WINDOW_ID', 'WEZTERM_PANE', 'KONSOLE_VERSION'];

/** How the terminal treats long rows when it becomes narrower. */
export function reflowOf(environment: Readonly<Record<string, string | undefined>>): Reflow {
  const { TERM = '', TERM_PROGRAM = '', TMUX, XTERM_VERSION, STY } = environment;
  if (TMUX) return 'text';
  if (XTERM_JS.test(TERM_PROGRAM)) return 'rows';
  if (KEEPS_CURSOR.test(TERM_PROGRAM) || KEEPS_CURSOR_BY.some((name) => environment[name])) return 'text';
  const isOld = XTERM_VERSION !== undefined || STY !== undefined || /^(linux|rxvt|st(-|$)|screen|vt\d)/.test(TERM);
  return isOld ? 'none' : 'either';
}

/** The answer of xterm.js to a device attributes query. */
const XTERM_JS_DEVICE = '>0;276;0';

/** From the terminal's own answer; undefined where it adds nothing. */
export function reflowOfDevice(report: string): Reflow | undefined {
  return report === XTERM_JS_DEVICE ? 'rows' : undefined;
}

/** tmux announces a second change 250 ms after it was made, or later under load. */
const TMUX_MS = 400;

/** How long a window must keep its size before a frame is drawn in it; undefined for an unknown terminal. */
export function settleMsOf({ TMUX }: Readonly<Record<string, string | undefined>>): number | undefined {
  return TMUX ? TMUX_MS : undefined;
}

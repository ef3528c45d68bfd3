/** What this terminal does with long rows when it gets narrower, from what is known of it. Pure. */

import type { Reflow } from './painter.ts';

/** Terminals made with xterm.js. */
const XTERM_JS = /^(vscode|Hyper|Tabby|WaveTerminal|Theia|JupyterLab)$/i;

export function reflowOf(environment: Readonly<Record<string, string | undefined>>): Reflow {
  const { TERM = '', TERM_PROGRAM = '', TMUX, XTERM_VERSION, STY } = environment;
  if (TMUX) return 'text';
  if (XTERM_JS.test(TERM_PROGRAM)) return 'rows';
  const isOld = XTERM_VERSION !== undefined || STY !== undefined || /^(linux|rxvt|st(-|$)|screen|vt\d)/.test(TERM);
  return isOld ? 'none' : 'text';
}

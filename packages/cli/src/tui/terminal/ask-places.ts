/** What is asked of a terminal whose window has changed, and when. Pure. */

/** Where the cursor stands, and where the last cell of the window is; the cursor comes back. */
export const ASK_PLACES = '\x1b[6n\x1b7\x1b[9999;9999H\x1b[6n\x1b8';

/** tmux tells of a second change a quarter of a second after it has made it. */
const TMUX_MS = 300;

/** How long a window must rest; undefined where nothing is known of this terminal. */
export function settleMsOf({ TMUX }: Readonly<Record<string, string | undefined>>): number | undefined {
  return TMUX ? TMUX_MS : undefined;
}

/** How long a window must keep its size before anything is drawn in it, from what is known of its terminal. Pure. */

/** tmux tells of a second change a quarter of a second after it has made it, or later where it has much to do. */
const TMUX_MS = 400;

/** Undefined where nothing is known of this terminal. */
export function settleMsOf({ TMUX }: Readonly<Record<string, string | undefined>>): number | undefined {
  return TMUX ? TMUX_MS : undefined;
}

/**
 * Lets the user select text with the mouse while the agent works. In copy mode the screen is frozen and the terminal
 * owns the mouse; keys that scroll still do, any other key ends it. Mouse mode only decides whether Castor or the
 * terminal owns the mouse.
 */

import type { App } from './app.ts';
import type { CommandName } from '../input/commands.ts';
import { findCommand } from '../input/keymap.ts';

const SCROLLING: readonly CommandName[] = [
  ...(['scroll.up', 'scroll.down', 'scroll.pageUp', 'scroll.pageDown', 'scroll.home', 'scroll.end'] as const),
];

export function enterCopyMode(app: App): void {
  const { composer, screen, options } = app;
  const leave = () => {
    remove();
    options.terminal.useMouse(app.state.hasMouse);
    screen.freeze(false);
    app.clearToast();
    return true;
  };
  const remove = composer.pushConsumer({
    onKey: (key) => (findCommand(composer.getKeymap(), key, SCROLLING) && screen.isWhole ? false : leave()),
    onText: leave,
    onPaste: leave,
  });
  options.terminal.useMouse(false);
  app.hint(
    `Copy mode: select with the mouse${screen.isWhole ? ', page up and down scroll' : ''}; any other key leaves it.`,
  );
  screen.freeze(true);
}

export function toggleMouse(app: App): void {
  const { state, screen, options } = app;
  if (!screen.isWhole) return app.toast('The terminal always handles the mouse here: select and scroll as usual.');
  state.hasMouse = !state.hasMouse;
  options.terminal.useMouse(state.hasMouse);
  return app.toast(
    state.hasMouse ? 'Castor handles the mouse wheel again.' : 'The terminal handles the mouse: select text as usual.',
  );
}

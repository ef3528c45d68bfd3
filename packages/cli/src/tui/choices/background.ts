/** Ctrl+B and `/tasks`: shows the commands in the background, refreshed while they are visible. */

import { getErrorMessage } from '@castor/core';
import type { App } from '../app/app.ts';
import type { CommandScreen } from '../command-screen/command-screen.ts';
import { BackgroundView } from '../command-screen/background-view.ts';

const NONE = 'No background commands.';
/** Visible output keeps moving. */
const LOOK_MS = 200;

/** Resolves when the user closes the view. */
export async function showBackground(app: App, signal?: AbortSignal): Promise<void> {
  const { agent } = app.state;
  // A key has no row that an outcome could hang under.
  if (!agent || agent.background.list().length === 0) return signal ? app.info(NONE) : app.toast(NONE);
  const { background, shell } = agent;
  const { commandScreens } = app;
  let attended: CommandScreen | undefined;
  const left = Promise.withResolvers<void>();
  const view = new BackgroundView({
    port: {
      list: () => background.list(),
      read: (pid) =>
        background.readLogTail(pid).then(
          ({ text }) => text + shell.unfinishedLine(pid),
          (error: unknown) => `Its output is not readable: ${getErrorMessage(error)}`,
        ),
      kill: (pid) => void background.kill(pid),
      screen: (pid) => commandScreens.get(pid)?.picture(app.screenLook(app.appearance.styles.primary)),
      keyModes: (pid) => commandScreens.get(pid)?.keyModes,
      attend(pid) {
        attended?.attend(false);
        attended = commandScreens.get(pid);
        attended?.attend(true);
      },
      canType: (pid) => shell.canType(pid),
      type: (pid, text) => shell.write(pid, text),
    },
    keymap: () => app.composer.getKeymap(),
    onChange: () => app.screen.refresh(),
    leave: () => left.resolve(),
  });
  const close = app.dialogs.show(view);
  const ticker = setInterval(() => void view.refresh(), LOOK_MS);
  signal?.addEventListener('abort', () => left.resolve(), { once: true });
  await left.promise;
  clearInterval(ticker);
  attended?.attend(false);
  close();
}

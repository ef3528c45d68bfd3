/** The screens of the app's commands: their size, and the notification when one waits. */

import type { App } from './app.ts';
import { CommandScreens } from '../command-screen/command-screens.ts';

export function createAppScreens(app: App): CommandScreens {
  return new CommandScreens({
    size: () => app.options.terminal.size,
    isSeen: () => !app.isSpoken,
    answer: (pid, text) => app.state.agent?.shell.answer(pid, text),
    resize: (size) => app.state.agent?.shell.resizeTerminals(size),
    onChange: () => app.screen.refresh(),
    onWaiting(isNews) {
      if (isNews) app.onAttention?.('A command is waiting for input');
      app.onStateChange?.();
      app.screen.refresh();
    },
  });
}

/** The host of the app's dialogs, and the commands that can be given the keys in its place. */

import { ShellFocus } from '../command-screen/shell-focus.ts';
import { pendingCalls } from '../conversation/client-calls.ts';
import { DialogHost } from '../dialogs/dialog-host.ts';
import type { App } from './app.ts';

export function createAppDialogs(app: App): DialogHost {
  return new DialogHost({
    onChange: () => {
      app.onStateChange?.();
      app.screen.drawNow();
    },
    onClosed: () => app.screen.follow(),
    isTyping: () => !app.composer.isEmpty(),
    now: () => performance.now(),
    keymap: () => app.composer.getKeymap(),
    giveBack: (typed) => app.composer.take(typed),
  });
}

export function createAppFocus(app: App): ShellFocus {
  return new ShellFocus({
    calls: () => pendingCalls(app.store.getSnapshot().pendingGroup?.calls, app.clientCalls.calls),
    shell: () => app.state.agent?.shell,
    screens: () => app.commandScreens,
    look: () => app.screenLook(app.appearance.styles.primary),
    host: app.dialogs,
    keymap: () => app.composer.getKeymap(),
    toast: (text) => app.toast(text),
  });
}

/** The window title and notifications: the status for a user who looks elsewhere. */

import { basename } from 'node:path';
import { StreamingState } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import type { Start } from '../../start/start.ts';
import type { App } from './app.ts';
import { notification } from '../terminal/notification.ts';

const SIGNS: Readonly<Record<StreamingState, string>> = {
  [StreamingState.Idle]: '◇  Ready',
  [StreamingState.Responding]: '✦  Working…',
  [StreamingState.WaitingForConfirmation]: '✋  Action Required',
};

const LONGEST_THOUGHT = 60;

/** The model's current activity, where the title shows it. */
function thoughtOf(app: App, { showStatusInTitle }: Start['settings']['ui']): string | undefined {
  const subject = app.store.getSnapshot().thought?.thought.subject;
  if (!showStatusInTitle || !subject || app.streaming !== StreamingState.Responding) return undefined;
  return `✦  ${sanitizeLine(subject).slice(0, LONGEST_THOUGHT)}`;
}

function signOf(app: App, ui: Start['settings']['ui']): string {
  if (app.commandScreens.isWaiting) return SIGNS[StreamingState.WaitingForConfirmation];
  return thoughtOf(app, ui) ?? SIGNS[app.streaming];
}

export function attachStatus(app: App, start: Start): void {
  const { settings, cwd, environment } = start;
  const { ui, general } = settings;
  const folder = sanitizeLine(basename(cwd));
  let shown = '';
  app.onStateChange = () => {
    if (ui.hideWindowTitle) return;
    const sign = ui.dynamicWindowTitle ? signOf(app, ui) : 'Castor';
    const title = `${sign} (${folder})`;
    if (title === shown) return;
    shown = title;
    app.options.terminal.write(`\x1b]0;${title}\x07`);
  };
  app.onStateChange();
  app.state.statusLine = undefined;
  const command = settings.castor.statusLine;
  if (command) void import('./status-command.ts').then(({ watchStatus }) => watchStatus(app, start, command));
  if (!ui.hideWindowTitle) app.onClose.push(() => app.options.terminal.write('\x1b]0;\x07'));
  app.onAttention = (what) => {
    if (!general.enableNotifications || app.state.isTerminalFocused) return;
    app.options.terminal.write(notification(`Castor: ${what} (${folder})`, general.notificationMethod, environment));
  };
}

/** What slash commands may use of this surface beside the agent. */

import { join } from 'node:path';
import { saveSetting } from '@castor/core';
import type { CommandServices, ShellConsent } from '../slash/command.ts';
import type { App } from './app.ts';
import { makeVisible } from './render/make-visible.ts';
import { wrapRows } from './render/wrap-rows.ts';

export function createServices(app: App, signal: AbortSignal): CommandServices {
  return {
    saveSetting: async (key, value) => {
      saveSetting(userSettingsFile(app), key, value);
    },
    async confirmShellCommands(commands) {
      const answer = await app.dialogs.choose<ShellConsent>(
        {
          title: 'This command wants to run in your shell:',
          body: ({ width, styles }) =>
            commands.flatMap((command) =>
              wrapRows(styles.symbol(makeVisible(command)), { width: width - 4, first: '$ ' }),
            ),
          options: [
            { label: 'Allow once', value: 'once' },
            { label: 'Allow for this session', value: 'always' },
            { label: 'No (esc)', value: 'cancel' },
          ],
          escape: 'cancel',
        },
        signal,
      );
      return answer ?? 'cancel';
    },
  };
}

export function userSettingsFile(app: App): string {
  return join(app.options.home, '.gemini', 'settings.json');
}

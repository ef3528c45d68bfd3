/** The services this surface offers slash commands beside the agent. */

import { join } from 'node:path';
import { saveSetting } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import type { CommandServices, ShellConsent } from '../slash/command.ts';
import { createHookServices } from '../slash/hook-services.ts';
import type { App } from './app.ts';
import { makeVisible } from '../make-visible.ts';
import { wrapRows } from './render/wrap-rows.ts';

export function createServices(app: App, agent: WorkspaceAgent, signal: AbortSignal): CommandServices {
  return {
    ...createHookServices(app.state.start!, agent),
    async openSessions() {
      const { start } = app.state;
      if (!start) throw new Error('Conversations can be saved once the program has started.');
      const { openSessionService } = await import('../slash/session-service.ts');
      return openSessionService(start, agent);
    },
    prepareModel: async (name) => (await app.link.live()).prepareModel(name),
    prefersOwnModel: app.state.start?.settings.castor.model !== undefined,
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

/** The services this surface offers slash commands beside the agent. */

import { join } from 'node:path';
import { saveSetting } from '@castor/core/program';
import type { WorkspaceAgent } from '@castor/core';
import type { CommandServices, ShellConsent } from '../../slash/command.ts';
import { createHookServices } from '../../slash/hook-services.ts';
import { createSkillServices } from '../../slash/skill-services.ts';
import type { App } from './app.ts';
import { makeVisible } from '../../make-visible.ts';
import { extensionQuestions } from '../dialogs/extension-questions.ts';
import { wrapRows } from '../text/wrap-rows.ts';

export function createServices(app: App, agent: WorkspaceAgent, signal: AbortSignal): CommandServices {
  return {
    ...createHookServices(app.state.start!, agent),
    ...createSkillServices(app.state.start!),
    async openExtensions() {
      const { start } = app.state;
      if (!start) throw new Error('Extensions can be changed once the program has started.');
      const { openExtensionService } = await import('../../slash/extension-service.ts');
      return openExtensionService(
        start,
        { ...extensionQuestions(app.dialogs, signal), tell: (line) => app.info(line) },
        signal,
      );
    },
    async openCompanion() {
      const { AppCompanion } = await import('./app-companion.ts');
      return (app.companion ??= new AppCompanion(app));
    },
    async openSessions() {
      const { start } = app.state;
      if (!start) throw new Error('Conversations can be saved once the program has started.');
      const { openSessionService } = await import('../../slash/session-service.ts');
      return openSessionService(start, agent);
    },
    signInPorts: (stop) => createSignInPorts(app, stop),
    prepareModel: async (name) => {
      const isOffline = app.state.start?.choice.access.kind === 'offline';
      if (isOffline === (name === 'offline')) return (await app.link.live()).prepareModel(name);
      return (await import('../choices/access.ts')).reopenWith(app, name);
    },
    prefersOwnModel: app.state.start?.settings.castor.model !== undefined,
    saveSetting: async (key, value) => {
      saveSetting(userSettingsFile(app), key, value);
    },
    confirmPage: (page, question) => extensionQuestions(app.dialogs, signal).confirm(page, question),
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
            { label: 'No', value: 'cancel' },
          ],
          escape: 'cancel',
          escapes: 'no',
        },
        signal,
      );
      return answer ?? 'cancel';
    },
  };
}

type SignInPorts = ReturnType<NonNullable<CommandServices['signInPorts']>>;

/** The address is printed, where the terminal lets the user follow or copy it. */
function createSignInPorts(app: App, signal: AbortSignal): SignInPorts {
  return {
    signal,
    visit: ({ url }) => app.info(`Open this address in a browser to sign in:\n${url}`),
    paste: (stop) =>
      app.dialogs.askText(
        {
          title: 'Waiting for the browser',
          body: ({ width, styles }) =>
            wrapRows(styles.secondary('If it is on another machine, paste the address it ended at.'), {
              width: width - 4,
            }),
          keys: 'enter to submit the address, esc to stop waiting for one',
        },
        stop,
      ),
    askClientId: (issuer, redirectUri) =>
      app.dialogs.askText(
        {
          title: `${makeVisible(issuer)} registers no clients itself. The id of a client you registered:`,
          body: ({ width, styles }) =>
            wrapRows(styles.secondary(`Its redirect address: ${makeVisible(redirectUri)}`), { width: width - 4 }),
        },
        signal,
      ),
    note: (sentence) => app.info(sentence),
  };
}

export function userSettingsFile(app: App): string {
  return join(app.options.home, '.gemini', 'settings.json');
}

/** The dialogs slash commands open: themes, models, sessions, trust. */

import { getErrorMessage, listSessions, saveSetting } from '@castor/core';
import type { CommandContext, DialogName } from '../slash/command.ts';
import { decideOnFolder } from '../trust-folder.ts';
import type { App } from './app.ts';
import { userSettingsFile } from './command-services.ts';
import { askAboutTrust } from './dialogs/trust-question.ts';
import { sanitize } from '../sanitize.ts';
import { formatAge } from './render/format-age.ts';
import { themeNames } from './theme/theme.ts';
import { folderContents } from './folder-contents.ts';

const MODELS = ['auto', 'pro', 'flash', 'flash-lite', 'offline'];

export async function openDialog(app: App, dialog: DialogName, context: CommandContext): Promise<void> {
  switch (dialog) {
    case 'theme':
      return chooseTheme(app, context);
    case 'model':
      return chooseModel(app, context);
    case 'sessions':
      return chooseSession(app, context);
    case 'trust':
      return chooseTrust(app, context);
    case 'settings':
      return app.info(`Settings are in ${userSettingsFile(app)}. Show them with: castor config show`);
    case 'editor':
      return app.info('The editor is the one in VISUAL or EDITOR.');
    case 'auth':
      return app.info('A key is read from GEMINI_API_KEY, from .env in this folder or from ~/.gemini/.env.');
    case 'help':
      return app.info('Type / to see the commands.');
  }
}

async function chooseTheme(app: App, { signal }: CommandContext): Promise<void> {
  const { customThemes } = app.state.start?.settings.ui ?? { customThemes: {} };
  const before = app.state.start?.settings.ui.theme;
  const names = themeNames(customThemes);
  const preview = (name: string) => void app.appearance.use({ name, customThemes });
  const name = await app.dialogs.choose(
    {
      title: 'Theme',
      options: names.map((each) => ({ label: each, value: each })),
      initial: Math.max(0, names.indexOf(app.appearance.themeName)),
      onMove: preview,
    },
    signal,
  );
  if (name === undefined) {
    app.appearance.use({ name: before, customThemes });
    return;
  }
  preview(name);
  save(app, 'ui.theme', name, `The theme is ${name}.`);
}

async function chooseModel(app: App, { agent, signal }: CommandContext): Promise<void> {
  const current = agent.requestedModel();
  const names = [...new Set([...MODELS, current])];
  const name = await app.dialogs.choose(
    {
      title: 'Model',
      options: names.map((each) => ({ label: each, value: each })),
      initial: Math.max(0, names.indexOf(current)),
    },
    signal,
  );
  if (name === undefined) return;
  try {
    agent.setModel(name);
    app.state.model = name;
    app.info(`The model is ${name} for this session.`);
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}

async function chooseSession(app: App, { home, agent, signal }: CommandContext): Promise<void> {
  const sessions = await listSessions({ home, root: agent.workspace.root });
  const others = sessions.filter(({ id }) => id !== agent.session.sessionId).toReversed();
  if (others.length === 0) return app.info('There are no earlier sessions in this folder.');
  const now = Date.now();
  const id = await app.dialogs.choose(
    {
      title: 'Go on with which session?',
      search: true,
      options: others.map((session) => ({
        label: sanitize(session.title),
        value: session.id,
        hint: formatAge(now - session.lastUpdated),
      })),
    },
    signal,
  );
  if (id !== undefined) await app.changeSession({ resume: id });
}

async function chooseTrust(app: App, { agent, home, trustedFoldersFile: file, signal }: CommandContext): Promise<void> {
  const folder = agent.workspace.root;
  const level = await askAboutTrust({ folder, wouldLoad: folderContents(folder) }, app.dialogs, signal);
  if (level === undefined || level === 'later') return;
  try {
    decideOnFolder({ folder, level, file, home });
    app.info('Saved. It counts from the next start on.');
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}

function save(app: App, key: string, value: unknown, said: string): void {
  try {
    saveSetting(userSettingsFile(app), key, value);
    app.info(said);
  } catch (error) {
    app.fail(`${said} It could not be saved: ${getErrorMessage(error)}`);
  }
}

/**
 * The pickers of the golden pictures, opened by their slash commands over the real tables: models, themes, settings,
 * keys and commands. The home is an empty folder but for a settings file, so that no machine changes a picture.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../slash/command.ts';
import { BUILTIN_COMMANDS } from '../slash/index.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import type { App } from './app/app.ts';
import { showHelp } from './choices/help.ts';
import { chooseModel } from './choices/model.ts';
import { chooseSettings } from './choices/settings.ts';
import { chooseTheme } from './choices/theme.ts';
import { PageDialog } from './dialogs/page-dialog.ts';
import type { Page } from './dialogs/page-dialog.ts';
import { SelectDialog } from './dialogs/select-dialog.ts';
import type { SelectQuestion } from './dialogs/select-dialog.ts';
import { createKeymap } from './input/keymap.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';
import { grammars } from './render/grammars.ts';

const SETTINGS = `{
  "ui": { "theme": "GitHub" },
  "general": { "vimMode": true }
}
`;

/** What an app asks, instead of the answer of a user. */
interface Opened {
  readonly app: App;
  readonly question: Promise<SelectQuestion<unknown>>;
  readonly page: Promise<Page>;
}

const home = mkdtempSync(join(tmpdir(), 'castor-pictures-'));

function open(): Opened {
  const question = Promise.withResolvers<SelectQuestion<unknown>>();
  const page = Promise.withResolvers<Page>();
  const environment = { GEMINI_API_KEY: 'k' };
  const place = { cwd: join(home, 'shop'), home, environment };
  const { configuration, sources } = loadTrustedConfiguration({ args: {}, installed: undefined, ...place });
  const { settings } = configuration;
  const keymap = createKeymap();
  const never = new Promise<never>(() => {});
  const parts = {
    options: place,
    state: { start: { configuration, settings, sources, environment, trustedFolder: true } },
    appearance: { hasColors: true, paper: undefined, themeName: 'GitHub', use() {} },
    composer: { getKeymap: () => keymap },
    isSpoken: false,
    grammars,
    dialogs: {
      choose: (asked: SelectQuestion<unknown>) => (question.resolve(asked), never),
      showPage: (shown: Page) => (page.resolve(shown), never),
    },
  };
  return { app: parts as unknown as App, question: question.promise, page: page.promise };
}

function questionOf(ask: (app: App, signal: AbortSignal) => Promise<void>): Promise<SelectQuestion<unknown>> {
  const { app, question } = open();
  void ask(app, new AbortController().signal);
  return question;
}

/** A conversation that has filled a part of the window. */
const AGENT = {
  requestedModel: () => 'auto',
  tokenLimit: () => 1_048_576,
  chat: { getLastPromptTokenCount: () => 125_829 },
};

function pageOfHelp(): Promise<Page> {
  const { app, page } = open();
  void showHelp(app, BUILTIN_COMMANDS);
  return page;
}

async function openAll() {
  mkdirSync(join(home, '.gemini'), { recursive: true });
  mkdirSync(join(home, 'shop'));
  writeFileSync(join(home, '.gemini/settings.json'), SETTINGS);
  try {
    const models = await questionOf((app, signal) =>
      chooseModel(app, { agent: AGENT, signal } as unknown as CommandContext),
    );
    const [picker, settings] = await Promise.all([questionOf(chooseTheme), questionOf(chooseSettings)]);
    return { models, picker, settings, help: await pageOfHelp() };
  } finally {
    rmSync(home, { recursive: true });
  }
}

const opened = await openAll();

function picked(question: SelectQuestion<unknown>): DrawComponent {
  return (styles, width) => new SelectDialog(question, () => {}).view({ styles, width, maxRows: 40 }).rows;
}

export const PICKERS: Readonly<Record<string, DrawComponent>> = {
  picker: picked(opened.picker),
  models: picked(opened.models),
  settings: picked(opened.settings),
  help: (styles, width) => new PageDialog(opened.help, () => {}).view({ styles, width, maxRows: 30 }).rows,
};

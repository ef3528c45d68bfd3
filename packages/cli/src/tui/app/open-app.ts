/**
 * Opens the app after the first frame, in the order the user notices it: settings and colours, the banner, the
 * questions of a first start, the agent, Ink. The user can type meanwhile, between the steps; submitted text waits
 * until the agent is open.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import { getErrorMessage } from '@castor/core';
import { toMcpLayers } from '@castor/core/program';
import { ExitCode, ExitError } from '../../exit-codes.ts';
import { findInstalledExtensions } from '../../start/installed-extensions.ts';
import { prepareStart } from '../../start/start.ts';
import type { Start } from '../../start/start.ts';
import { trustedFoldersFile } from '../../start/trust.ts';
import { wishOf } from '../../surface/session-wish.ts';
import type { App } from './app.ts';
import { askAboutTrust } from '../dialogs/trust-question.ts';
import { folderContents } from './folder-contents.ts';
import { createAppPrinter } from './app-printer.ts';
import { applySettings } from './apply-settings.ts';
import { attachInput } from './attach-input.ts';
import { renderBanner } from '../conversation/banner.ts';
import type { TuiOptions } from '../tui-options.ts';
import { failToOpen } from './session-change.ts';
import { startFacts } from './start-facts.ts';
import { capWarnings, startupWarnings } from './startup-warnings.ts';

export async function openApp(app: App, options: TuiOptions, keyWarnings: readonly string[]): Promise<void> {
  const { signal } = options.interruption;
  app.printer = createAppPrinter(app);
  let start = await prepareWithAccess(app, options);
  if (!start) return app.exit();
  applySettings(app, start);
  await greet(app, options, start);
  for (const warning of keyWarnings) app.warn(warning);
  await afterInput();
  start = await settleTrust(app, options, start, signal);
  await settleServers(app, start, signal);
  const wish = wishOf(options.args);
  // A resumed transcript is printed at once, and has its colours.
  if (wish.resume !== undefined) await loadGrammars(app);
  const opening = app.link.open(start, wish);
  if (options.prompt !== '') app.conversation.submit({ text: options.prompt });
  opening.catch((error: unknown) => failToOpen(app, error));
  if (start.settings.ide.enabled) void connectEditor(app);
  await loadInk(app);
  await attachInput(app);
  await afterInput();
  await loadGrammars(app);
  await tidyUp(app, start);
  if (!start.extensions) return;
  const [{ announceUpdates }, { extensionQuestions }] = await Promise.all([
    import('../../slash/extension-updates.ts'),
    import('../dialogs/extension-questions.ts'),
  ]);
  await announceUpdates(app, start, extensionQuestions(app.dialogs, signal), signal);
}

async function loadGrammars(app: App): Promise<void> {
  app.grammars = (await import('../render/grammars.ts')).grammars;
}

/** In the background: a prompt does not wait for the editor. */
async function connectEditor(app: App): Promise<void> {
  const { AppCompanion } = await import('./app-companion.ts');
  app.companion = new AppCompanion(app);
  await app.companion.connect();
}

/** Switches the frame to Ink. It is the heaviest part of a start, so it is loaded last. */
async function loadInk(app: App): Promise<void> {
  await afterInput();
  const [{ createInkView }, { createFullView }] = await Promise.all([
    import('../frame/ink-view.tsx'),
    import('./draw-full.ts'),
  ]);
  await afterInput();
  const ink = createInkView(app.options.terminal.size, {
    onOwnFrame: () => app.screen.refresh(),
    // Falls back to drawing without Ink: a broken component does not lose the conversation.
    onBroken(error) {
      app.inkView = undefined;
      app.fail(`Drawing a part of the screen failed: ${getErrorMessage(error)}`);
    },
  });
  app.inkView = createFullView(app, ink);
  // Ink's first frame is slow; no key should wait for it.
  app.screen.drawNow();
}

/** The start does not wait for it, and it never touches a session in use. */
async function tidyUp(app: App, start: Start): Promise<void> {
  const { runMaintenance } = await import('../../start/maintenance.ts');
  for (const problem of await runMaintenance(start, undefined)) app.warn(problem);
}

/** Asks the user how to reach a model when its key is missing; undefined when the user exits. */
async function prepareWithAccess(app: App, options: TuiOptions): Promise<Start | undefined> {
  const context = { ...options, installed: await findInstalledExtensions(options), isAttended: true };
  let { args, environment } = options;
  for (;;) {
    let refused: ExitError;
    try {
      const start = prepareStart({ ...context, args, environment });
      if (start.choice.access.kind === 'provider') {
        const { requireProviderKey } = await import('../../providers/require-provider-key.ts');
        await requireProviderKey(start.choice.access.named, start);
      }
      return start;
    } catch (error) {
      if (!(error instanceof ExitError) || error.exitCode !== ExitCode.Unauthorized) throw error;
      refused = error;
      const { adviseProvider } = await import('../../generators/advise-provider.ts');
      adviseProvider(error, { ...context, args, environment });
    }
    const { askUntilConnected } = await import('../choices/first-start.ts');
    const found = await askUntilConnected(app, { args, environment, refused }, options.interruption.signal);
    if (!found) return undefined;
    ({ args, environment } = found);
  }
}

async function greet(app: App, { version, notice }: TuiOptions, start: Start): Promise<void> {
  const { settings } = start;
  const { styles } = app.appearance;
  const { hideBanner, hideTips } = settings.ui;
  if (!hideBanner) {
    const { branch } = app.state;
    const facts = await startFacts(start);
    app.print(renderBanner({ version, folder: app.folder, branch, facts, styles, width: app.width, hideTips }));
  }
  if (notice !== undefined) app.info(notice);
  for (const warning of [...start.notices, ...startupWarnings(start), ...capWarnings(start.warnings)])
    app.warn(warning);
}

/** A folder without a trust decision: the dialog asks the user, who may continue without deciding. */
async function settleTrust(app: App, options: TuiOptions, start: Start, signal: AbortSignal): Promise<Start> {
  if (start.trustedFolder !== undefined || !start.settings.security.folderTrust.enabled) return start;
  const { cwd, home } = app.options;
  const wouldLoad = folderContents(cwd, home);
  // Nothing would be loaded, so there is no question.
  if (wouldLoad.length === 0) return start;
  const { describePrograms, readFolderPrograms } = await import('../../start/folder-programs.ts');
  const programs = readFolderPrograms(cwd, home);
  const wouldRun = programs ? describePrograms(programs) : [];
  const level = await askAboutTrust({ folder: cwd, wouldLoad, wouldRun }, app.dialogs, signal);
  if (level === undefined || level === 'later') return start;
  try {
    const { decideOnFolder } = await import('../../start/trust-folder.ts');
    const file = trustedFoldersFile({ home, environment: start.environment });
    decideOnFolder({ folder: cwd, level, file, home, programs });
  } catch (error) {
    app.fail(`The decision could not be saved: ${getErrorMessage(error)}`);
    return start;
  }
  const { environment, sources, installed } = start;
  const again = prepareStart({
    ...options,
    environment,
    sources,
    installed,
    args: { ...options.args, model: start.choice.model },
    isAttended: true,
  });
  applySettings(app, again);
  for (const warning of again.warnings) if (!start.warnings.includes(warning)) app.warn(warning);
  return again;
}

/** Servers of a trusted project that the user has not agreed to as they are now: the dialog shows them and asks. */
async function settleServers(app: App, start: Start, signal: AbortSignal): Promise<void> {
  const hasServers = toMcpLayers(start.configuration.layers).some(({ source }) => source === 'project');
  if (start.trustedFolder !== true || !hasServers) return;
  await (await import('../choices/servers.ts')).settleServers(app, start, signal);
}

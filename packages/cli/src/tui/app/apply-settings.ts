/** Applies the settings of the screen: at the start, and again when the user changes one. */

import { getErrorMessage } from '@castor/core';
import { prepareStart } from '../../start/start.ts';
import type { Start } from '../../start/start.ts';
import type { App } from './app.ts';
import { attachStatus } from './attach-status.ts';
import { loadingPhrases } from '../frame/loading-phrases.ts';
import { tellAttempts } from './retry-notice.ts';
import { ASK_BACKGROUND } from '../theme/detect-background.ts';
import { loadCustomThemes } from '../theme/source-themes.ts';
import { isThemePath, readThemeFile } from '../theme/theme-file.ts';

/** Reloads them; choices made for this session stay. Returns a sentence for invalid settings. */
export function reloadSettings(app: App): string | undefined {
  const { start: before, mode, model, isVim } = app.state;
  if (!before) return undefined;
  try {
    const start = prepareStart({ ...before, isAttended: true });
    applySettings(app, start);
    Object.assign(app.state, { mode, model });
    const { vimMode } = start.settings.general;
    app.state.isVim = vimMode === before.settings.general.vimMode ? isVim : vimMode;
    app.composer.setVim(app.state.isVim);
    return undefined;
  } catch (error) {
    return getErrorMessage(error);
  }
}

export function applySettings(app: App, start: Start): void {
  const { ui, general } = start.settings;
  app.state.start = start;
  if (ui.accessibility.screenReader) app.useLinear();
  else if (ui.useAlternateBuffer) app.useAlternate();
  app.state.mode = start.approval.mode;
  app.state.model = start.choice.model;
  app.state.show = {
    thinking: ui.inlineThinkingMode === 'full',
    citations: ui.showCitations,
    model: ui.showModelInfoInChat,
    lineNumbers: ui.showLineNumbers,
    isCompact: ui.compactToolOutput,
  };
  app.state.phrases = loadingPhrases(ui);
  app.appearance.useBackgrounds(ui.useBackgroundColor);
  const problems = useTheme(app, start);
  if (app.appearance.hasColors) for (const problem of problems) app.warn(problem);
  // The terminal's background matters only where no theme was chosen.
  if (!ui.theme && ui.autoThemeSwitching && app.appearance.hasColors) followBackground(app, ui);
  app.state.isVim = general.vimMode;
  if (general.vimMode) app.composer.setVim(true);
  attachStatus(app, start);
  if (ui.errorVerbosity === 'full') tellAttempts(app);
  for (const run of app.onStarted.splice(0)) run();
}

/** Returns a sentence for each theme that is invalid or missing. */
function useTheme({ appearance, options }: App, { settings, sources }: Start): string[] {
  const { theme } = settings.ui;
  const { customThemes, problems } = loadCustomThemes(settings.ui.customThemes, sources);
  const isFile = theme !== undefined && isThemePath(theme) && !Object.hasOwn(customThemes, theme);
  const chosen = isFile ? readThemeFile(theme, options.home) : { name: theme, customThemes };
  if ('problem' in chosen) {
    appearance.use({ customThemes });
    return [...problems, chosen.problem];
  }
  const problem = appearance.use(chosen);
  return problem === undefined ? [...problems] : [...problems, problem];
}

/** Queries the terminal now, and again when the user returns after a while and may have changed it. */
function followBackground(app: App, { terminalBackgroundPollingInterval }: Start['settings']['ui']): void {
  let askedAt = performance.now();
  app.options.terminal.write(ASK_BACKGROUND);
  if (terminalBackgroundPollingInterval === 0) return;
  app.onFocused = () => {
    if (performance.now() - askedAt < terminalBackgroundPollingInterval * 1000) return;
    askedAt = performance.now();
    app.options.terminal.write(ASK_BACKGROUND);
  };
}

/** Settings of the terminal surface. */

import { choice, count, flag, optionalTexts, setting, text, texts } from '../define-setting.ts';

export const ui = {
  theme: text('The name of the colour theme.'),
  autoThemeSwitching: flag(true, 'Switches the theme when the terminal changes between light and dark.'),
  terminalBackgroundPollingInterval: count(
    60,
    'Seconds after which Castor checks the background colour again when the terminal regains focus; 0 for never.',
  ),
  customThemes: setting<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
    { type: 'object', additionalProperties: { type: 'object' } },
    {},
    'Your own themes by name.',
  ),
  hideWindowTitle: flag(false, 'Does not change the window title.'),
  inlineThinkingMode: choice(['off', 'full'], 'off', "Shows the model's thoughts in the conversation."),
  showStatusInTitle: flag(false, 'Shows status and thoughts in the window title.'),
  dynamicWindowTitle: flag(true, 'Shows in the window title whether the agent is ready, working or waiting.'),
  showHomeDirectoryWarning: flag(true, 'Warns when started in the home folder.'),
  showCompatibilityWarnings: flag(true, 'Warns when the terminal lacks colours.'),
  hideTips: flag(false, 'Hides the tips at the start.'),
  escapePastedAtSymbols: flag(false, 'Treats @ in pasted text literally.'),
  showShortcutsHint: flag(true, 'Shows the hint about keys above the prompt.'),
  compactToolOutput: flag(true, 'Shows the output of tools in few lines.'),
  hideBanner: flag(false, 'Hides the banner.'),
  hideContextSummary: flag(false, 'Hides the line that names the context files in use.'),
  footer: {
    items: optionalTexts(
      'The items of the footer, in order: workspace, git-branch, model-name, context-used, memory-usage, session-id, hostname, auth, token-count.',
    ),
    showLabels: flag(true, 'Shows labels above the items of the footer.'),
    hideCWD: flag(false, 'Hides the working folder.'),
    hideSandboxStatus: flag(false, 'Hides the state of the sandbox.'),
    hideModelInfo: flag(false, 'Hides the model.'),
    hideContextPercentage: flag(false, 'Hides the context usage until it reaches 80 percent.'),
  },
  hideFooter: flag(false, 'Hides the footer.'),
  collapseDrawerDuringApproval: flag(true, 'Collapses details while Castor asks for an approval.'),
  showMemoryUsage: flag(false, 'Shows the memory usage of the program.'),
  showLineNumbers: flag(true, 'Shows line numbers in diffs.'),
  showCitations: flag(false, 'Shows the sources an answer cites.'),
  showModelInfoInChat: flag(false, 'Shows the model of each turn in the conversation.'),
  showUserIdentity: flag(true, 'Shows who is signed in.'),
  useAlternateBuffer: flag(false, 'Uses the whole screen and restores it at the end.'),
  renderProcess: flag(true, 'Kept for compatibility: Castor draws in its own process.'),
  terminalBuffer: flag(false, 'Kept for compatibility: the whole screen is ui.useAlternateBuffer.'),
  useBackgroundColor: flag(true, 'Uses background colours in diffs; otherwise the text is coloured.'),
  incrementalRendering: flag(true, 'Kept for compatibility: Castor always draws only the lines that changed.'),
  showSpinner: flag(true, 'Shows a spinner while the agent works.'),
  loadingPhrases: choice(['tips', 'witty', 'all', 'off'], 'off', 'The phrases shown while the agent works.'),
  errorVerbosity: choice(
    ['low', 'full'],
    'low',
    'The detail of error messages: full prints a line for every retried attempt.',
  ),
  customWittyPhrases: texts([], 'Your own phrases for loadingPhrases.'),
  accessibility: {
    enableLoadingPhrases: flag(true, 'Deprecated: use ui.loadingPhrases.'),
    screenReader: flag(false, 'Plain output for screen readers.'),
  },
  debugRainbow: flag(false, 'Colours each redrawn line for debugging.'),
};

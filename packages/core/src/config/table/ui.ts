/** Settings of the terminal surface. */

import { choice, count, flag, optionalTexts, setting, text, texts } from '../define-setting.ts';

export const ui = {
  theme: text('The name of the colour theme.'),
  autoThemeSwitching: flag(true, 'Follows a terminal that changes between light and dark.'),
  terminalBackgroundPollingInterval: count(
    60,
    'Seconds after which the background colour is looked at again when the terminal is returned to; 0 for never.',
  ),
  customThemes: setting<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
    { type: 'object', additionalProperties: { type: 'object' } },
    {},
    'Themes of your own by name.',
  ),
  hideWindowTitle: flag(false, 'Leaves the window title alone.'),
  inlineThinkingMode: choice(['off', 'full'], 'off', 'Shows what the model thinks in the conversation.'),
  showStatusInTitle: flag(false, 'Shows status and thoughts in the window title.'),
  dynamicWindowTitle: flag(true, 'Shows in the window title whether the agent is ready, working or waiting.'),
  showHomeDirectoryWarning: flag(true, 'Warns when started in the home folder.'),
  showCompatibilityWarnings: flag(true, 'Warns when the terminal lacks colours.'),
  hideTips: flag(false, 'Hides the tips at the start.'),
  escapePastedAtSymbols: flag(false, 'Takes @ in pasted text literally.'),
  showShortcutsHint: flag(true, 'Shows the hint about keys above the prompt.'),
  compactToolOutput: flag(true, 'Shows the output of tools in few lines.'),
  hideBanner: flag(false, 'Hides the banner.'),
  hideContextSummary: flag(false, 'Hides the line that names the context files in use.'),
  footer: {
    items: optionalTexts(
      'Which parts the footer has, in order: workspace, git-branch, model-name, context-used, memory-usage, session-id, hostname, auth, token-count.',
    ),
    showLabels: flag(true, 'Labels above the parts of the footer.'),
    hideCWD: flag(false, 'Hides the working folder.'),
    hideSandboxStatus: flag(false, 'Hides the state of the sandbox.'),
    hideModelInfo: flag(false, 'Hides the model.'),
    hideContextPercentage: flag(false, 'Hides how full the context is, until it is at 80 percent.'),
  },
  hideFooter: flag(false, 'Hides the footer.'),
  collapseDrawerDuringApproval: flag(true, 'Makes room while an approval is asked for.'),
  showMemoryUsage: flag(false, 'Shows the memory of the program.'),
  showLineNumbers: flag(true, 'Line numbers in diffs.'),
  showCitations: flag(false, 'Shows the sources an answer cites.'),
  showModelInfoInChat: flag(false, 'Names the model of each turn in the conversation.'),
  showUserIdentity: flag(true, 'Shows who is signed in.'),
  useAlternateBuffer: flag(false, 'Uses the whole screen and restores it at the end.'),
  renderProcess: flag(true, 'Kept for compatibility: Castor draws in its own process.'),
  terminalBuffer: flag(false, 'Kept for compatibility: the whole screen is ui.useAlternateBuffer.'),
  useBackgroundColor: flag(true, 'Background colours in diffs; without them the text is coloured.'),
  incrementalRendering: flag(true, 'Kept for compatibility: Castor always draws only the lines that changed.'),
  showSpinner: flag(true, 'Shows a spinner while the agent works.'),
  loadingPhrases: choice(['tips', 'witty', 'all', 'off'], 'off', 'What is said while the agent works.'),
  errorVerbosity: choice(
    ['low', 'full'],
    'low',
    'How much is said of what went wrong: full leaves a line for every attempt that failed and is repeated.',
  ),
  customWittyPhrases: texts([], 'Phrases of your own for loadingPhrases.'),
  accessibility: {
    enableLoadingPhrases: flag(true, 'Deprecated: use ui.loadingPhrases.'),
    screenReader: flag(false, 'Plain output for screen readers.'),
  },
  debugRainbow: flag(false, 'Colours each redrawn line for debugging.'),
};

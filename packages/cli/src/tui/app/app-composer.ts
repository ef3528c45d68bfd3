/** The composer of the app: owns the typed text and where it goes. Text is submitted or queued; reports are handled. */

import { editorCommand } from '../../editor-command.ts';
import { isSlashText } from '../../prompt/prompt-signs.ts';
import type { GivenPrompt } from '../../surface/conversation-ports.ts';
import type { App } from './app.ts';
import { runAppCommand } from './app-commands.ts';
import type { ComposerController, Submission } from '../input/composer-contract.ts';
import { createComposerController } from '../input/composer-controller.ts';
import type { InputReport } from '../input/key-parser.ts';
import { reflowOfDevice } from '../terminal/resize-behaviour.ts';
import { useWidths } from '../text/row-width.ts';
import { backgroundOfReport } from '../theme/detect-background.ts';

const WHEEL_UP = 64;

export function createAppComposer(app: App): ComposerController {
  const { environment } = app.options;
  return createComposerController({
    onSubmit: (submission) => {
      app.state.interruptedPrompt = undefined;
      app.submit(givenBy(submission));
    },
    onQueue: (submission) => queue(app, submission),
    canQueue: () => app.conversation.isBusy,
    onCommand: (command) => runAppCommand(app, command),
    takeQueued: () => app.conversation.takeQueue() ?? takeInterrupted(app),
    onReport: (report) => onReport(app, report),
    onWidths: useWidths,
    onFocus: (isFocused) => {
      app.state.isTerminalFocused = isFocused;
      if (isFocused) app.onFocused?.();
    },
    editor: {
      environment,
      command: () => app.state.start && editorCommand(app.state.start.settings.general, environment),
      suspend: (run) => app.suspend(run),
    },
    escapesPastedAt: () => app.state.start?.settings.ui.escapePastedAtSymbols ?? false,
  });
}

/** The text is recalled once: after that it belongs to the user. */
function takeInterrupted({ state }: App): string | undefined {
  const { interruptedPrompt } = state;
  state.interruptedPrompt = undefined;
  return interruptedPrompt;
}

/** In shell mode all lines are one command. */
function givenBy({ text, isShell }: Submission): GivenPrompt {
  return isShell ? { text: `!${text}`, isShell } : { text };
}

/** Queued behind the running prompt, never steered into it; commands are not prompts. */
function queue(app: App, submission: Submission): void {
  if (!submission.isShell && isSlashText(submission.text)) app.submitQuery(submission.text);
  else app.conversation.enqueue(givenBy(submission));
}

function onReport({ screen, options, appearance }: App, report: InputReport): void {
  if (report.kind === 'mouse' && report.button >= WHEEL_UP) screen.scroll(report.button === WHEEL_UP ? -3 : 3);
  if (report.kind === 'keyboard') options.terminal.enableKittyKeyboard();
  if (report.kind === 'device') screen.learn(reflowOfDevice(report.data));
  if (report.kind !== 'color' || report.slot !== 11) return;
  const background = backgroundOfReport(report.value);
  if (background && appearance.noteBackground(background)) screen.drawNow();
}

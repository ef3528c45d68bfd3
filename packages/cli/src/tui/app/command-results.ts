/** Carries out the result of a slash command on this surface. */

import { assertNever } from '@castor/core';
import type { CommandContext } from '../../slash/command.ts';
import type { ScreenResult } from '../../surface/prompt-reading.ts';
import type { App } from './app.ts';
import { openDialog } from './open-dialog.ts';
import { reloadExtensions } from './reload-extensions.ts';
import { saveChoice } from './save-choice.ts';
import { changeSession } from './session-change.ts';
import { copyText } from '../terminal/copy-text.ts';

/** A call to propose is no result but a prompt. */
type AppliedResult = Exclude<ScreenResult, { type: 'propose_call' }>;

export async function applyResult(app: App, result: AppliedResult, context: CommandContext): Promise<void> {
  switch (result.type) {
    case 'open_dialog':
      await openDialog(app, result, context);
      return;
    case 'new_session':
      await changeSession(app, {});
      app.clearScreen();
      app.info('A new session has started.');
      return;
    case 'resume_session':
      await changeSession(app, { resume: result.sessionId });
      return;
    case 'copy_text':
      app.options.terminal.write(copyText(result.text));
      app.info('Copied to the clipboard, if the terminal allows it.');
      return;
    case 'reload_extensions':
      return reloadExtensions(app, result);
    case 'toggle_vim': {
      const isVim = !app.state.isVim;
      app.state.isVim = isVim;
      app.composer.setVim(isVim);
      saveChoice(app, 'general.vimMode', isVim, `Vim keys are ${isVim ? 'on' : 'off'}.`);
      return;
    }
    case 'quit':
      app.exit(result.deleteSession);
      return;
    default:
      return assertNever(result);
  }
}

/** What a slash command asked for, carried out on this surface. */

import { assertNever } from '@castor/core';
import type { CommandContext, CommandResult } from '../slash/command.ts';
import type { App } from './app.ts';
import type { PreparedTurn } from './conversation.ts';
import { openDialog } from './open-dialog.ts';
import { saveChoice } from './save-choice.ts';
import { changeSession } from './session-change.ts';
import { copyText } from './terminal/copy-text.ts';

export interface CommandOccasion {
  readonly text: string;
  readonly context: CommandContext;
}

export async function applyResult(
  app: App,
  result: CommandResult,
  { text, context }: CommandOccasion,
): Promise<PreparedTurn | undefined> {
  switch (result.type) {
    case 'message':
      if (result.messageType === 'error') app.fail(result.content);
      else app.info(result.content);
      return undefined;
    case 'submit_prompt':
      for (const note of result.notes ?? []) app.warn(note);
      return { parts: result.parts, text, isShown: true };
    case 'open_dialog':
      await openDialog(app, result.dialog, context);
      return undefined;
    case 'new_session':
      await changeSession(app, {});
      app.clearScreen();
      app.info('A new session has started.');
      return undefined;
    case 'resume_session':
      await changeSession(app, { resume: result.sessionId });
      return undefined;
    case 'copy_text':
      app.options.terminal.write(copyText(result.text));
      app.info('Copied to the clipboard, if the terminal allows it.');
      return undefined;
    case 'toggle_vim': {
      const isVim = !app.state.isVim;
      app.state.isVim = isVim;
      app.composer.setVim(isVim);
      saveChoice(app, 'general.vimMode', isVim, `Vim keys are ${isVim ? 'on' : 'off'}.`);
      return undefined;
    }
    case 'quit':
      app.exit(result.deleteSession);
      return undefined;
    default:
      return assertNever(result);
  }
}

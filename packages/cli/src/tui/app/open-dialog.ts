/** Opens the dialogs of slash commands, each loaded on demand. */

import { assertNever } from '@castor/core';
import type { CommandContext, DialogName } from '../../slash/command.ts';
import type { App } from './app.ts';

export interface DialogQuestion {
  readonly dialog: DialogName;
  readonly argument?: string;
}

/** While the user chooses, the agent neither works nor waits; the window's title shows it. */
export async function choosing(app: App, choose: () => Promise<void>): Promise<void> {
  app.state.isChoosing = true;
  app.onStateChange?.();
  try {
    await choose();
  } finally {
    app.state.isChoosing = false;
    app.onStateChange?.();
  }
}

export function openDialog(app: App, question: DialogQuestion, context: CommandContext): Promise<void> {
  return choosing(app, () => open(app, question, context));
}

async function open(app: App, { dialog, argument }: DialogQuestion, context: CommandContext): Promise<void> {
  const { signal } = context;
  switch (dialog) {
    case 'theme':
      return (await import('../choices/theme.ts')).chooseTheme(app, signal);
    case 'model':
      return (await import('../choices/model.ts')).chooseModel(app, context);
    case 'sessions':
      return (await import('../choices/sessions.ts')).chooseSession(app, context);
    case 'trust':
      return (await import('../choices/trust.ts')).chooseTrust(app, context);
    case 'servers':
      return (await import('../choices/servers.ts')).trustServers(app, context);
    case 'settings':
      return (await import('../choices/settings.ts')).chooseSettings(app, signal);
    case 'editor':
      return (await import('../choices/editor.ts')).chooseEditor(app, signal);
    case 'auth':
      return (await import('../choices/access.ts')).chooseAccess(app, context);
    case 'connect':
      return (await import('../choices/access.ts')).connect(app, argument ?? '', context);
    case 'signout':
      return (await import('../choices/access.ts')).signOut(app);
    case 'footer':
      return (await import('../choices/footer.ts')).chooseFooter(app, signal);
    case 'rewind':
      return (await import('../choices/rewind.ts')).chooseRewind(app, signal);
    case 'diff':
      return (await import('../choices/diff.ts')).chooseChanges(app, signal);
    case 'shortcuts':
      return (await import('../choices/help.ts')).showKeys(app, signal);
    case 'help':
      return (await import('../choices/help.ts')).showHelp(app, context.commands?.all ?? [], signal);
    case 'background':
      return (await import('../choices/background.ts')).showBackground(app, signal);
    case 'agent':
      return (await import('../choices/agent.ts')).configureAgent(app, argument ?? '', context);
    case 'undo':
      return (await import('../choices/undo.ts')).chooseUndo(app, argument ?? '', signal);
    default:
      return assertNever(dialog);
  }
}

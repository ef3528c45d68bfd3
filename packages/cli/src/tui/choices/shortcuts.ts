/** `/shortcuts`: shows the most useful keys, as they are bound now. */

import type { App } from '../app/app.ts';
import { COMMANDS } from '../input/commands.ts';
import type { CommandName } from '../input/commands.ts';

const SHOWN: readonly CommandName[] = [
  'input.submit',
  'input.newline',
  'input.queueMessage',
  'basic.cancel',
  'basic.quit',
  'app.cycleApprovalMode',
  'app.toggleYolo',
  'app.showMoreLines',
  'app.showFullTodos',
  'history.search.start',
  'input.openExternalEditor',
  'input.paste',
  'edit.undo',
  'edit.redo',
  'edit.deleteWordLeft',
  'edit.deleteRightAll',
  'app.clearScreen',
  'app.focusShellInput',
  'app.unfocusShellInput',
  'background.toggle',
  'app.toggleMarkdown',
  'app.toggleCopyMode',
  'app.showErrorDetails',
];

const MORE: readonly (readonly [string, string])[] = [
  ['esc esc', 'Clear the input; on empty input rewind to an earlier message.'],
  ['tab tab', 'On empty input: hide or show the details around the prompt.'],
  ['up', 'On empty input: edit the queued prompts.'],
  ['enter', 'On empty input: send the queued prompts now.'],
  ['@ / !', 'Attach a file, run a command, run a shell command.'],
];

export function showShortcuts(app: App): void {
  const keymap = app.composer.getKeymap();
  const bound = SHOWN.map((name) => [
    [...(keymap.get(name) ?? [])].filter(isOnKeyboard).slice(0, 2).join(', '),
    COMMANDS[name].description,
  ]);
  const rows = [...bound.filter(([keys]) => keys !== ''), ...MORE];
  const width = Math.max(...rows.map(([keys = '']) => keys.length));
  app.info(['Keys:', ...rows.map(([keys = '', sentence]) => `  ${keys.padEnd(width)}  ${sentence}`)].join('\n'));
}

function isOnKeyboard(key: string): boolean {
  return process.platform === 'darwin' || !key.includes('cmd+');
}

/** The commands that only change a text, as actions of the editor. */

import type { CommandName } from './commands.ts';
import type { Key } from './key.ts';
import { findCommand } from './keymap.ts';
import type { Keymap } from './keymap.ts';
import type { BufferAction } from './text-buffer.ts';

const ACTIONS = new Map<CommandName, BufferAction>([
  ['cursor.home', { type: 'move', to: 'lineStart' }],
  ['cursor.end', { type: 'move', to: 'lineEnd' }],
  ['cursor.left', { type: 'move', to: 'left' }],
  ['cursor.right', { type: 'move', to: 'right' }],
  ['cursor.wordLeft', { type: 'move', to: 'wordLeft' }],
  ['cursor.wordRight', { type: 'move', to: 'wordRight' }],
  ['cursor.start', { type: 'move', to: 'start' }],
  ['cursor.finish', { type: 'move', to: 'end' }],
  ['edit.deleteRightAll', { type: 'kill', to: 'lineEnd' }],
  ['edit.deleteLeftAll', { type: 'kill', to: 'lineStart' }],
  ['edit.deleteWordLeft', { type: 'kill', to: 'wordLeft' }],
  ['edit.deleteWordRight', { type: 'kill', to: 'wordRight' }],
  ['edit.deleteLeft', { type: 'erase', to: 'left' }],
  ['edit.deleteRight', { type: 'erase', to: 'right' }],
  ['edit.undo', { type: 'undo' }],
  ['edit.redo', { type: 'redo' }],
  ['edit.yank', { type: 'yank' }],
  ['edit.yankPop', { type: 'yankPop' }],
  ['input.newline', { type: 'insert', text: '\n' }],
]);

const EDITING_COMMANDS = [...ACTIONS.keys()];

export function toEditingAction(keymap: Keymap, key: Key): BufferAction | undefined {
  const command = findCommand(keymap, key, EDITING_COMMANDS);
  return command && ACTIONS.get(command);
}

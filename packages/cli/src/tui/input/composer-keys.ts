/**
 * Routes a key of the composer: first to the search, then to the list of suggestions, to vim, to the editor, and last
 * to the app. It decides; state and effects belong to the controller.
 */

import type { CommandName } from './commands.ts';
import type { ComposerActions } from './composer-actions.ts';
import { toEditingAction } from './editing-commands.ts';
import { formatKey } from './key.ts';
import type { Key } from './key.ts';
import { findCommand, isBoundTo } from './keymap.ts';
import * as state from './composer-state.ts';
import type { ComposerState } from './composer-state.ts';
import { lineAt } from './lines.ts';
import { handleSearchKey, handleSearchText } from './search-keys.ts';
import { handleSuggestionKey } from './suggestion-keys.ts';
import { reduceVimKey } from './vim.ts';
import { countRows, toVisual } from './visual-layout.ts';

/** Asked in this order; the first command bound to the key that does something gets it. */
const COMPOSER_COMMANDS: readonly CommandName[] = [
  'basic.exit',
  'input.newline',
  'input.submit',
  'input.openExternalEditor',
  'input.paste',
  'history.search.start',
  'history.previous',
  'history.next',
  'cursor.up',
  'cursor.down',
  'app.expandPaste',
  'input.queueMessage',
  'basic.cancel',
  'basic.quit',
  'edit.clear',
];

export function handleKey(actions: ComposerActions, key: Key): boolean {
  return (
    handleSearchKey(actions, key) ||
    handleSuggestionKey(actions, key) ||
    vimKey(actions, key) ||
    editorKey(actions, key) ||
    appKey(actions, key)
  );
}

/** A run of text; always true, since only the composer takes text. */
export function handleText(actions: ComposerActions, text: string): boolean {
  if (handleSearchText(actions, text)) return true;
  const current = actions.state();
  if (state.isEmpty(current)) return handleFirstText(actions, text);
  actions.set(state.insertText(current, text));
  return true;
}

/** On empty input `!` switches shell mode and `?` shows the keys. */
function handleFirstText(actions: ComposerActions, text: string): boolean {
  const current = actions.state();
  if (text.startsWith('!')) {
    const next = { ...current, isShell: !current.isShell };
    actions.set(text === '!' ? next : state.insertText(next, text.slice(1)));
    return true;
  }
  const question = { name: '?', ctrl: false, alt: false, shift: false, cmd: false, text: '?' };
  const isQuestion = text === '?' && !current.isShell && isBoundTo(actions.keymap(), question, 'app.showShortcuts');
  if (isQuestion && actions.tellApp('app.showShortcuts', question)) return true;
  actions.set(state.insertText(current, text));
  return true;
}

function vimKey(actions: ComposerActions, key: Key): boolean {
  const current = actions.state();
  if (current.vim === undefined) return false;
  const written = key.text === '' ? formatKey(key) : key.text;
  const spelled = written === 'ctrl+[' ? 'escape' : written;
  // The arrows reach the history at the edge, in every mode.
  if ((spelled === 'up' || spelled === 'down') && current.vim.keys.length === 0) return false;
  const result = reduceVimKey({ vim: current.vim, buffer: current.buffer }, spelled, actions.layout());
  if (result.isHandled) actions.set({ ...current, vim: result.vim, buffer: result.buffer });
  return result.isHandled;
}

function editorKey(actions: ComposerActions, key: Key): boolean {
  const keymap = actions.keymap();
  for (const command of COMPOSER_COMMANDS) {
    if (isBoundTo(keymap, key, command) && runCommand(actions, command, key)) return true;
  }
  if (isBoundTo(keymap, key, 'edit.deleteLeft') && leaveShell(actions)) return true;
  const action = toEditingAction(keymap, key);
  if (action !== undefined) {
    actions.set(state.act(actions.state(), action));
    return true;
  }
  return key.text === '' ? false : handleText(actions, key.text);
}

/** Whether the command did something. */
function runCommand(actions: ComposerActions, command: CommandName, key: Key): boolean {
  const current = actions.state();
  switch (command) {
    case 'basic.exit':
      return state.isEmpty(current) && actions.tellApp(command, key);
    case 'input.newline':
      actions.set(state.act(current, { type: 'insert', text: '\n' }));
      return true;
    case 'input.submit':
      if (state.isEmpty(current) && actions.tellApp(command, key)) return true;
      if (!breakAtBackslash(actions)) actions.submit();
      return true;
    case 'input.openExternalEditor':
      actions.openEditor();
      return true;
    case 'input.paste':
      actions.pasteClipboard();
      return true;
    case 'history.search.start':
      actions.suggestions.close();
      actions.set(state.startSearch(current));
      return true;
    case 'history.previous':
    case 'history.next':
      actions.set(state.recall(current, actions.entries(), command === 'history.previous' ? -1 : 1));
      return true;
    case 'cursor.up':
    case 'cursor.down':
      moveOrRecall(actions, command === 'cursor.up' ? -1 : 1);
      return true;
    case 'app.expandPaste':
      return setIfSome(actions, state.expandBlock(current));
    case 'input.queueMessage':
      return actions.queue();
    case 'basic.cancel':
      return leaveShell(actions) || actions.tellApp(command, key);
    case 'basic.quit':
      return actions.tellApp(command, key);
    case 'edit.clear':
      return setIfSome(actions, state.isEmpty(current) ? undefined : state.replaceText(current, ''));
    default:
      return false;
  }
}

/** Up and Down move by rows, and at the edge through history; Up on empty input recalls the queue. */
function moveOrRecall(actions: ComposerActions, by: -1 | 1): void {
  const current = actions.state();
  const queued = by === -1 && state.isEmpty(current) ? actions.takeQueued() : undefined;
  if (queued !== undefined) {
    actions.set(state.replaceText(current, queued));
    return;
  }
  const layout = actions.layout();
  const { row } = toVisual(layout, current.buffer.caret);
  const isAtEdge = by === -1 ? row === 0 : row === countRows(layout) - 1;
  if (!isAtEdge) {
    actions.set(state.act(current, { type: 'moveRows', by, layout }));
    return;
  }
  const recalled = state.recall(current, actions.entries(), by);
  // No further row: the caret moves as far as it can.
  actions.set(recalled === current ? state.act(current, { type: 'move', to: by === -1 ? 'start' : 'end' }) : recalled);
}

/** `\` before Enter inserts a new line, also where the terminal sends no other key for it. */
function breakAtBackslash(actions: ComposerActions): boolean {
  const current = actions.state();
  const { row, column } = current.buffer.caret;
  if (lineAt(current.buffer.lines, row)[column - 1] !== '\\') return false;
  const range = { start: { row, column: column - 1 }, end: { row, column } };
  actions.set(state.act(current, { type: 'replace', ...range, text: '\n' }));
  return true;
}

function leaveShell(actions: ComposerActions): boolean {
  const current = actions.state();
  return setIfSome(actions, current.isShell && state.isEmpty(current) ? { ...current, isShell: false } : undefined);
}

function setIfSome(actions: ComposerActions, next: ComposerState | undefined): boolean {
  if (next === undefined) return false;
  actions.set(next);
  return true;
}

function appKey(actions: ComposerActions, key: Key): boolean {
  const command = findCommand(actions.keymap(), key, APP_COMMANDS);
  return command !== undefined && actions.tellApp(command, key);
}

/** Commands only the app can run, the more general first where two share a key. */
const APP_COMMANDS: readonly CommandName[] = [
  'app.cycleApprovalMode',
  'app.showMoreLines',
  'app.showFullTodos',
  'app.toggleYolo',
  'app.clearScreen',
  'app.showErrorDetails',
  'app.showIdeContextDetail',
  'app.toggleMarkdown',
  'app.toggleCopyMode',
  'app.toggleMouseMode',
  'app.focusShellInput',
  'app.suspend',
  'background.toggle',
  'scroll.up',
  'scroll.down',
  'scroll.home',
  'scroll.end',
  'scroll.pageUp',
  'scroll.pageDown',
];

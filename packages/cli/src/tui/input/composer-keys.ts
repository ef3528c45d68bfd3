/**
 * What a key means to the composer at this moment: first to the search, then to the
 * list of suggestions, to vim, to the editor, and at last to the app. It decides;
 * state and effects belong to the controller.
 */

import type { CommandName } from './commands.ts';
import type { ComposerHands } from './composer-hands.ts';
import { toEditingAction } from './editing-commands.ts';
import { formatKey } from './key.ts';
import type { Key } from './key.ts';
import { findCommand, isBoundTo } from './keymap.ts';
import * as state from './composer-state.ts';
import type { ComposerState } from './composer-state.ts';
import { lineAt } from './line-at.ts';
import { handleSearchKey, handleSearchText } from './search-keys.ts';
import { handleSuggestionKey } from './suggestion-keys.ts';
import { reduceVimKey } from './vim.ts';
import { countRows, toVisual } from './visual-layout.ts';

/** Asked in this order; the first that stands for the key and does something has it. */
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

export function handleKey(hands: ComposerHands, key: Key): boolean {
  return (
    handleSearchKey(hands, key) ||
    handleSuggestionKey(hands, key) ||
    vimKey(hands, key) ||
    editorKey(hands, key) ||
    appKey(hands, key)
  );
}

/** A run of text; true always, text has no other place to go. */
export function handleText(hands: ComposerHands, text: string): boolean {
  if (handleSearchText(hands, text)) return true;
  const current = hands.state();
  if (state.isEmpty(current)) return handleFirstText(hands, text);
  hands.set(state.insertText(current, text));
  return true;
}

/** On empty input `!` turns shell mode on or off and `?` shows the keys. */
function handleFirstText(hands: ComposerHands, text: string): boolean {
  const current = hands.state();
  if (text.startsWith('!')) {
    const next = { ...current, isShell: !current.isShell };
    hands.set(text === '!' ? next : state.insertText(next, text.slice(1)));
    return true;
  }
  const question = { name: '?', ctrl: false, alt: false, shift: false, cmd: false, text: '?' };
  const isQuestion = text === '?' && !current.isShell && isBoundTo(hands.keymap(), question, 'app.showShortcuts');
  if (isQuestion && hands.tellApp('app.showShortcuts', question)) return true;
  hands.set(state.insertText(current, text));
  return true;
}

function vimKey(hands: ComposerHands, key: Key): boolean {
  const current = hands.state();
  if (current.vim === undefined) return false;
  const written = key.text === '' ? formatKey(key) : key.text;
  const spelled = written === 'ctrl+[' ? 'escape' : written;
  // The arrows reach the history at the edge, in every mode.
  if ((spelled === 'up' || spelled === 'down') && current.vim.keys.length === 0) return false;
  const result = reduceVimKey({ vim: current.vim, buffer: current.buffer }, spelled, hands.layout());
  if (result.isHandled) hands.set({ ...current, vim: result.vim, buffer: result.buffer });
  return result.isHandled;
}

function editorKey(hands: ComposerHands, key: Key): boolean {
  const keymap = hands.keymap();
  for (const command of COMPOSER_COMMANDS) {
    if (isBoundTo(keymap, key, command) && runCommand(hands, command, key)) return true;
  }
  if (isBoundTo(keymap, key, 'edit.deleteLeft') && leaveShell(hands)) return true;
  const action = toEditingAction(keymap, key);
  if (action !== undefined) {
    hands.set(state.act(hands.state(), action));
    return true;
  }
  return key.text === '' ? false : handleText(hands, key.text);
}

/** Whether the command had something to do. */
function runCommand(hands: ComposerHands, command: CommandName, key: Key): boolean {
  const current = hands.state();
  switch (command) {
    case 'basic.exit':
      return state.isEmpty(current) && hands.tellApp(command, key);
    case 'input.newline':
      hands.set(state.act(current, { type: 'insert', text: '\n' }));
      return true;
    case 'input.submit':
      if (state.isEmpty(current) && hands.tellApp(command, key)) return true;
      if (!breakAtBackslash(hands)) hands.submit();
      return true;
    case 'input.openExternalEditor':
      hands.openEditor();
      return true;
    case 'input.paste':
      hands.pasteClipboard();
      return true;
    case 'history.search.start':
      hands.suggestions.close();
      hands.set(state.startSearch(current));
      return true;
    case 'history.previous':
    case 'history.next':
      hands.set(state.recall(current, hands.entries(), command === 'history.previous' ? -1 : 1));
      return true;
    case 'cursor.up':
    case 'cursor.down':
      moveOrRecall(hands, command === 'cursor.up' ? -1 : 1);
      return true;
    case 'app.expandPaste':
      return setIfSome(hands, state.expandBlock(current));
    case 'input.queueMessage':
      return hands.queue();
    case 'basic.cancel':
      return leaveShell(hands) || hands.tellApp(command, key);
    case 'basic.quit':
      return hands.tellApp(command, key);
    case 'edit.clear':
      return setIfSome(hands, state.isEmpty(current) ? undefined : state.replaceText(current, ''));
    default:
      return false;
  }
}

/** Up and Down move by rows, and at the edge through history; Up on empty input takes back what is queued. */
function moveOrRecall(hands: ComposerHands, by: -1 | 1): void {
  const current = hands.state();
  const queued = by === -1 && state.isEmpty(current) ? hands.takeQueued() : undefined;
  if (queued !== undefined) {
    hands.set(state.replaceText(current, queued));
    return;
  }
  const layout = hands.layout();
  const { row } = toVisual(layout, current.buffer.caret);
  const isAtEdge = by === -1 ? row === 0 : row === countRows(layout) - 1;
  if (!isAtEdge) {
    hands.set(state.act(current, { type: 'moveRows', by, layout }));
    return;
  }
  const recalled = state.recall(current, hands.entries(), by);
  // Nothing further that way: the caret goes as far as it can.
  hands.set(recalled === current ? state.act(current, { type: 'move', to: by === -1 ? 'start' : 'end' }) : recalled);
}

/** `\` before Enter is a new line, also where no other key for it gets through. */
function breakAtBackslash(hands: ComposerHands): boolean {
  const current = hands.state();
  const { row, column } = current.buffer.caret;
  if (lineAt(current.buffer.lines, row)[column - 1] !== '\\') return false;
  const range = { start: { row, column: column - 1 }, end: { row, column } };
  hands.set(state.act(current, { type: 'replace', ...range, text: '\n' }));
  return true;
}

function leaveShell(hands: ComposerHands): boolean {
  const current = hands.state();
  return setIfSome(hands, current.isShell && state.isEmpty(current) ? { ...current, isShell: false } : undefined);
}

function setIfSome(hands: ComposerHands, next: ComposerState | undefined): boolean {
  if (next === undefined) return false;
  hands.set(next);
  return true;
}

function appKey(hands: ComposerHands, key: Key): boolean {
  const command = findCommand(hands.keymap(), key, APP_COMMANDS);
  return command !== undefined && hands.tellApp(command, key);
}

/** What only the app can do, the more general first where two share a key. */
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

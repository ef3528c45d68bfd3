/** Handles keys while the list of suggestions is open. */

import type { ComposerActions } from './composer-actions.ts';
import { act } from './composer-state.ts';
import type { Key } from './key.ts';
import { isBoundTo } from './keymap.ts';
import { lineAt } from './lines.ts';

/** False when the list is closed, or does not use the key. */
export function handleSuggestionKey(actions: ComposerActions, key: Key): boolean {
  const { suggestions } = actions;
  if (!suggestions.isOpen()) return false;
  const keymap = actions.keymap();
  if (isBoundTo(keymap, key, 'suggest.focusPrevious')) suggestions.moveBy(-1);
  else if (isBoundTo(keymap, key, 'suggest.focusNext')) suggestions.moveBy(1);
  else if (isBoundTo(keymap, key, 'basic.cancel')) suggestions.dismiss();
  else if (isBoundTo(keymap, key, 'suggest.accept')) return acceptSuggestion(actions, key);
  else return expandSuggestion(actions, key);
  return true;
}

/** These keys also move the caret: where the list has nothing to show for them, they do. */
function expandSuggestion(actions: ComposerActions, key: Key): boolean {
  const keymap = actions.keymap();
  const { caret, lines } = actions.state().buffer;
  const isExpanded = actions.suggestions.list()?.isExpanded ?? false;
  const isAtEnd = caret.column === lines[caret.row]?.length;
  const isMore = !isExpanded && isAtEnd && actions.isSuggestionCut() && isBoundTo(keymap, key, 'suggest.expand');
  const isLess = isExpanded && isBoundTo(keymap, key, 'suggest.collapse');
  if (isMore || isLess) actions.suggestions.expand(isMore);
  return isMore || isLess;
}

function acceptSuggestion(actions: ComposerActions, key: Key): boolean {
  const chosen = actions.suggestions.chosen();
  if (chosen === undefined) return false;
  const { suggestion, target } = chosen;
  // A completely typed suggestion is submitted.
  if (suggestion.isExact && isBoundTo(actions.keymap(), key, 'input.submit')) return false;
  const current = actions.state();
  const { row } = current.buffer.caret;
  const line = lineAt(current.buffer.lines, row);
  // An existing blank is not doubled.
  const insert = line[target.end] === ' ' ? suggestion.insert.trimEnd() : suggestion.insert;
  const range = { start: { row, column: target.start }, end: { row, column: target.end } };
  actions.suggestions.close();
  actions.set(act(current, { type: 'replace', ...range, text: insert }));
  return true;
}

/** Handles keys and text while the user searches the history. */

import type { ComposerActions } from './composer-actions.ts';
import { endSearch, searchFor } from './composer-state.ts';
import { formatKey } from './key.ts';
import type { Key } from './key.ts';
import { isBoundTo } from './keymap.ts';

/** Text extends the query; false without a search. */
export function handleSearchText(actions: ComposerActions, text: string): boolean {
  const current = actions.state();
  if (current.search === undefined) return false;
  actions.set(searchFor(current, actions.entries(), { query: current.search.query + text, isOlder: false }));
  return true;
}

/** False without a search, or when the key ends the search and keeps its usual meaning. */
export function handleSearchKey(actions: ComposerActions, key: Key): boolean {
  const current = actions.state();
  if (current.search === undefined) return false;
  const keymap = actions.keymap();
  const { query } = current.search;
  const isCancel = isBoundTo(keymap, key, 'basic.cancel') || isBoundTo(keymap, key, 'basic.quit');
  if (isBoundTo(keymap, key, 'history.search.start')) {
    actions.set(searchFor(current, actions.entries(), { query, isOlder: true }));
  } else if (isBoundTo(keymap, key, 'edit.deleteLeft')) {
    const shorter = [...query].slice(0, -1).join('');
    actions.set(searchFor(current, actions.entries(), { query: shorter, isOlder: false }));
  } else if (isCancel || formatKey(key) === 'ctrl+g') {
    actions.set(endSearch(current, { isKept: false }));
  } else if (isBoundTo(keymap, key, 'history.search.accept')) {
    actions.set(endSearch(current, { isKept: true }));
  } else if (key.text !== '') {
    handleSearchText(actions, key.text);
  } else {
    actions.set(endSearch(current, { isKept: true }));
    if (!isBoundTo(keymap, key, 'history.search.submit')) return false;
    actions.submit();
  }
  return true;
}

/** What keys and text mean while the history is searched. */

import type { ComposerHands } from './composer-hands.ts';
import { endSearch, searchFor } from './composer-state.ts';
import { formatKey } from './key.ts';
import type { Key } from './key.ts';
import { isBoundTo } from './keymap.ts';

/** Text makes the query longer; false when nothing is searched. */
export function handleSearchText(hands: ComposerHands, text: string): boolean {
  const current = hands.state();
  if (current.search === undefined) return false;
  hands.set(searchFor(current, hands.entries(), { query: current.search.query + text, isOlder: false }));
  return true;
}

/** False when nothing is searched, or the key ends the search and then means what it means. */
export function handleSearchKey(hands: ComposerHands, key: Key): boolean {
  const current = hands.state();
  if (current.search === undefined) return false;
  const keymap = hands.keymap();
  const { query } = current.search;
  const isCancel = isBoundTo(keymap, key, 'basic.cancel') || isBoundTo(keymap, key, 'basic.quit');
  if (isBoundTo(keymap, key, 'history.search.start')) {
    hands.set(searchFor(current, hands.entries(), { query, isOlder: true }));
  } else if (isBoundTo(keymap, key, 'edit.deleteLeft')) {
    const shorter = [...query].slice(0, -1).join('');
    hands.set(searchFor(current, hands.entries(), { query: shorter, isOlder: false }));
  } else if (isCancel || formatKey(key) === 'ctrl+g') {
    hands.set(endSearch(current, { isKept: false }));
  } else if (isBoundTo(keymap, key, 'history.search.accept')) {
    hands.set(endSearch(current, { isKept: true }));
  } else if (key.text !== '') {
    handleSearchText(hands, key.text);
  } else {
    hands.set(endSearch(current, { isKept: true }));
    if (!isBoundTo(keymap, key, 'history.search.submit')) return false;
    hands.submit();
  }
  return true;
}

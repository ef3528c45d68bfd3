/**
 * Keys that the user entered in this process. They precede every other place, since they are the user's last word, and
 * they are in no environment, so that no command sees them. A key belongs to the address it was entered for.
 */

import { debugLogger } from '@castor/core';

interface Address {
  id: string;
  baseUrl: string;
}

const entered = new Map<string, string>();
/** Providers whose key was entered since they were last opened. */
const changed = new Set<string>();

const nameOf = ({ id, baseUrl }: Address) => `${id} ${baseUrl}`;

export function enterKey(provider: Address, key: string): void {
  debugLogger.hide(key);
  entered.set(nameOf(provider), key);
  changed.add(provider.id);
}

export function enteredKey(provider: Address): string | undefined {
  return entered.get(nameOf(provider));
}

/** Whether a provider that is open has another key than the one the user entered; true once for each. */
export function takeChangedKey(id: string): boolean {
  return changed.delete(id);
}

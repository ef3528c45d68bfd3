/** Names keys as they are bound now: `shift+tab back to the prompt · ctrl+b to the background`. Pure. */

import type { CommandName } from '../input/commands.ts';
import type { Keymap } from '../input/keymap.ts';

export type KeyHint = readonly [key: string, does: string];

/** The first key of a command; undefined when it has none. */
export function keyOf(keymap: Keymap, command: CommandName): string | undefined {
  return keymap.get(command)?.values().next().value;
}

/** Commands without a key are left out. */
export function keysOf(keymap: Keymap, rows: readonly (readonly [command: CommandName, does: string])[]): KeyHint[] {
  return rows.flatMap(([command, does]) => {
    const key = keyOf(keymap, command);
    return key === undefined ? [] : [[key, does] as const];
  });
}

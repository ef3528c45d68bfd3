/** Describes keys as they are bound now: `shift+tab: back to the prompt · ctrl+b: background`. Pure. */

import type { CommandName } from '../input/commands.ts';
import type { Keymap } from '../input/keymap.ts';

/** The first key of a command; undefined when it has none. */
export function keyOf(keymap: Keymap, command: CommandName): string | undefined {
  return keymap.get(command)?.values().next().value;
}

/** Commands without a key are left out. */
export function hintOf(keymap: Keymap, rows: readonly (readonly [command: CommandName, does: string])[]): string {
  return rows
    .map(([command, does]) => [keyOf(keymap, command), does] as const)
    .filter(([key]) => key !== undefined)
    .map(([key, does]) => `${key}: ${does}`)
    .join(' · ');
}

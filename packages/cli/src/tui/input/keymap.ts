/** Which keys stand for which command: the table of defaults with a person's changes. Pure. */

import { COMMANDS, COMMAND_NAMES } from './commands.ts';
import type { CommandName } from './commands.ts';
import { formatKey } from './key.ts';
import type { Key } from './key.ts';

export type Keymap = ReadonlyMap<CommandName, ReadonlySet<string>>;

export interface KeyBinding {
  readonly command: CommandName;
  /** In the spelling of `formatKey`. */
  readonly key: string;
  readonly isRemoved: boolean;
}

/** The defaults with the bindings applied in order: one adds a key to a command or takes it away. */
export function createKeymap(bindings: readonly KeyBinding[] = []): Keymap {
  const keymap = new Map<CommandName, Set<string>>();
  for (const name of COMMAND_NAMES) keymap.set(name, new Set(COMMANDS[name].keys));
  for (const { command, key, isRemoved } of bindings) {
    if (isRemoved) keymap.get(command)!.delete(key);
    else keymap.get(command)!.add(key);
  }
  return keymap;
}

export function isBoundTo(keymap: Keymap, key: Key, command: CommandName): boolean {
  return keymap.get(command)?.has(formatKey(key)) ?? false;
}

/** The first of some commands that a key stands for. */
export function findCommand(
  keymap: Keymap,
  key: Key,
  candidates: readonly CommandName[] = COMMAND_NAMES,
): CommandName | undefined {
  const spelled = formatKey(key);
  return candidates.find((command) => keymap.get(command)?.has(spelled));
}

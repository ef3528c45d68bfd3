/**
 * Maps keys to commands: the table of defaults with the user's changes. A key the user binds is removed from other
 * commands of the same place, unless the user bound those as well. Pure.
 */

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

/** Without these the user could not leave: they keep their keys until the user removes one by `-`. */
const KEPT: ReadonlySet<CommandName> = new Set(['basic.confirm', 'basic.cancel', 'basic.quit']);
/** Commands that apply only while something else than the prompt has the keys. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^nav\.|^app\.restart$|^extension\./, 'dialog'],
  [/^suggest\./, 'suggestions'],
  [/^history\.search\.(?:submit|accept)$/, 'search'],
  [/^background\.(?!toggle$)/, 'background'],
  [/^app\.(?:unfocusShellInput|showShellUnfocusWarning)$/, 'shell'],
];

/** The defaults with the bindings applied in order: each adds a key to a command or removes it. */
export function createKeymap(bindings: readonly KeyBinding[] = []): Keymap {
  const keymap = new Map<CommandName, Set<string>>();
  for (const name of COMMAND_NAMES) keymap.set(name, new Set(COMMANDS[name].keys));
  for (const binding of bindings) {
    for (const other of displacedBy(binding, bindings)) keymap.get(other)!.delete(binding.key);
  }
  for (const { command, key, isRemoved } of bindings) {
    if (isRemoved) keymap.get(command)!.delete(key);
    else keymap.get(command)!.add(key);
  }
  return keymap;
}

/** A command that keeps the key by default and precedes the one the user bound to it. */
export function findClash(binding: KeyBinding, bindings: readonly KeyBinding[]): CommandName | undefined {
  return rivalsOf(binding, bindings).find((name) => KEPT.has(name));
}

/** A command of the same place that an earlier row of the user gave the same key; some are made to share one. */
export function findOwnClash(binding: KeyBinding, bindings: readonly KeyBinding[]): CommandName | undefined {
  const { command, key, isRemoved } = binding;
  if (isRemoved) return undefined;
  const isTakenBack = (name: CommandName) =>
    bindings.some((other) => other.isRemoved && other.command === name && other.key === key);
  const shares = (name: CommandName) => COMMANDS[name].keys.some((each) => COMMANDS[command].keys.includes(each));
  return bindings
    .slice(0, bindings.indexOf(binding))
    .filter((other) => !other.isRemoved && other.key === key && other.command !== command)
    .map((other) => other.command)
    .find((name) => placeOf(name) === placeOf(command) && !shares(name) && !isTakenBack(name));
}

function displacedBy(binding: KeyBinding, bindings: readonly KeyBinding[]): CommandName[] {
  return rivalsOf(binding, bindings).filter((name) => !KEPT.has(name));
}

/** Commands of the same place that have the key by default and that the user did not bind. */
function rivalsOf({ command, key, isRemoved }: KeyBinding, bindings: readonly KeyBinding[]): CommandName[] {
  if (isRemoved || COMMANDS[command].keys.includes(key)) return [];
  const said = new Set(bindings.filter((other) => other.key === key).map((other) => other.command));
  const place = placeOf(command);
  return COMMAND_NAMES.filter(
    (name) => COMMANDS[name].keys.includes(key) && !said.has(name) && (KEPT.has(name) || placeOf(name) === place),
  );
}

function placeOf(command: CommandName): string {
  return ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1] ?? 'prompt';
}

export function isBoundTo(keymap: Keymap, key: Key, command: CommandName): boolean {
  return keymap.get(command)?.has(formatKey(key)) ?? false;
}

/** The first of some commands that a key is bound to. */
export function findCommand(
  keymap: Keymap,
  key: Key,
  candidates: readonly CommandName[] = COMMAND_NAMES,
): CommandName | undefined {
  const spelled = formatKey(key);
  return candidates.find((command) => keymap.get(command)?.has(spelled));
}

/**
 * Loads `~/.gemini/keybindings.json`: a list of `{command, key}`, comments allowed; a command with a leading `-`
 * removes the key. An invalid row is skipped and reported with its line; the others count. Invalid content never
 * throws.
 */

import { readFile } from 'node:fs/promises';
import { getErrorMessage } from '@castor/core';
import { isRecord, JsonMistake, parseJsonItems, toValue } from '@castor/core/program';
import { nearest } from '../../nearest.ts';
import { COMMAND_NAMES, isCommandName } from './commands.ts';
import { parseKeyName } from './key.ts';
import { findClash, findOwnClash } from './keymap.ts';
import type { KeyBinding } from './keymap.ts';

export interface LoadedBindings {
  readonly bindings: readonly KeyBinding[];
  /** For users: `file:line: what is wrong and what to do`. */
  readonly warnings: readonly string[];
}

const MAX_BYTES = 1024 * 1024;

/** No file means no changes. */
export async function loadKeyBindings(file: string): Promise<LoadedBindings> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { bindings: [], warnings: [] };
    const reason = getErrorMessage(error);
    return { bindings: [], warnings: [`${file}: the key bindings are not readable, so the defaults apply: ${reason}`] };
  }
  return parseKeyBindings(text, file);
}

export function parseKeyBindings(text: string, file: string): LoadedBindings {
  if (text.length > MAX_BYTES) {
    return {
      bindings: [],
      warnings: [`${file}: the file is larger than 1 MB, so the defaults apply.`],
    };
  }
  const items = parseJsonItems(text);
  if (items === undefined) {
    return {
      bindings: [],
      warnings: [
        `${file}:1: expected a list such as [{"command": "edit.clear", "key": "ctrl+l"}]; the defaults apply.`,
      ],
    };
  }
  const bindings: KeyBinding[] = [];
  const lines: number[] = [];
  const warnings: string[] = [];
  for (const item of items) {
    const isMistake = item instanceof JsonMistake;
    const row = isMistake ? `not valid JSON (${item.message}).` : toBinding(toValue(item));
    const line = text.slice(0, isMistake ? item.offset : item.start).split('\n').length;
    if (typeof row === 'string') warnings.push(`${file}:${line}: ${row} This row was skipped.`);
    else lines[bindings.push(row) - 1] = line;
  }
  for (const [index, binding] of bindings.entries()) {
    const { command, key } = binding;
    const own = findOwnClash(binding, bindings);
    if (own !== undefined)
      warnings.push(
        `${file}:${lines[index]}: "${key}" is bound to ${own} and to ${command}. Give one of them another key.`,
      );
    const clash = findClash(binding, bindings);
    if (clash === undefined) continue;
    const remedy = `Bind another key, or add {"command": "-${clash}", "key": "${key}"}.`;
    warnings.push(`${file}:${lines[index]}: "${key}" stays with ${clash}, which comes before ${command}. ${remedy}`);
  }
  return { bindings, warnings };
}

/** The binding, or its error. */
function toBinding(value: unknown): KeyBinding | string {
  const { command, key } = isRecord(value) ? value : {};
  if (typeof command !== 'string' || typeof key !== 'string') {
    return 'expected {"command": "…", "key": "…"}, both strings.';
  }
  const isRemoved = command.startsWith('-');
  const name = isRemoved ? command.slice(1) : command;
  if (!isCommandName(name)) {
    const similar = nearest(name, COMMAND_NAMES);
    return `unknown command "${name}".${similar === undefined ? '' : ` Did you mean "${similar}"?`}`;
  }
  const spelled = parseKeyName(key);
  if (spelled === undefined) {
    return `invalid key "${key}". Write modifiers ctrl, alt, shift, cmd and one key with + between, such as "ctrl+shift+z".`;
  }
  return { command: name, key: spelled, isRemoved };
}

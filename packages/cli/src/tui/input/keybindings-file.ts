/**
 * `~/.gemini/keybindings.json`: a list of `{command, key}`, comments allowed, a
 * command with `-` before it takes the key away. A row that cannot be used is left
 * out and told with its line; the others count. It never throws for what is written.
 */

import { readFile } from 'node:fs/promises';
import { nearest } from '../../nearest.ts';
import { COMMAND_NAMES, isCommandName } from './commands.ts';
import { parseKeyName } from './key.ts';
import type { KeyBinding } from './keymap.ts';

export interface LoadedBindings {
  readonly bindings: readonly KeyBinding[];
  /** For people: `file:line: what is wrong and what to do`. */
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
    const reason = error instanceof Error ? error.message : String(error);
    return { bindings: [], warnings: [`${file}: the key bindings cannot be read and the defaults count: ${reason}`] };
  }
  return parseKeyBindings(text, file);
}

export function parseKeyBindings(text: string, file: string): LoadedBindings {
  if (text.length > MAX_BYTES) {
    return {
      bindings: [],
      warnings: [`${file}: more than a megabyte is no list of key bindings; the defaults count.`],
    };
  }
  const elements = splitArray(text.replace(/^\uFEFF/, ''));
  if (elements === undefined) {
    return {
      bindings: [],
      warnings: [
        `${file}:1: expected a list such as [{"command": "edit.clear", "key": "ctrl+l"}]; the defaults count.`,
      ],
    };
  }
  const bindings: KeyBinding[] = [];
  const warnings: string[] = [];
  for (const { source, line } of elements) {
    const row = parseRow(source);
    if (typeof row === 'string') warnings.push(`${file}:${line}: ${row} This row is left out.`);
    else bindings.push(row);
  }
  return { bindings, warnings };
}

/** The binding, or what is wrong with it. */
function parseRow(source: string): KeyBinding | string {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return `not valid JSON (${error instanceof Error ? error.message : String(error)}).`;
  }
  const { command, key } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof command !== 'string' || typeof key !== 'string') {
    return 'expected {"command": "…", "key": "…"}, both as text.';
  }
  const isRemoved = command.startsWith('-');
  const name = isRemoved ? command.slice(1) : command;
  if (!isCommandName(name)) {
    const similar = nearest(name, COMMAND_NAMES);
    return `there is no command "${name}".${similar === undefined ? '' : ` Did you mean "${similar}"?`}`;
  }
  const spelled = parseKeyName(key);
  if (spelled === undefined) {
    return `"${key}" is no key. Write modifiers ctrl, alt, shift, cmd and one key with + between, such as "ctrl+shift+z".`;
  }
  return { command: name, key: spelled, isRemoved };
}

interface Element {
  readonly source: string;
  readonly line: number;
}

/** Strings, comments, line breaks and single characters, in order. */
const PIECES = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g;

/** The elements of a list, each with the line it begins in; undefined when the text is no list. */
function splitArray(text: string): Element[] | undefined {
  const elements: Element[] = [];
  let source = '';
  let line = 1;
  let startLine = 1;
  let depth = 0;
  const endElement = () => {
    if (source.trim() !== '') elements.push({ source: source.trim(), line: startLine });
    source = '';
  };
  for (const [piece] of text.matchAll(PIECES)) {
    const shown = /^\/[/*]/.test(piece) ? '' : piece;
    if (depth === 0 && shown.trim() !== '' && shown !== '[') return elements.length > 0 ? elements : undefined;
    const depthBefore = depth;
    depth += depthChange(shown);
    if (depthBefore === 1 && (shown === ',' || depth === 0)) endElement();
    else if (depthBefore > 0) {
      if (source.trim() === '') startLine = line;
      source += shown;
    }
    line += piece.split('\n').length - 1;
  }
  endElement();
  return text.trim().startsWith('[') || elements.length > 0 ? elements : undefined;
}

function depthChange(piece: string): number {
  if (piece === '[' || piece === '{') return 1;
  return piece === ']' || piece === '}' ? -1 : 0;
}

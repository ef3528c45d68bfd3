/**
 * Writes single settings into a file. The rest of the file stays unchanged, the file is never
 * half-written, and an unreadable file is rejected with an error.
 */

import { isDeepStrictEqual } from 'node:util';
import { createJson, editJson } from '../util/edit-json.ts';
import { parseJsonText, parseJsonTree } from './json-text.ts';
import { findEntry, toValue } from '../util/json-with-comments.ts';
import type { LoadedSettings } from './load-settings.ts';
import type { SettingsEdit } from './migrate-settings.ts';
import { readSettingsFile, replaceSettingsFile } from './settings-disk.ts';
import { SettingsError } from './settings-error.ts';
import { isRecord } from '../util/is-record.ts';

/**
 * Sets one value, or removes it when undefined is given. A key is its parts, joined by
 * dots unless one of them contains a dot itself. Returns whether the file changed. Throws a
 * SettingsError and then leaves the file unchanged.
 */
export function saveSetting(path: string, key: string | readonly string[], value: unknown): boolean {
  return saveSettings(path, [{ path: typeof key === 'string' ? key.split('.') : key, value }]);
}

/** The text of the file after `saveSetting`, of the file as it is or as `source` has it. Throws what `saveSetting` throws. */
export function previewSetting(path: string, key: readonly string[], value: unknown, source?: string): string {
  return editText(path, source ?? readForEditing(path), { path: key, value });
}

/** Writes all edits or none. */
function saveSettings(path: string, edits: readonly SettingsEdit[]): boolean {
  const old = readForEditing(path);
  let text = old;
  for (const edit of edits) text = editText(path, text, edit);
  if (text === old) return false;
  try {
    replaceSettingsFile(path, text);
    return true;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${path} could not be written (${code}). The file is unchanged.`, { path, cause: error });
  }
}

/** Migrates the user's and the folder's files. Returns a sentence for each file it could not write. */
export function writeMigrations({ layers }: Pick<LoadedSettings, 'layers'>): string[] {
  const problems: string[] = [];
  for (const { scope, path, migrations } of layers) {
    if (path === undefined || migrations.length === 0 || (scope !== 'user' && scope !== 'workspace')) continue;
    try {
      saveSettings(path, migrations);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

function readForEditing(path: string): string {
  const file = readSettingsFile(path);
  if (file === undefined) return '';
  if (file.isUtf8) return file.text;
  // Writing them back would change other bytes.
  throw new SettingsError(`${path} was not changed: it is not valid UTF-8.`, { path });
}

function editText(path: string, source: string, { path: keys, value }: SettingsEdit): string {
  if (keys.length === 0 || keys.includes('') || keys.includes('__proto__')) {
    throw new SettingsError(`"${keys.join('.')}" is not a valid setting name.`, { path });
  }
  const before = parseJsonText(path, source);
  const root = parseJsonTree(path, source);
  if (root === undefined)
    return value === undefined
      ? source
      : source.trimEnd() + (source.trim() === '' ? '' : '\n') + createJson(keys, value);
  const edited = editJson({ source, root, path: keys, value });
  if (edited === undefined) {
    throw new SettingsError(
      `${path} was not changed: ${keys.join('.')} cannot be set, because a parent key is not an object.`,
      { path },
    );
  }
  refuseOtherChange(path, { before, edited, keys, value });
  return edited;
}

interface EditCheck {
  before: Record<string, unknown>;
  edited: string;
  keys: readonly string[];
  value: unknown;
}

/** Double-checks before writing: the edited text must change exactly the requested value. */
function refuseOtherChange(path: string, check: EditCheck): void {
  if (saysWhatWasAsked(path, check)) return;
  const key = check.keys.join('.');
  throw new SettingsError(`${path} was not changed: setting ${key} would have changed other settings too.`, { path });
}

function saysWhatWasAsked(path: string, { before, edited, keys, value }: EditCheck): boolean {
  try {
    const node = findEntry(parseJsonTree(path, edited), keys)?.entry.node;
    const asked = value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
    const isSet = isDeepStrictEqual(node && toValue(node), asked);
    return isSet && isDeepStrictEqual(without(parseJsonText(path, edited), keys), without(before, keys));
  } catch (error) {
    if (error instanceof SettingsError) return false;
    throw error;
  }
}

/** A copy without one value and the empty objects around it. */
function without(values: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (!isRecord(values)) return values;
  const { [key]: inner, ...others } = values;
  if (rest.length === 0 || inner === undefined) return others;
  const kept = without(inner, rest);
  const isEmpty = typeof kept === 'object' && kept !== null && Object.keys(kept).length === 0;
  return isEmpty ? others : { ...others, [key]: kept };
}

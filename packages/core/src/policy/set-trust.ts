/** Writes the user's decision on a folder into the file of trusted folders. It changes only the bytes of its entry. */

import { basename } from 'node:path';
import { createJson, editJson } from '../util/edit-json.ts';
import { readTextFile, realPathOf, replaceTextFile } from './policy-disk.ts';
import { parseObject, toEntries } from './string-map-file.ts';
import type { TrustLevel } from './trusted-folders.ts';

/** The rest of the file, comments included, stays as it is. Throws when the file is not a JSON object of strings. */
export function setTrust(path: string, folder: string, level: TrustLevel): void {
  const key = realPathOf(folder);
  if (level === 'TRUST_PARENT' && basename(key) === '') throw new Error(`${key} has no parent folder.`);
  const old = readTextFile(path) ?? '';
  const text = editEntry(old, key, level);
  if (text === undefined) throw new Error(`${path} was not changed, because it is not a JSON object of strings.`);
  if (text !== old) replaceTextFile(path, text);
}

/** The text with one entry set; undefined when the text is not such an object. */
function editEntry(text: string, key: string, value: string): string | undefined {
  if (text.trim() === '') return createJson([key], value);
  const root = parseObject(text);
  const entries = toEntries(root);
  if (root === undefined || entries === undefined) return undefined;
  const present = entries.findLast((entry) => entry.key === key);
  return present?.value === value ? text : editJson({ source: text, root, path: [key], value });
}

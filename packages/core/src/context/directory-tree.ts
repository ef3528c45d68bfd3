/**
 * The tree of a folder as the model is told it at the start: names, breadth first, until
 * there are enough of them. What is ignored is left out, folders that are never looked
 * into are named only, links are not followed. Names are data: one line each, whatever
 * is in them.
 */

import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { EXCLUDED_DIRECTORIES } from '../tools/files/search-scope.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { shorten } from '../util/short-text.ts';

const MOST_NAMES = 200;
/** One folder of thousands of files must not hide the others. */
const MOST_NAMES_OF_A_FOLDER = 50;
/** So many are looked into: every start pays for them, and what lies deep is found when it is needed. */
const MOST_FOLDERS = 8;
const LONGEST_NAME = 120;

interface Folder {
  name: string;
  path: string;
  files: string[];
  folders: Folder[];
  omitted: number;
  /** Whether its names are known. */
  isOpen: boolean;
}

/** Empty where there is nothing to tell. Never throws. */
export function describeTree(workspace: Workspace): string {
  const root = createFolder(workspace.root, workspace.root);
  let left = MOST_NAMES;
  const waiting = [root];
  for (let read = 0; read < MOST_FOLDERS && left > 0; read++) {
    const folder = waiting.shift();
    if (!folder) break;
    left -= openFolder(folder, left, workspace);
    waiting.push(...folder.folders.filter(({ name }) => !EXCLUDED_DIRECTORIES.includes(name)));
  }
  if (root.files.length + root.folders.length === 0) return '';
  const { root: path } = workspace;
  return `The folder ${path} contains (… marks omitted entries):\n${renderInside(root, '  ').join('\n')}`;
}

function createFolder(name: string, path: string): Folder {
  return { name, path, files: [], folders: [], omitted: 0, isOpen: false };
}

/** How many names it took. */
function openFolder(folder: Folder, left: number, { ignore }: Workspace): number {
  folder.isOpen = true;
  const known = readFolder(folder.path)
    .filter((entry) => entry.name !== '.git')
    .map((entry) => ({ entry, path: join(folder.path, entry.name) }))
    .filter(({ entry, path }) => !ignore.isIgnored(path, entry.isDirectory() ? 'directory' : 'file'))
    .toSorted((one, other) => (one.entry.name < other.entry.name ? -1 : 1));
  const shown = known.slice(0, Math.min(left, MOST_NAMES_OF_A_FOLDER));
  folder.omitted = known.length - shown.length;
  for (const { entry, path } of shown) {
    if (entry.isDirectory()) folder.folders.push(createFolder(entry.name, path));
    else folder.files.push(entry.name);
  }
  return shown.length;
}

/** At once: a few dozen looks that every start waits for. */
function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // A folder that cannot be read has no names for us.
    return [];
  }
}

function renderInside({ files, folders, omitted }: Folder, indent: string): string[] {
  return [
    ...files.map((name) => indent + toLine(name)),
    ...folders.flatMap((folder) => [
      `${indent}${toLine(folder.name)}/${folder.isOpen ? '' : ' …'}`,
      ...renderInside(folder, `${indent}  `),
    ]),
    ...(omitted > 0 ? [`${indent}… ${omitted} more`] : []),
  ];
}

function toLine(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>]/gu, '?');
  return shorten(line, LONGEST_NAME);
}

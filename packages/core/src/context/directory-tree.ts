/**
 * Describes a folder's tree for the model at the start: names, breadth first, up to a limit.
 * Omits ignored entries, lists excluded folders by name only, and does not follow links.
 * Names are data: each is one line, whatever characters it contains.
 */

import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { sep } from 'node:path';
import { EXCLUDED_DIRECTORIES } from '../tools/files/search-scope.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { shorten } from '../util/short-text.ts';

const MOST_NAMES = 200;
/** One folder with thousands of files must not crowd out the others. */
const MOST_NAMES_OF_A_FOLDER = 50;
/** The number of folders listed: every start pays for them, and the model finds deeper ones when needed. */
const MOST_FOLDERS = 8;
const LONGEST_NAME = 120;

interface Folder {
  name: string;
  path: string;
  files: string[];
  folders: Folder[];
  omitted: number;
  /** Whether its names are listed. */
  isOpen: boolean;
}

/** Empty without names to list. Never throws. */
export function describeTree(workspace: Pick<Workspace, 'root' | 'ignore'>): string {
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

/** Returns how many names it added. */
function openFolder(folder: Folder, left: number, { ignore }: Pick<Workspace, 'ignore'>): number {
  folder.isOpen = true;
  const inside = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  const known = readFolder(folder.path)
    .filter((entry) => entry.name !== '.git')
    .map((entry) => ({ entry, path: `${inside}${entry.name}` }))
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

/** Synchronous: a few dozen reads that every start waits for. */
function readFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // An unreadable folder counts as empty.
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

/**
 * Performs the offline model's actions when no tools are declared: it reads one folder through a port. It changes
 * nothing and runs nothing, and reports that. Outcomes use the tools' wording, so that the work is the same either
 * way.
 */

import { getErrorMessage } from '../../protocol/errors.ts';
import type { Action, Outcome } from './work.ts';

export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'other';
  /** In bytes. */
  size: number;
}

/**
 * Paths are relative to the folder; the port rejects paths that leave it. Rejections carry a message for the user.
 */
export interface OfflineFolder {
  listDirectory(path: string): Promise<FolderEntry[]>;
  readText(path: string): Promise<string>;
}

const MAX_SEARCHED_FILES = 200;
const MAX_MATCHES = 100;
const MAX_SEARCHED_BYTES = 1_000_000;
const MAX_LINE_LENGTH = 300;

export async function performInFolder(action: Action, folder: OfflineFolder | undefined): Promise<Outcome> {
  if (!folder) return { ok: false, text: 'I have no tools and no folder to read.' };
  try {
    return await perform(action, folder);
  } catch (error) {
    return { ok: false, text: getErrorMessage(error) };
  }
}

async function perform(action: Action, folder: OfflineFolder): Promise<Outcome> {
  switch (action.kind) {
    case 'list':
      return { ok: true, text: formatListing(await folder.listDirectory(action.path)) };
    case 'read':
      return { ok: true, text: await folder.readText(action.path) };
    case 'search':
      return { ok: true, text: await search(action.text, folder) };
    default:
      return { ok: false, text: 'that needs tools, and this run has none; I can only read this folder.' };
  }
}

function formatListing(entries: FolderEntry[]): string {
  const isFolder = (entry: FolderEntry) => entry.kind === 'folder';
  const sorted = entries.toSorted(
    (left, right) => Number(isFolder(right)) - Number(isFolder(left)) || (left.name < right.name ? -1 : 1),
  );
  const lines = sorted.map((entry) =>
    isFolder(entry) ? `[DIR] ${entry.name}` : `${entry.name} (${entry.size} bytes)`,
  );
  return ['Directory listing:', ...lines].join('\n');
}

async function search(text: string, folder: OfflineFolder): Promise<string> {
  const entries = await folder.listDirectory('.');
  const files = entries.filter(({ kind, size }) => kind === 'file' && size <= MAX_SEARCHED_BYTES);
  const matches: string[] = [];
  for (const { name } of files.slice(0, MAX_SEARCHED_FILES)) {
    matches.push(...matchesIn(name, await folder.readText(name), text));
    if (matches.length >= MAX_MATCHES) break;
  }
  const place = 'in the files directly in this folder';
  if (matches.length === 0) return `No line contains “${text}” ${place}.`;
  const limited = matches.length >= MAX_MATCHES ? ` (the first ${MAX_MATCHES})` : '';
  return `Lines with “${text}” ${place}${limited}:\n\n${matches.slice(0, MAX_MATCHES).join('\n')}`;
}

function matchesIn(name: string, content: string, text: string): string[] {
  // A NUL marks a file that is not text.
  if (content.includes('\u0000')) return [];
  return content
    .split('\n')
    .flatMap((line, index) =>
      line.includes(text) ? [`${name}:${index + 1}: ${line.trim().slice(0, MAX_LINE_LENGTH)}`] : [],
    );
}

/**
 * Computes what identifies a linked extension: what would run, not every byte. Its author edits texts all the time; a
 * changed program, hook or server needs consent again, and so does a script that one of them names
 * (docs/decisions/0045).
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { splitFrontMatter } from '../util/front-matter.ts';
import { isInside } from '../util/is-inside.ts';
import { MANIFEST } from './extension-paths.ts';
import { digestOf } from './tree-digest.ts';

const LARGEST_SCRIPT = 4 * 1024 * 1024;

/** Throws a SettingsError for an unreadable manifest or hooks file. */
export function digestLinked(directory: string): string {
  const manifest = readSourceFile(join(directory, MANIFEST)) ?? {};
  const { hooks } = readSourceFile(join(directory, 'hooks', 'hooks.json')) ?? {};
  const { name, mcpServers, excludeTools } = manifest;
  const agents = readAgentHeads(join(directory, 'agents'));
  const running = { name, mcpServers, excludeTools, hooks, ...(agents.length > 0 && { agents }) };
  const scripts = findScripts(running, directory).map((path) => `${path} ${digestOf(readFileSync(path))}`);
  return digestOf([JSON.stringify(running), ...scripts].join('\n'));
}

/** The front matter of each agent: it can name servers to start, and a command that prints a credential. */
function readAgentHeads(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.md') && !name.startsWith('_'));
    return names.toSorted().map((name) => {
      const split = splitFrontMatter(readFileSync(join(folder, name), 'utf8'));
      return 'block' in split ? split.block : '';
    });
  } catch {
    // No folder of agents, or none that a loader could read.
    return [];
  }
}

/** The files inside the extension that a command line or an argument names. */
function findScripts(value: unknown, directory: string): string[] {
  const found = new Set<string>();
  const visit = (item: unknown): void => {
    if (typeof item === 'string') for (const path of filesIn(item, directory)) found.add(path);
    else if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) visit(inner);
  };
  visit(value);
  return [...found].toSorted();
}

function filesIn(text: string, directory: string): string[] {
  const placed = text.replaceAll('${extensionPath}', directory).replaceAll(/\$\{(?:\/|pathSeparator)\}/g, '/');
  const words = [placed, ...(placed.match(/[^\s'"`;|&()<>]+/g) ?? [])];
  return words.flatMap((word) => {
    const path = isAbsolute(word) ? word : resolve(directory, word);
    return isInside(path, directory) && isScript(path) ? [path] : [];
  });
}

function isScript(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= LARGEST_SCRIPT;
  } catch {
    // A word that names no file.
    return false;
  }
}

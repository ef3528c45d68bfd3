/**
 * Finds the extensions installed in a folder, by the rules of Gemini CLI: their names, whether they are enabled in the
 * working folder, and the tools they exclude. Loads nothing else of them.
 */

import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isRecord } from '../util/is-record.ts';
import { readSourceFile } from './source-file.ts';

export interface InstalledExtension {
  /** As in its manifest; the name of its folder where the manifest has none. */
  readonly name: string;
  /** Entries such as `write_file` or `run_shell_command(rm)`. */
  readonly excludeTools: readonly string[];
  /** Why its restrictions are unknown. */
  readonly problem?: string | undefined;
}

const MANIFEST = 'gemini-extension.json';
const INSTALLATION = '.gemini-extension-install.json';
const ENABLEMENT = 'extension-enablement.json';

/** The enabled extensions of `<directory>/extensions`, in the order of their names. */
export function findExtensions(directory: string, cwd: string): InstalledExtension[] {
  const root = join(directory, 'extensions');
  const folders = listFolders(root);
  if (folders.length === 0) return [];
  const enablement = readOrProblem(join(root, ENABLEMENT)).values;
  return folders.map((folder) => readExtension(root, folder)).filter(({ name }) => isEnabled(enablement[name], cwd));
}

function listFolders(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return folders.flatMap(({ name }) => (name.startsWith('.') ? [] : [name])).toSorted();
  } catch {
    // A missing or unreadable folder contributes nothing.
    return [];
  }
}

function readExtension(root: string, folder: string): InstalledExtension {
  const directory = join(root, folder);
  const { source, type } = readOrProblem(join(directory, INSTALLATION)).values;
  // The folder of a linked extension holds only this file; the content stays where it was written.
  const isLinked = type === 'link' && typeof source === 'string' && isAbsolute(source);
  const { values, problem } = readOrProblem(join(isLinked ? source : directory, MANIFEST));
  const { name, excludeTools } = values;
  return {
    name: typeof name === 'string' && name !== '' ? name : folder,
    excludeTools: Array.isArray(excludeTools) ? excludeTools.filter((entry) => typeof entry === 'string') : [],
    problem,
  };
}

function readOrProblem(path: string): { values: Record<string, unknown>; problem?: string } {
  try {
    return { values: readSourceFile(path) ?? {} };
  } catch (error) {
    return { values: {}, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The last rule that matches the folder decides: `/a/*` it and all below, `/a/` it alone, `!` disables. */
function isEnabled(entry: unknown, cwd: string): boolean {
  const rules = isRecord(entry) && Array.isArray(entry['overrides']) ? entry['overrides'] : [];
  const place = withSlashes(cwd);
  const matching = rules.filter((rule) => typeof rule === 'string' && matches(rule.replace(/^!/, ''), place));
  return !matching.at(-1)?.startsWith('!');
}

function matches(rule: string, place: string): boolean {
  const base = withSlashes(rule.replace(/\*$/, ''));
  return rule.endsWith('*') ? place.startsWith(base) : place === base;
}

function withSlashes(path: string): string {
  return `/${path.replaceAll('\\', '/')}/`.replace(/\/{2,}/g, '/');
}

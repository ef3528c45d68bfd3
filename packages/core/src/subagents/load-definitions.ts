/** Finds the files of agents in the sources and parses them: regular `.md` files of one folder, links not followed. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePathVariables } from '../config/path-variables.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { Source, SourceKind, SourceValues } from '../protocol/source.ts';
import { openRegularFile } from '../tools/files/opened-file.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { findPlaces } from '../util/find-places.ts';
import { withoutHiddenCharacters } from '../util/hidden-characters.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { parseAgentFile } from './parse-definition.ts';

export interface LoadedDefinitions {
  /** In the order that decides between equal names. */
  agents: AgentDefinition[];
  errors: string[];
  warnings: string[];
}

const MAX_FILES = 200;
const MAX_BYTES = 256 * 1024;
/** The first definition of a name counts. */
const ORDER: Readonly<Record<SourceKind, number>> = { builtin: 0, project: 1, user: 2, system: 3, extension: 4 };

export interface DefinitionOptions {
  sources: readonly Source[];
  /** The folder of the project, without links. */
  root: string;
  /** The values of settings that agents of extensions may name. */
  shownValues?: SourceValues | undefined;
}

export async function loadDefinitions({
  sources,
  root,
  shownValues = {},
}: DefinitionOptions): Promise<LoadedDefinitions> {
  const loaded: LoadedDefinitions = { agents: [], errors: [], warnings: [] };
  const places = findPlaces(sources, 'agents').toSorted((a, b) => ORDER[a.source.kind] - ORDER[b.source.kind]);
  for (const { source, path } of places) {
    for (const file of await findFiles(path, loaded)) await loadFile(file, source, loaded);
  }
  for (const [index, agent] of loaded.agents.entries()) {
    const owner = sources.find(({ kind, name }) => kind === 'extension' && name === agent.owner);
    if (!owner) continue;
    const paths = { extensionPath: owner.directory, workspacePath: root };
    loaded.agents[index] = replacePathVariables(agent, paths, shownValues[owner.name]);
  }
  return loaded;
}

async function findFiles(folder: string, { errors }: LoadedDefinitions): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && isAgentFile(entry.name)).map(({ name }) => name);
    if (names.length > MAX_FILES) errors.push(`${folder}: more than ${MAX_FILES} agents; the rest was skipped.`);
    return names
      .toSorted()
      .slice(0, MAX_FILES)
      .map((name) => join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      errors.push(`${folder}: the agents are not readable: ${getErrorMessage(error)}`);
    return [];
  }
}

export function isAgentFile(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('_');
}

async function loadFile(file: string, source: Source, loaded: LoadedDefinitions): Promise<void> {
  const prefix = `Agent loading error: Failed to load agent from ${file}:`;
  let read;
  try {
    read = await readAgentFile(file);
  } catch (error) {
    loaded.errors.push(`${prefix} ${getErrorMessage(error)}`);
    return;
  }
  const owner = source.kind === 'extension' ? source.name : undefined;
  const parsed = await parseAgentFile({ file, ...read, source: source.kind, owner });
  loaded.agents.push(...parsed.agents);
  loaded.warnings.push(...parsed.warnings);
  if (parsed.errors.length > 0)
    loaded.errors.push([`${prefix} Validation failed: Agent Definition:`, ...parsed.errors].join('\n- '));
}

/** The hash covers the bytes as they are; the model never reads invisible characters. */
async function readAgentFile(path: string): Promise<{ text: string; hash: string }> {
  const file = openRegularFile(path);
  try {
    const bytes = await file.readUpTo(MAX_BYTES);
    if (bytes === undefined) throw new Error(`the file is larger than ${MAX_BYTES / 1024} KiB.`);
    return { text: withoutHiddenCharacters(bytes.toString('utf8')).text, hash: fingerprint(bytes) };
  } finally {
    file.close();
  }
}

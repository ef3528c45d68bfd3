/**
 * Reads Gemini CLI's `~/.gemini/policies/sandbox.toml`: bounds by approval mode, and what the user opened there for commands
 * by their names. A file that says something else ends the start: its author may rely on it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { SandboxError } from './sandbox-error.ts';

export interface ModeBounds {
  isReadOnly: boolean;
  hasNetwork: boolean;
}

export interface CommandGrant {
  name: string;
  paths: readonly string[];
  hasNetwork: boolean;
}

export interface SandboxFile {
  path: string;
  /** By the names of the file: plan, default, accepting_edits. */
  modes: ReadonlyMap<string, ModeBounds>;
  commands: readonly CommandGrant[];
}

/** Modes that the file does not know have the bounds of default. */
const NAME_OF_MODE: Readonly<Record<string, string>> = { plan: 'plan', autoEdit: 'accepting_edits' };

/** Undefined where there is no such file. Throws SandboxError. */
export async function readSandboxFile(home: string): Promise<SandboxFile | undefined> {
  const path = join(home, '.gemini', 'policies', 'sandbox.toml');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SandboxError(`${path} is not readable: ${getErrorMessage(error)}`);
  }
  const { parse } = await import('smol-toml');
  try {
    return readDocument(parse(text), path);
  } catch (error) {
    throw new SandboxError(`${path}: ${getErrorMessage(error).split('\n')[0]}`);
  }
}

export function boundsOfMode(file: SandboxFile | undefined, mode: string): ModeBounds {
  const found = file?.modes.get(NAME_OF_MODE[mode] ?? 'default');
  return found ?? { isReadOnly: false, hasNetwork: false };
}

function readDocument(document: Record<string, unknown>, path: string): SandboxFile {
  const modes = Object.entries(tableOf(document['modes'], 'modes')).map(([name, value]) => {
    const key = `modes.${name}`;
    const { readonly, network } = tableOf(value, key);
    const isReadOnly = flagOf(readonly, `${key}.readonly`);
    return [name, { isReadOnly, hasNetwork: flagOf(network, `${key}.network`) }] as const;
  });
  const commands = Object.entries(tableOf(document['commands'], 'commands')).map(([name, value]) => {
    const key = `commands.${name}`;
    const { allowed_paths: paths = [], allow_network: network } = tableOf(value, key);
    if (!Array.isArray(paths) || !paths.every((each) => typeof each === 'string'))
      throw new Error(`${key}.allowed_paths is not a list of paths`);
    return { name, paths: paths as string[], hasNetwork: flagOf(network, `${key}.allow_network`) };
  });
  return { path, modes: new Map(modes), commands };
}

function tableOf(value: unknown, key: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new Error(`${key} is not a table`);
  return value;
}

function flagOf(value: unknown, key: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new Error(`${key} is not true or false`);
  return value ?? false;
}

/** Which language server checks which file: the known ones, and those of the settings. Pure but for the search on PATH. */

import { existsSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join } from 'node:path';

export interface ServerRow {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** With the dot. */
  readonly extensions: readonly string[];
  /** Takes seconds to start: used only where the user wants that. */
  readonly isSlow: boolean;
}

/** A server or a formatter in the settings. */
export interface ProgramSettings {
  readonly command: string;
  readonly args?: readonly string[];
  readonly extensions: readonly string[];
}

export type DiagnosticsMode = 'auto' | 'on' | 'off';

export const KNOWN_SERVERS: readonly ServerRow[] = [
  {
    name: 'typescript-language-server',
    command: 'typescript-language-server',
    args: ['--stdio'],
    extensions: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    isSlow: true,
  },
  { name: 'pyright', command: 'pyright-langserver', args: ['--stdio'], extensions: ['.py', '.pyi'], isSlow: true },
  { name: 'gopls', command: 'gopls', args: [], extensions: ['.go'], isSlow: false },
  { name: 'rust-analyzer', command: 'rust-analyzer', args: [], extensions: ['.rs'], isSlow: true },
];

/** Servers of the settings come first; of the known ones the slow only with `on`. */
export function chooseServers(
  mode: DiagnosticsMode,
  configured: Readonly<Record<string, ProgramSettings>>,
): readonly ServerRow[] {
  if (mode === 'off') return [];
  const own = Object.entries(configured).map(([name, { command, args = [], extensions }]) => ({
    ...{ name, command, args, extensions, isSlow: false },
  }));
  const replaced = new Set(own.map(({ name }) => name));
  const known = KNOWN_SERVERS.filter(({ name, isSlow }) => !replaced.has(name) && (mode === 'on' || !isSlow));
  return [...own, ...known];
}

export function fits({ extensions }: Pick<ServerRow, 'extensions'>, path: string): boolean {
  return extensions.includes(extname(path).toLowerCase());
}

/** The file of a program; undefined where it is not installed. */
export function findProgram(command: string, path: string): string | undefined {
  if (isAbsolute(command)) return existsSync(command) ? command : undefined;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
}

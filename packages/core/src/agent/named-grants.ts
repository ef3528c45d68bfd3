/**
 * What Gemini CLI's sandbox.toml opens for the commands of a line: only what it opens for every program on it, since a line
 * runs as one process.
 */

import { loadShellParser } from '../policy/shell/shell-command.ts';
import { readShellLine } from '../policy/shell/shell-leaves.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';

export interface LineGrant {
  paths: readonly string[];
  hasNetwork: boolean;
}

/** They start no program, so they take nothing away from the others. */
const NEUTRAL = new Set(['cd', 'true', ':', 'echo', 'printf', 'export', 'set']);

export async function grantOfLine(command: string, { commands }: SandboxFile): Promise<LineGrant | undefined> {
  await loadShellParser();
  const { leaves } = readShellLine(command, new Map());
  // A path could name a program that the project brought along.
  const names = leaves.map(({ command: { words } }) => words[0]?.value ?? '');
  const named = names.filter((name) => !NEUTRAL.has(name)).map((name) => commands.find((each) => each.name === name));
  const [first] = named;
  if (first === undefined || named.includes(undefined)) return undefined;
  return {
    paths: first.paths.filter((path) => named.every((grant) => grant?.paths.includes(path))),
    hasNetwork: named.every((grant) => grant?.hasNetwork),
  };
}

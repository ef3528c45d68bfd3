/**
 * Lists the files of a folder as they are found, in pieces: with ripgrep where it is available, else with a walk of our
 * own. Skips ignored files, follows no links and opens nothing, so that loops and pipes do no harm.
 */

import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { IgnoreRules } from '@castor/core';
import { findRipgrep } from '@castor/core/program';

export interface ListFilesOptions {
  readonly root: string;
  /** Whether .gitignore and .geminiignore apply; both do by default. */
  readonly git?: boolean;
  readonly gemini?: boolean;
  /** Further ignore files, relative to the root; they apply with .geminiignore. */
  readonly customIgnoreFiles?: readonly string[];
  /** Without it our own walk is used. */
  readonly useRipgrep?: boolean;
}

/** Yields names relative to the root, with `/`. Ends early and without an error when it is aborted. */
export async function* listFiles(options: ListFilesOptions, signal: AbortSignal): AsyncGenerator<string[]> {
  const command = options.useRipgrep === false ? undefined : await findRipgrep();
  if (command === undefined) yield* walk(options, signal);
  else yield* listWithRipgrep(command, options, signal);
}

async function* listWithRipgrep(
  command: string,
  { root, git = true, gemini = true, customIgnoreFiles = [] }: ListFilesOptions,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const args = ['--files', '--null', '--hidden', '--no-config', '--no-messages', '--no-ignore-global'];
  args.push('--no-ignore-dot', '--no-require-git', '--glob=!.git', ...(git ? [] : ['--no-ignore-vcs']));
  if (gemini) args.push(...['.geminiignore', ...customIgnoreFiles].map((file) => `--ignore-file=${file}`));
  const child = spawn(command, args, { cwd: root, env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = () => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  // A binary that cannot be started closes its output, and the list is empty.
  child.on('error', stop);
  let rest = '';
  try {
    child.stdout.setEncoding('utf8');
    for await (const chunk of child.stdout as AsyncIterable<string>) {
      const names = (rest + chunk).split('\0');
      rest = names.pop()!;
      if (signal.aborted) return;
      if (names.length > 0) yield names;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    child.kill();
  }
}

/** Folders are read in the order they were found: files near the top come first. */
async function* walk(
  { root, git = true, gemini = true, customIgnoreFiles = [] }: ListFilesOptions,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const rules = await IgnoreRules.load(root, { git, gemini, customIgnoreFiles });
  let folders = [''];
  while (folders.length > 0 && !signal.aborted) {
    const deeper: string[] = [];
    for (const folder of folders) {
      if (signal.aborted) return;
      const { files, inside } = await readFolder(root, folder, rules);
      for (const name of inside) deeper.push(name);
      if (files.length > 0) yield files;
    }
    folders = deeper;
  }
}

async function readFolder(root: string, folder: string, rules: IgnoreRules) {
  const files: string[] = [];
  const inside: string[] = [];
  // An unreadable or deleted folder has no files to offer.
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.name === '.git') continue;
    const name = folder + entry.name;
    const kind = entry.isDirectory() ? 'directory' : 'file';
    if (entry.isSymbolicLink() || rules.isIgnored(join(root, name), kind)) continue;
    if (kind === 'directory') inside.push(`${name}/`);
    else if (entry.isFile()) files.push(name);
  }
  return { files, inside };
}

/**
 * Implements the scheduler's port for the user's editor: writes the proposal to a file, opens
 * the editor on it, and returns the edited text. The files are readable by the user only and
 * removed afterwards. A failing editor changes nothing.
 */

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { EditProposal } from '../scheduler/ports.ts';
import { splitCommand } from '../tools/split-command.ts';
import { builtin } from '../util/builtin-modules.ts';

export interface EditProposalOptions {
  /** As in EDITOR: a program and its arguments. */
  editor: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The parent of the folder for the files, for example `/tmp`. */
  tempDirectory: string;
  /** `inherit` gives the editor this process's terminal. */
  stdio?: 'inherit' | 'ignore';
}

/** The cursor is in the proposal, the current file is read-only, and closing the proposal closes both. */
const VIM_DIFF: readonly string[] = [
  '-d',
  '-c',
  'wincmd h | setlocal readonly nomodifiable | wincmd l',
  '-c',
  "autocmd WinEnter * if winnr('$') == 1 && &l:readonly | quit | endif",
];

/** Editors that show two files side by side, and their arguments for it. */
const DIFF_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  vi: VIM_DIFF,
  vim: VIM_DIFF,
  nvim: VIM_DIFF,
  code: ['--wait', '--diff'],
  codium: ['--wait', '--diff'],
  cursor: ['--wait', '--diff'],
  windsurf: ['--wait', '--diff'],
  zed: ['--wait', '--diff'],
};

export function createEditProposal(options: EditProposalOptions): EditProposal {
  return async ({ fileName, originalContent, newContent }, signal) => {
    const directory = await mkdtemp(join(options.tempDirectory, 'gemini-cli-tool-modify-'));
    try {
      await chmod(directory, 0o700);
      const extension = extname(fileName);
      const name = basename(fileName, extension);
      const oldPath = join(directory, `${name}-old${extension}`);
      const newPath = join(directory, `${name}-new${extension}`);
      await writeFile(oldPath, originalContent ?? '', { mode: 0o600, flag: 'wx' });
      await writeFile(newPath, newContent, { mode: 0o600, flag: 'wx' });
      await runEditor(options, { oldPath, newPath }, signal);
      const edited = await readFile(newPath, 'utf8');
      return edited === newContent ? undefined : edited;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
}

async function runEditor(
  { editor, environment, stdio = 'inherit' }: EditProposalOptions,
  { oldPath, newPath }: { oldPath: string; newPath: string },
  signal: AbortSignal,
): Promise<void> {
  const [program, ...args] = splitCommand(editor);
  if (program === undefined) throw new Error('No editor is configured. Set EDITOR or VISUAL.');
  const forDiff = DIFF_ARGUMENTS[basename(program)];
  const files = forDiff ? [...forDiff, oldPath, newPath] : [newPath];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = builtin.childProcess.spawn(program, [...args, ...files], { env: environment, stdio, signal });
  child.once('error', (error) => {
    reject(new Error(`The editor ${program} could not be run: ${error.message}`, { cause: error }));
  });
  child.once('exit', (code, by) => {
    if (code === 0) resolve();
    else reject(new Error(`The editor ${program} ended with ${by ?? `exit code ${code}`}; the proposal is unchanged.`));
  });
  return promise;
}

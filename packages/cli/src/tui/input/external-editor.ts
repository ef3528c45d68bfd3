/**
 * Edits the prompt in the user's own editor: writes a file only the user can read, runs the editor they chose, and
 * reads the result. The app releases the terminal and takes it back whatever happens. The file is removed at the end.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';

export interface EditorPort {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's editor, as a command line; undefined until it is known. */
  readonly command?: () => string | undefined;
  /** Leaves raw mode and the screen to `run`, and restores them after it, also when it throws. */
  suspend(run: () => Promise<void>): Promise<void>;
}

export type EditorAnswer =
  | { readonly type: 'edited'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string };

export async function editExternally(text: string, port: EditorPort): Promise<EditorAnswer> {
  const { environment, suspend } = port;
  const [command, ...args] = chooseEditor(port);
  const directory = await mkdtemp(join(tmpdir(), 'castor-edit-'));
  const file = join(directory, 'prompt.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    let problem: string | undefined;
    await suspend(async () => {
      problem = await runEditor(command!, [...args, file], environment);
    });
    if (problem !== undefined) return { type: 'failed', message: problem };
    const written = await readFile(file, 'utf8');
    // Editors end the last line with a newline; the prompt does not.
    return { type: 'edited', text: written.replaceAll('\r\n', '\n').replace(/\n$/, '') };
  } catch (error) {
    const reason = getErrorMessage(error);
    return { type: 'failed', message: `The prompt could not be edited: ${reason}` };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The chosen editor, `$VISUAL`, `$EDITOR`, else vi; flags may follow the name, with quotes around parts. */
function chooseEditor({ command, environment }: EditorPort): string[] {
  const written = command?.() || environment['VISUAL']?.trim() || environment['EDITOR']?.trim();
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  const parts = (written || fallback).match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [fallback];
  const words = parts.map((part) => part.replaceAll(/^["']|["']$/g, ''));
  return words.length === 1 ? [words[0]!, ...waitFlag(words[0]!)] : words;
}

/** Editors with a window of their own return at once unless a flag makes them wait. */
function waitFlag(command: string): string[] {
  return /(?:^|[/\\])(?:code|code-insiders|cursor|windsurf|codium|zed|subl)(?:\.cmd|\.exe)?$/.test(command)
    ? ['--wait']
    : [];
}

/** The error, or undefined. */
function runEditor(
  command: string,
  args: readonly string[],
  environment: EditorPort['environment'],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env: environment, shell: process.platform === 'win32' });
    child.on('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'ENOENT'
          ? `Unknown editor "${command}". Set VISUAL or EDITOR to an installed editor.`
          : `The editor "${command}" could not be started: ${error.message}`,
      ),
    );
    child.on('close', (code, signal) =>
      resolve(
        code === 0
          ? undefined
          : `The editor "${command}" ended with ${signal ?? `code ${code}`}; the prompt is unchanged.`,
      ),
    );
  });
}

/** Installs the companion extension with the editor's own command, or says how the user does it. */

import { execFile } from 'node:child_process';
import type { EditorIdentity } from './editor-identity.ts';

const EXTENSION = 'google.gemini-cli-vscode-ide-companion';
const PAGE = 'https://marketplace.visualstudio.com/items?itemName=google.gemini-cli-vscode-ide-companion';
const LIMIT_MS = 120_000;

/** Resolves to a sentence; rejects with one. */
export async function installCompanion(
  editor: EditorIdentity | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const byHand = `Install the extension "Gemini CLI Companion" in your editor by hand: ${PAGE}`;
  if (!editor?.command)
    throw new Error(`${editor?.name ?? 'This terminal'} has no command that installs it. ${byHand}`);
  const { command, name } = editor;
  const failure = await new Promise<Error | null>((resolve) => {
    const options = { env: environment as NodeJS.ProcessEnv, signal, timeout: LIMIT_MS };
    execFile(command, ['--install-extension', EXTENSION, '--force'], options, (error) => resolve(error));
  });
  if (failure) {
    const isMissing = (failure as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? `the command "${command}" is not on the PATH` : failure.message.trim();
    throw new Error(`The companion could not be installed in ${name}: ${why}. ${byHand}`);
  }
  return `The companion is installed in ${name}. It starts with the next window; /ide status shows the connection.`;
}

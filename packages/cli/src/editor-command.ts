/**
 * Resolves the user's editor to a command line that waits for it: `general.preferredEditor`, else VISUAL, else EDITOR,
 * else an editor every machine has. Pure.
 */

import type { Settings } from '@castor/core/program';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keyed by the names of the setting. Editors with a window of their own return at once unless a flag makes them wait.
 */
const EDITORS: Readonly<Record<string, { command: string; newWindow?: string }>> = {
  vscode: { command: 'code --wait', newWindow: '--new-window' },
  vscodium: { command: 'codium --wait', newWindow: '--new-window' },
  windsurf: { command: 'windsurf --wait', newWindow: '--new-window' },
  cursor: { command: 'cursor --wait', newWindow: '--new-window' },
  antigravity: { command: 'agy --wait', newWindow: '--new-window' },
  zed: { command: 'zed --wait', newWindow: '--new' },
  sublimetext: { command: 'subl --wait', newWindow: '--new-window' },
  lapce: { command: 'lapce --wait', newWindow: '--new' },
  nova: { command: 'nova --wait' },
  bbedit: { command: 'bbedit --wait', newWindow: '--new-window' },
  vim: { command: 'vim' },
  neovim: { command: 'nvim' },
  emacs: { command: 'emacs' },
  hx: { command: 'hx' },
};

export const EDITOR_NAMES: readonly string[] = Object.keys(EDITORS);

export function editorCommand(
  { preferredEditor, openEditorInNewWindow }: Settings['general'],
  environment: Environment,
): string {
  const preferred = preferredEditor === undefined ? undefined : EDITORS[preferredEditor.trim().toLowerCase()];
  if (preferred) {
    const { command, newWindow } = preferred;
    return openEditorInNewWindow && newWindow !== undefined ? `${command} ${newWindow}` : command;
  }
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  return environment['VISUAL']?.trim() || environment['EDITOR']?.trim() || fallback;
}

/** A warning about an unknown name; undefined when the name is valid. */
export function unknownEditor({ preferredEditor }: Settings['general']): string | undefined {
  if (preferredEditor === undefined || Object.hasOwn(EDITORS, preferredEditor.trim().toLowerCase())) return undefined;
  return `general.preferredEditor: unknown editor ${JSON.stringify(preferredEditor)}. Use one of ${Object.keys(EDITORS).join(', ')}.`;
}

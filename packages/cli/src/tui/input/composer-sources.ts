/**
 * Inserts text from other sources than the keys: a paste, the clipboard, the user's editor. The notice line reports a
 * failure.
 */

import { statSync } from 'node:fs';
import type { ImageClipboard } from './clipboard-image.ts';
import type { ComposerOptions } from './composer-contract.ts';
import { fullText, insertPaste, insertText, replaceText } from './composer-state.ts';
import type { ComposerStore } from './composer-store.ts';
import { escapeAt, escapeReference, toImagePath } from './paste.ts';

export interface ComposerSources {
  paste(text: string): void;
  /** Resolved as soon as the clipboard is available. */
  pasteClipboard(): void;
  openEditor(): Promise<void>;
  setClipboard(clipboard: ImageClipboard): void;
}

/** `batch` is the controller's: text that arrives later is one change too, and gets suggestions. */
export function createComposerSources(
  options: Pick<ComposerOptions, 'clipboard' | 'editor' | 'escapesPastedAt' | 'isFile'>,
  store: ComposerStore,
  batch: (run: () => void) => void,
): ComposerSources {
  const { editor, escapesPastedAt, isFile = isRegularFile } = options;
  let { clipboard } = options;
  /** The key was pressed before the clipboard was available. */
  let isPasteWanted = false;
  const notice = (message: string) => store.set({ ...store.get(), notice: message });
  const refer = (path: string) => store.set(insertText(store.get(), `@${escapeReference(path)} `));
  const pasteFrom = async (source: ImageClipboard) => {
    const answer = await source.read();
    batch(() => {
      if (answer.type === 'none') notice(answer.message);
      else if (answer.type === 'text') store.set(insertPaste(store.get(), answer.text));
      else refer(answer.path);
    });
  };
  return {
    paste(text) {
      const image = toImagePath(text);
      if (image !== undefined && isFile(image)) refer(image);
      else store.set(insertPaste(store.get(), escapesPastedAt?.() ? escapeAt(text) : text));
    },
    pasteClipboard() {
      isPasteWanted = clipboard === undefined;
      if (clipboard !== undefined) void pasteFrom(clipboard);
    },
    async openEditor() {
      if (editor === undefined) return notice('No editor can be opened here.');
      const { editExternally } = await import('./external-editor.ts');
      const answer = await editExternally(fullText(store.get()), editor);
      batch(() => {
        if (answer.type === 'edited') store.set(replaceText(store.get(), answer.text));
        else notice(answer.message);
      });
      return undefined;
    },
    setClipboard(next) {
      clipboard = next;
      if (isPasteWanted) void pasteFrom(next);
      isPasteWanted = false;
    },
  };
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A path that cannot be checked is text.
    return false;
  }
}

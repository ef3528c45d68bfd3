/**
 * Text that comes into the composer from elsewhere than the keys: a paste, the clipboard,
 * an editor of the person's own. What cannot be had is said in the notice line.
 */

import { statSync } from 'node:fs';
import type { ImageClipboard } from './clipboard-image.ts';
import type { ComposerOptions } from './composer-contract.ts';
import { fullText, insertPaste, insertText, replaceText } from './composer-state.ts';
import type { ComposerStore } from './composer-store.ts';
import { escapeAt, escapeReference, toImagePath } from './paste.ts';

export interface ComposerSources {
  paste(text: string): void;
  /** Done as soon as there is a clipboard to ask. */
  pasteClipboard(): void;
  openEditor(): Promise<void>;
  setClipboard(clipboard: ImageClipboard): void;
}

/** `batch` is the controller's: what arrives later is one change too, and looked at for suggestions. */
export function createComposerSources(
  options: Pick<ComposerOptions, 'clipboard' | 'editor' | 'escapesPastedAt' | 'isFile'>,
  store: ComposerStore,
  batch: (run: () => void) => void,
): ComposerSources {
  const { editor, escapesPastedAt, isFile = isRegularFile } = options;
  let { clipboard } = options;
  /** The key came before the clipboard. */
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
    // A path that cannot even be asked about is text.
    return false;
  }
}

/** Passes keys to a running command: every key except those that lead out. */

import { encodeKey, encodePaste } from '../input/encode-key.ts';
import type { Key } from '../input/key.ts';
import { isBoundTo } from '../input/keymap.ts';
import type { Keymap } from '../input/keymap.ts';
import type { ScreenPicture } from './screen-rows.ts';
import type { KeyModes } from './emulator.ts';
import type { Dialog, DialogSpace, DialogView } from '../dialogs/dialog.ts';
import { keysOf } from '../dialogs/key-hint.ts';
import { shellRows } from './shell-rows.ts';

export interface ShellViewOptions {
  readonly title: string;
  /** Undefined without a screen. */
  readonly screen: () => ScreenPicture | undefined;
  readonly keyModes: () => KeyModes | undefined;
  readonly output: () => string;
  readonly type: (text: string) => void;
  readonly moveToBackground: () => void;
  readonly leave: () => void;
  readonly keymap: () => Keymap;
}

export class ShellView implements Dialog {
  readonly takesText = true;
  private readonly options: ShellViewOptions;

  constructor(options: ShellViewOptions) {
    this.options = options;
  }

  view(space: DialogSpace): DialogView {
    const { title, screen, output, keymap } = this.options;
    const keys = keysOf(keymap(), [
      ['app.unfocusShellInput', 'back to the prompt'],
      ['background.toggle', 'to the background'],
    ]);
    const picture = { title: `typing into: ${title}`, screen: screen(), output: output(), takesText: true, keys };
    return shellRows(picture, space);
  }

  wants(): boolean {
    return true;
  }

  onKey(key: Key): void {
    const { keymap, leave, moveToBackground, type } = this.options;
    if (isBoundTo(keymap(), key, 'app.unfocusShellInput')) leave();
    else if (isBoundTo(keymap(), key, 'background.toggle')) moveToBackground();
    else type(encodeKey(key, this.options.keyModes()));
  }

  onText(text: string): void {
    this.options.type(text);
  }

  onPaste(text: string): void {
    this.options.type(encodePaste(text, this.options.keyModes()));
  }

  dismiss(): void {
    this.options.leave();
  }
}

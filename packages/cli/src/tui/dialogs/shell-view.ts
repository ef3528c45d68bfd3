/** A running command one types into: it has every key but those that lead out. */

import { encodeKey, encodePaste } from '../input/encode-key.ts';
import type { Key } from '../input/key.ts';
import { isBoundTo } from '../input/keymap.ts';
import type { Keymap } from '../input/keymap.ts';
import type { Dialog, DialogSpace, DialogView } from './dialog.ts';
import { hintOf } from './key-hint.ts';
import { shellRows } from './shell-rows.ts';

export interface ShellViewOptions {
  readonly title: string;
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
    const { title, output, keymap } = this.options;
    const hint = hintOf(keymap(), [
      ['app.unfocusShellInput', 'back to the prompt'],
      ['background.toggle', 'background'],
    ]);
    return shellRows({ title: `typing into: ${title}`, output: output(), takesText: true, hint }, space);
  }

  wants(): boolean {
    return true;
  }

  onKey(key: Key): void {
    const { keymap, leave, moveToBackground, type } = this.options;
    if (isBoundTo(keymap(), key, 'app.unfocusShellInput')) leave();
    else if (isBoundTo(keymap(), key, 'background.toggle')) moveToBackground();
    else type(encodeKey(key));
  }

  onText(text: string): void {
    this.options.type(text);
  }

  onPaste(text: string): void {
    this.options.type(encodePaste(text));
  }

  dismiss(): void {
    this.options.leave();
  }
}

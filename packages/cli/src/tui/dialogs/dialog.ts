/**
 * The interface of a dialog over the composer: rows to show and keys to take. A dialog is a plain object; the host
 * shows the topmost one, passes it the keys and redraws after each.
 */

import type { Key } from '../input/key.ts';
import type { Caret } from '../terminal/painter.ts';
import type { Styles } from '../theme/styles.ts';

export interface DialogSpace {
  readonly styles: Styles;
  readonly width: number;
  /** Maximum rows; the frame must stay smaller than the terminal. */
  readonly maxRows: number;
}

export interface DialogView {
  readonly rows: readonly string[];
  /** The position of the caret, in a dialog with text input. */
  readonly caret?: Caret;
}

export interface Dialog {
  view(space: DialogSpace): DialogView;
  onKey(key: Key): void;
  /** Whether it takes text; else a word that arrives at once goes to the composer. */
  readonly takesText: boolean;
  /** Whether it has more rows than it shows, and pages through them. */
  readonly scrolls?: boolean;
  /** A run of characters at once. */
  onText(text: string): void;
  /** The pasted text, unchanged; without it a paste arrives as text on one line. */
  onPaste?(text: string): void;
  /** Whether it takes a key that usually belongs to the app, such as Ctrl+C. */
  wants?(key: Key): boolean;
  /** The question is withdrawn: the prompt ended, or the program ends. */
  dismiss(): void;
}

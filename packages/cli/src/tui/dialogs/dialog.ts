/**
 * A question over the composer: rows to show and keys to take. A dialog is a plain
 * object; the host shows the topmost one, gives it the keys and draws again after each.
 */

import type { Key } from '../input/key.ts';
import type { Caret } from '../terminal/painter.ts';
import type { Styles } from '../theme/styles.ts';

export interface DialogSpace {
  readonly styles: Styles;
  readonly width: number;
  /** Rows at most; the frame must stay smaller than the terminal. */
  readonly maxRows: number;
}

export interface DialogView {
  readonly rows: readonly string[];
  /** Where the caret stands, in a dialog one types into. */
  readonly caret?: Caret;
}

export interface Dialog {
  view(space: DialogSpace): DialogView;
  onKey(key: Key): void;
  /** Whether words are for it; else those that come at once are the composer's. */
  readonly takesText: boolean;
  /** Whether it has more rows than it shows, and pages in them. */
  readonly scrolls?: boolean;
  /** A run of characters at once. */
  onText(text: string): void;
  /** What was pasted, as it was; without it a paste comes as text on one line. */
  onPaste?(text: string): void;
  /** Whether a key that is otherwise the app's own, such as Ctrl+C, is for it. */
  wants?(key: Key): boolean;
  /** The question is withdrawn: the prompt ended, the program ends. */
  dismiss(): void;
}

/**
 * The keyboard of a question that has several dialogs: what is typed between two of them is kept for the next one. The
 * answers may be secrets for another program, so none of it may reach the composer.
 */

import type { Key } from '../input/key.ts';
import type { Dialog } from './dialog.ts';

export type Typed =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'text' | 'paste'; readonly text: string };

export class KeyboardHold {
  /** The open dialog of the question; undefined between two. */
  dialog: Dialog | undefined;
  /** Whether the user has seen a dialog of it or typed for it: the next one does not interrupt a message. */
  isInUse = false;
  /** Whether words were typed at the open dialog, where only a choice is possible. */
  hasDropped = false;
  private kept: Typed[] = [];

  open(dialog: Dialog): void {
    this.dialog = dialog;
    this.isInUse = true;
    this.hasDropped = false;
  }

  answer(dialog: Dialog): void {
    if (this.dialog === dialog) this.dialog = undefined;
  }

  keep(typed: Typed): void {
    this.isInUse = true;
    this.kept.push(typed);
  }

  /** A second Enter for the dialog before is no answer to this one. */
  take(): readonly Typed[] {
    const { kept } = this;
    this.kept = [];
    const first = kept.findIndex((typed) => typed.type !== 'key' || typed.key.name !== 'enter');
    return first < 0 ? [] : kept.slice(first);
  }
}

/** What a text means at a choice; other text is a word that is meant for elsewhere. */
export function isChoiceKey(text: string): boolean {
  return /^[1-9jk ]$/.test(text);
}

/**
 * The keyboard of a question that has several dialogs: what is typed between two of them is kept for the next one. The
 * answers may be secrets for another program, so none of it may reach the composer. A question that expects a secret
 * names its form: typed or pasted at a choice, it waits for its field, and other words are the composer's.
 */

import { createKey } from '../input/key.ts';
import type { Key } from '../input/key.ts';
import type { Dialog } from './dialog.ts';

export interface TypedText {
  readonly type: 'text' | 'paste';
  readonly text: string;
}

export type Typed = { readonly type: 'key'; readonly key: Key } | TypedText;

export class KeyboardHold {
  /** The open dialog of the question; undefined between two. */
  dialog: Dialog | undefined;
  /** Whether the user has seen a dialog of it or typed for it: the next one does not interrupt a message. */
  isInUse = false;
  /** Whether words were typed at the open dialog, where only a choice is possible. */
  hasDropped = false;
  /** Whether an expected word was typed at a choice, and no field has taken it. */
  hasKept = false;
  readonly expects: ((word: string) => boolean) | undefined;
  private kept: Typed[] = [];

  constructor(expects?: (word: string) => boolean) {
    this.expects = expects;
  }

  open(dialog: Dialog): void {
    this.dialog = dialog;
    if (dialog.takesText) this.hasKept = false;
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

  /** A choice and the text behind it that arrived at once: `1` and a word, as if they were typed one by one. */
  splitChoice(text: string): { readonly choice: string; readonly rest: string } | undefined {
    if (!this.expects || !/^[1-9]./.test(text)) return undefined;
    const rest = text.slice(1);
    return this.expects(rest) || /^\p{L}/u.test(rest) ? { choice: text.slice(0, 1), rest } : undefined;
  }

  /**
   * A paste at a choice that begins with Enter or with a choice was typed, in a terminal that marks no pastes: its
   * first line answers the choice, and the rest is behind it. Undefined for other pastes.
   */
  splitLines({ type, text }: TypedText): { readonly first: string; readonly behind: readonly Typed[] } | undefined {
    const [first = '', ...lines] = type === 'paste' && this.expects ? text.split(/\r\n?|\n/) : [];
    if (lines.length === 0 || (first !== '' && !this.splitChoice(first))) return undefined;
    const enter: Typed = { type: 'key', key: createKey('enter') };
    const behind = lines.flatMap((line, index): Typed[] => [
      ...(index > 0 || first !== '' ? [enter] : []),
      ...(line === '' ? [] : [{ type: 'text' as const, text: line }]),
    ]);
    return { first, behind };
  }

  isExpected({ text }: TypedText): boolean {
    return this.expects?.(text.trim()) === true;
  }

  /** Without an expected word: it may be a secret, and the composer would show it. */
  takeRest(): readonly Typed[] {
    const rest = this.hasKept
      ? this.kept.filter((typed) => typed.type === 'key' || !this.isExpected(typed))
      : this.kept;
    this.kept = [];
    return rest;
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

/** The dialogs that are open, the last one on top. It owns who is asked next, not what is asked. */

import type { Key } from '../input/key.ts';
import type { KeyConsumer } from '../input/key-router.ts';
import type { Dialog } from './dialog.ts';
import { SelectDialog } from './select-dialog.ts';
import type { SelectQuestion } from './select-dialog.ts';
import { TextDialog } from './text-dialog.ts';
import type { TextQuestion } from './text-dialog.ts';

export class DialogHost implements KeyConsumer {
  private open: readonly Dialog[] = [];
  private readonly onChange: () => void;

  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  get top(): Dialog | undefined {
    return this.open.at(-1);
  }

  show(dialog: Dialog): () => void {
    this.open = [...this.open, dialog];
    this.onChange();
    return () => {
      this.open = this.open.filter((each) => each !== dialog);
      this.onChange();
    };
  }

  /** Resolves with the value chosen; undefined when the person backs out or the question is withdrawn. */
  choose<T>(question: SelectQuestion<T>, signal?: AbortSignal): Promise<T | undefined> {
    return this.ask((settle) => new SelectDialog(question, settle), signal);
  }

  /** Resolves with what was typed; undefined when the person backs out or the question is withdrawn. */
  askText(question: TextQuestion, signal?: AbortSignal): Promise<string | undefined> {
    return this.ask((settle) => new TextDialog(question, settle), signal);
  }

  private ask<T>(
    create: (settle: (value: T | undefined) => void) => Dialog,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const dialog = create(resolve);
    if (signal?.aborted) return Promise.resolve(undefined);
    const close = this.show(dialog);
    const withdraw = () => dialog.dismiss();
    signal?.addEventListener('abort', withdraw, { once: true });
    return promise.finally(() => {
      signal?.removeEventListener('abort', withdraw);
      close();
    });
  }

  onKey(key: Key): boolean {
    const { top } = this;
    // The way out of the program is not the dialog's to take.
    if (!top || (key.ctrl && (key.name === 'c' || key.name === 'd'))) return false;
    top.onKey(key);
    this.onChange();
    return true;
  }

  onText(text: string): boolean {
    const { top } = this;
    if (!top) return false;
    top.onText(text);
    this.onChange();
    return true;
  }

  onPaste(text: string): boolean {
    const { top } = this;
    if (!top) return false;
    top.onText(text.replaceAll(/\s*\n\s*/g, ' '));
    this.onChange();
    return true;
  }

  dismissAll(): void {
    for (const dialog of this.open.toReversed()) dialog.dismiss();
  }
}

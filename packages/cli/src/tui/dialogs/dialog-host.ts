/**
 * Hosts the open dialogs, the last one on top. It decides which is asked next, not what is asked. A dialog that opens
 * while the user types leaves the keys to the composer until they pause: the Enter of a message must not approve a
 * command.
 */

import type { CommandName } from '../input/commands.ts';
import { createKey } from '../input/key.ts';
import type { Key } from '../input/key.ts';
import { findCommand, isBoundTo } from '../input/keymap.ts';
import type { Keymap } from '../input/keymap.ts';
import type { KeyConsumer } from '../input/key-router.ts';
import type { Dialog } from './dialog.ts';
import { SelectDialog } from './select-dialog.ts';
import type { SelectQuestion } from './select-dialog.ts';
import type { Page } from './page-dialog.ts';
import type { TextQuestion } from './text-dialog.ts';

export interface DialogHostOptions {
  readonly onChange: () => void;
  /** A question was closed. */
  readonly onClosed?: () => void;
  /** Whether the composer contains unsent text. */
  readonly isTyping: () => boolean;
  /** Milliseconds; for pauses between keys. */
  readonly now: () => number;
  readonly keymap: () => Keymap;
}

const PAUSE_MS = 600;
/** Commands a dialog must not take: exiting the program, the approval mode and the display around a question. */
const NOT_OURS: readonly CommandName[] = [
  'basic.quit',
  'basic.exit',
  'app.toggleYolo',
  'app.cycleApprovalMode',
  'app.showMoreLines',
  'app.showFullTodos',
  'app.clearScreen',
];

/** They scroll what was printed for a question, unless the dialog itself has pages. */
const PAGES: readonly CommandName[] = ['scroll.pageUp', 'scroll.pageDown'];

function notFor({ scrolls = false }: Dialog): readonly CommandName[] {
  return scrolls ? NOT_OURS : [...NOT_OURS, ...PAGES];
}

/** The user's keys, and the keys by which dialogs know the same commands. */
const MEANINGS: readonly (readonly [command: CommandName, name: string])[] = [
  ['nav.dialog.up', 'up'],
  ['nav.dialog.down', 'down'],
  ['basic.confirm', 'enter'],
  ['basic.cancel', 'escape'],
];

export class DialogHost implements KeyConsumer {
  private open: readonly Dialog[] = [];
  private readonly options: DialogHostOptions;
  private lastKeyAt = -Infinity;
  private isDeaf = false;

  constructor(options: DialogHostOptions) {
    this.options = options;
  }

  get top(): Dialog | undefined {
    return this.open.at(-1);
  }

  show(dialog: Dialog): () => void {
    this.open = [...this.open, dialog];
    this.isDeaf = this.options.isTyping() && this.options.now() - this.lastKeyAt < PAUSE_MS;
    this.options.onChange();
    return () => {
      this.open = this.open.filter((each) => each !== dialog);
      this.options.onClosed?.();
      this.options.onChange();
    };
  }

  /** Resolves with the chosen value; undefined when the user cancels or the question is withdrawn. */
  choose<T>(question: SelectQuestion<T>, signal?: AbortSignal): Promise<T | undefined> {
    return this.ask((settle) => new SelectDialog(question, settle), signal);
  }

  /** Resolves with the typed text; undefined when the user cancels or the question is withdrawn. */
  async askText(question: TextQuestion, signal?: AbortSignal): Promise<string | undefined> {
    // Loaded with the first question: no start needs it.
    const { TextDialog } = await import('./text-dialog.ts');
    return this.ask((settle) => new TextDialog(question, settle), signal);
  }

  /** Resolves when the user has closed the page. */
  async showPage(page: Page, signal?: AbortSignal): Promise<void> {
    const { PageDialog } = await import('./page-dialog.ts');
    await this.ask<undefined>((settle) => new PageDialog(page, settle), signal);
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
    if (!this.listens() || !top) return false;
    if (findCommand(this.options.keymap(), key, notFor(top)) && !top.wants?.(key)) return false;
    top.onKey(this.meantBy(key, top));
    this.options.onChange();
    return true;
  }

  onText(text: string): boolean {
    const { top } = this;
    if (!this.listens() || !top) return false;
    // A word that arrives at once was typed ahead: neither it nor the Enter after it is a choice.
    if (text.length > 1 && !top.takesText) {
      this.isDeaf = true;
      return false;
    }
    top.onText(text);
    this.options.onChange();
    return true;
  }

  onPaste(text: string): boolean {
    const { top } = this;
    if (!top) return false;
    if (top.onPaste) top.onPaste(text);
    else top.onText(text.replaceAll(/\s*\n\s*/g, ' '));
    this.options.onChange();
    return true;
  }

  /** A letter stays a letter where text is typed, and a key stays itself where the dialog wants every key. */
  private meantBy(key: Key, top: Dialog): Key {
    if ((top.takesText && key.text !== '') || top.wants?.(key)) return key;
    const found = MEANINGS.find(([command]) => isBoundTo(this.options.keymap(), key, command));
    return found ? createKey(found[1]) : key;
  }

  /** Records a key; false while the user keeps typing. */
  private listens(): boolean {
    const now = this.options.now();
    if (now - this.lastKeyAt >= PAUSE_MS) this.isDeaf = false;
    this.lastKeyAt = now;
    return !this.isDeaf;
  }

  dismissAll(): void {
    for (const dialog of this.open.toReversed()) dialog.dismiss();
  }
}

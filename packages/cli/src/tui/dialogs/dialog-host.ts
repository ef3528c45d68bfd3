/**
 * Hosts the open dialogs, the last one on top. It decides which is asked next, not what is asked. A dialog that opens
 * while the user types leaves the keys to the composer until they pause: the Enter of a message must not approve a
 * command. A question with several dialogs can hold the keyboard from its first to its last.
 */

import type { CommandName } from '../input/commands.ts';
import { createKey } from '../input/key.ts';
import type { Key } from '../input/key.ts';
import { findCommand, isBoundTo } from '../input/keymap.ts';
import type { Keymap } from '../input/keymap.ts';
import type { KeyConsumer } from '../input/key-router.ts';
import type { Dialog } from './dialog.ts';
import { isChoiceKey, KeyboardHold } from './keyboard-hold.ts';
import type { Typed, TypedText } from './keyboard-hold.ts';
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
  /** Takes what a question has held and not used, as if it were typed now. */
  readonly giveBack?: (typed: Typed) => void;
}

const PAUSE_MS = 600;
/** Commands a dialog must not take: leaving the program, the approval mode and the display around a question. */
const NOT_OURS: readonly CommandName[] = [
  'basic.quit',
  ...(['basic.exit', 'app.suspend'] as const),
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

/** Keys that end a word at a choice; the Enter behind it is a part of it. */
const AFTER_WORD = new Set(['up', 'down', 'tab', 'escape']);

/** Where questions are asked: the host, or a keyboard that it holds for one question. */
export type Asking = Pick<DialogHost, 'choose' | 'askText'> & { readonly hasKept?: boolean };

/** Asks the dialogs of one question, and has the keyboard until it is disposed of. */
export interface HeldKeyboard extends Pick<DialogHost, 'choose' | 'askText'>, Disposable {
  /** Whether words were typed at the open dialog, where only a choice is possible. */
  readonly hasDropped: boolean;
  /** Whether an expected word waits for its field. */
  readonly hasKept: boolean;
}

export class DialogHost implements KeyConsumer {
  private open: readonly Dialog[] = [];
  private readonly options: DialogHostOptions;
  private lastKeyAt = -Infinity;
  /** Where the user keeps typing, until they pause; undefined: in the dialog on top. */
  private typingInto: Dialog | 'composer' | 'nowhere' | undefined;
  private holds: readonly KeyboardHold[] = [];

  constructor(options: DialogHostOptions) {
    this.options = options;
  }

  get top(): Dialog | undefined {
    return this.open.at(-1);
  }

  show(dialog: Dialog, hold?: KeyboardHold): () => void {
    this.typingInto = hold?.isInUse ? undefined : this.findTyping();
    this.open = [...this.open, dialog];
    hold?.open(dialog);
    this.options.onChange();
    for (const typed of hold?.take() ?? []) this.replay(typed);
    return () => {
      this.open = this.open.filter((each) => each !== dialog);
      this.options.onClosed?.();
      this.options.onChange();
    };
  }

  /** Resolves with the chosen value; undefined when the user cancels or the question is withdrawn. */
  choose<T>(question: SelectQuestion<T>, signal?: AbortSignal, hold?: KeyboardHold): Promise<T | undefined> {
    return this.ask((settle) => new SelectDialog(question, settle), signal, hold);
  }

  /** Resolves with the typed text; undefined when the user cancels or the question is withdrawn. */
  async askText(question: TextQuestion, signal?: AbortSignal, hold?: KeyboardHold): Promise<string | undefined> {
    // Loaded with the first question: no start needs it.
    const { TextDialog } = await import('./text-dialog.ts');
    return this.ask((settle) => new TextDialog(question, settle), signal, hold);
  }

  /** Resolves when the user has closed the page. */
  async showPage(page: Page, signal?: AbortSignal): Promise<void> {
    const { PageDialog } = await import('./page-dialog.ts');
    await this.ask<undefined>((settle) => new PageDialog(page, settle), signal);
  }

  /**
   * For a question with several dialogs: nothing that is typed from the first to the last goes to the composer. With
   * `expects`, a word of that form waits for its field, and what the question does not use is the composer's after it.
   */
  hold(expects?: (word: string) => boolean): HeldKeyboard {
    const hold = new KeyboardHold(expects);
    this.holds = [...this.holds, hold];
    return {
      choose: (question, signal) => this.choose(question, signal, hold),
      askText: (question, signal) => this.askText(question, signal, hold),
      get hasDropped() {
        return hold.hasDropped;
      },
      get hasKept() {
        return hold.hasKept;
      },
      [Symbol.dispose]: () => {
        this.holds = this.holds.filter((each) => each !== hold);
        if (expects) for (const typed of hold.takeRest()) this.options.giveBack?.(typed);
      },
    };
  }

  private ask<T>(
    create: (settle: (value: T | undefined) => void) => Dialog,
    signal?: AbortSignal,
    hold?: KeyboardHold,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const dialog: Dialog = create((value) => {
      hold?.answer(dialog);
      resolve(value);
    });
    if (signal?.aborted) return Promise.resolve(undefined);
    const close = this.show(dialog, hold);
    const withdraw = () => dialog.dismiss();
    signal?.addEventListener('abort', withdraw, { once: true });
    return promise.finally(() => {
      signal?.removeEventListener('abort', withdraw);
      close();
    });
  }

  onKey(key: Key): boolean {
    const target = this.findTarget();
    const isApps = findCommand(this.options.keymap(), key, target ? notFor(target) : NOT_OURS) !== undefined;
    if (isApps && !target?.wants?.(key)) return false;
    if (!target) return !this.cancelsBetween(key) && this.keep({ type: 'key', key });
    if (this.isWord(key.text, target)) return this.dropWord(target);
    const meant = this.meantBy(key, target);
    if (this.typingInto === 'nowhere') {
      if (meant.name === 'enter' || AFTER_WORD.has(meant.name)) this.typingInto = undefined;
      if (!AFTER_WORD.has(meant.name)) return true;
    }
    target.onKey(meant);
    this.options.onChange();
    return true;
  }

  onText(text: string): boolean {
    const target = this.findTarget();
    if (!target) return this.keep({ type: 'text', text });
    if (this.keepExpected({ type: 'text', text }, target)) return true;
    if (this.isWord(text, target)) return this.dropWord(target);
    // A word that arrives at once was typed ahead: neither it nor the Enter after it is a choice.
    if (text.length > 1 && !target.takesText) {
      this.typingInto = 'composer';
      return false;
    }
    target.onText(text);
    this.options.onChange();
    return true;
  }

  onPaste(text: string): boolean {
    const target = this.holds.length > 0 ? this.findTarget() : this.top;
    if (!target) return this.keep({ type: 'paste', text });
    if (this.keepExpected({ type: 'paste', text }, target)) return true;
    if (target.onPaste) target.onPaste(text);
    else if (this.isWord(text, target)) return this.dropWord(target);
    // No list takes a paste, and its letters are not choices.
    else if (!target.takesText) return false;
    else target.onText(text.replaceAll(/\s*\n\s*/g, ' '));
    this.options.onChange();
    return true;
  }

  /** At a choice of a question that expects a word: a digit in front of it chooses, and the word waits for its field. */
  private keepExpected(typed: TypedText, target: Dialog): boolean {
    const hold = target.takesText ? undefined : this.holdOf(target);
    const split = typed.type === 'text' ? hold?.splitChoice(typed.text) : undefined;
    const lines = hold?.splitLines(typed);
    if (split) {
      target.onText(split.choice);
      return this.onText(split.rest);
    }
    if (lines) {
      if (lines.first === '') target.onKey(createKey('enter'));
      else this.onText(lines.first);
      lines.behind.forEach((each) => this.replay(each));
      return true;
    }
    if (!hold?.isExpected(typed)) return false;
    hold.keep(typed);
    hold.hasKept = true;
    this.options.onChange();
    return true;
  }

  /** While a question holds the keyboard, a word at a choice may be a secret for a field that is not open: it is dropped. */
  private dropWord(target: Dialog): true {
    this.typingInto = 'nowhere';
    const hold = this.holdOf(target);
    if (hold) hold.hasDropped = true;
    this.options.onChange();
    return true;
  }

  private isWord(text: string, target: Dialog): boolean {
    if (text === '' || target.takesText || this.holds.every(({ expects }) => expects)) return false;
    return (
      this.typingInto === 'nowhere' || text.length > 1 || (this.holdOf(target) !== undefined && !isChoiceKey(text))
    );
  }

  /** For a question that is between two dialogs; false where there is none. */
  private keep(typed: Typed): boolean {
    const waiting = this.findWaiting();
    waiting?.keep(typed);
    return waiting !== undefined;
  }

  /** While a login asks a server, Escape is the app's: it ends the waiting. */
  private cancelsBetween(key: Key): boolean {
    return this.findWaiting()?.expects !== undefined && isBoundTo(this.options.keymap(), key, 'basic.cancel');
  }

  private replay(typed: Typed): void {
    if (typed.type === 'key') this.onKey(typed.key);
    else if (typed.type === 'text') this.onText(typed.text);
    else this.onPaste(typed.text);
  }

  private findWaiting(): KeyboardHold | undefined {
    return this.holds.findLast(({ dialog }) => dialog === undefined);
  }

  private holdOf(dialog: Dialog | undefined): KeyboardHold | undefined {
    return this.holds.find((hold) => hold.dialog !== undefined && hold.dialog === dialog);
  }

  /** Where the user types as a dialog opens over it. */
  private findTyping(): typeof this.typingInto {
    if (this.options.now() - this.lastKeyAt >= PAUSE_MS) return undefined;
    if (this.typingInto === 'nowhere') return this.typingInto;
    if (this.holdOf(this.top)) return this.top;
    return this.options.isTyping() ? 'composer' : undefined;
  }

  /** Records a key, and finds the dialog that takes it; undefined while the user types elsewhere. */
  private findTarget(): Dialog | undefined {
    const now = this.options.now();
    if (now - this.lastKeyAt >= PAUSE_MS) this.typingInto = undefined;
    this.lastKeyAt = now;
    if (this.findWaiting() || this.typingInto === 'composer') return undefined;
    const { typingInto } = this;
    return typeof typingInto === 'object' && this.open.includes(typingInto) ? typingInto : this.top;
  }

  /** A letter stays a letter where text is typed, and a key stays itself where the dialog wants every key. */
  private meantBy(key: Key, top: Dialog): Key {
    if ((top.takesText && key.text !== '') || top.wants?.(key)) return key;
    const found = MEANINGS.find(([command]) => isBoundTo(this.options.keymap(), key, command));
    return found ? createKey(found[1]) : key;
  }

  dismissAll(): void {
    for (const dialog of this.open.toReversed()) dialog.dismiss();
  }
}

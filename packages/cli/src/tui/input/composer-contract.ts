/**
 * The interface between the composer and the app. composer-controller.ts implements it, components/composer.tsx draws
 * it.
 */

import type { CommandName } from './commands.ts';
import type { WidthProfile } from '../text/graphemes.ts';
import type { InputHistory } from './input-history.ts';
import type { Key } from './key.ts';
import type { InputReport } from './key-parser.ts';
import type { Keymap } from './keymap.ts';
import type { KeyConsumer, TypedToken } from './key-router.ts';
import type { VimMode } from './vim-state.ts';
import type { ImageClipboard } from './clipboard-image.ts';
import type { EditorPort } from './external-editor.ts';
import type { Clock } from '@castor/core';
import type { CompletionProvider, Suggestion } from './completion-provider.ts';

export interface Submission {
  /** The whole text, pasted blocks expanded. */
  readonly text: string;
  /** As shown in the editor: each pasted block by its label. */
  readonly shown: string;
  readonly isShell: boolean;
}

export interface ComposerOptions {
  readonly onSubmit: (submission: Submission) => void;
  /**
   * A command the composer does not use at this moment: `basic.cancel` (Esc), `basic.quit` (Ctrl+C), `basic.exit`
   * (Ctrl+D on empty input), `app.*`, `scroll.*`, … Returns whether it did something.
   */
  readonly onCommand?: (command: CommandName, key: Key) => boolean;
  /** Messages waiting for the agent, taken back into the editor by Up on empty input. */
  readonly takeQueued?: () => string | undefined;
  /** Tab with text and nothing to complete, while `canQueue` returns true. Without it Tab does nothing. */
  readonly onQueue?: (submission: Submission) => void;
  /** Whether there is a prompt to queue behind; true by default. */
  readonly canQueue?: () => boolean;
  readonly onFocus?: (isFocused: boolean) => void;
  /** Answers of the terminal to queries (colours, cursor, device, keyboard) and mouse reports. */
  readonly onReport?: (report: InputReport) => void;
  /** How the terminal counts cells, once it has answered `probeWidths`. */
  readonly onWidths?: (widths: WidthProfile) => void;
  /** Earlier prompts; those of shell mode are separate. */
  readonly history?: InputHistory;
  readonly shellHistory?: InputHistory;
  readonly completion?: readonly CompletionProvider[];
  readonly keymap?: Keymap;
  readonly isVim?: boolean;
  readonly clipboard?: ImageClipboard;
  readonly editor?: EditorPort;
  /** `ui.escapePastedAtSymbols`. */
  readonly escapesPastedAt?: () => boolean;
  readonly placeholder?: string;
  readonly clock?: Clock;
  /** Whether a pasted path names a file; called for paths of images only. */
  readonly isFile?: (path: string) => boolean;
}

export interface ComposerController {
  /** Bytes of the terminal, in any pieces. Works before anything is mounted. */
  feed(bytes: Uint8Array | string): void;
  /** What was typed earlier and kept elsewhere, as if it were typed now. */
  take(typed: TypedToken): void;
  getSnapshot(): ComposerSnapshot;
  subscribe(listener: () => void): () => void;
  /** Cells of the whole composer, and rows it may take with its border and list. */
  setSize(size: ComposerSize): void;
  /** The text with pasted blocks expanded. */
  getText(): string;
  isEmpty(): boolean;
  /** Replaces everything; the caret moves to the end. Undo restores the old text. */
  setText(text: string): void;
  insert(text: string): void;
  /** Empties the editor, leaves shell mode, search and suggestions. */
  clear(): void;
  setVim(isVim: boolean): void;
  getKeymap(): Keymap;
  setKeymap(keymap: Keymap): void;
  setCompletion(providers: readonly CompletionProvider[]): void;
  /** Prompts submitted earlier are added to it. */
  setHistory(history: InputHistory, shellHistory?: InputHistory): void;
  setClipboard(clipboard: ImageClipboard): void;
  setPlaceholder(placeholder: string): void;
  /** The references with `@` that match no file, as they are written. */
  setMissing(words: ReadonlySet<string>): void;
  /** A line was printed: the rows of a list that has closed are no longer kept. */
  releaseRows(): void;
  /** A dialog takes the keys until the returned function is called. The last pushed is asked first. */
  pushConsumer(consumer: KeyConsumer): () => void;
  openEditor(): Promise<void>;
  /** Measures how wide the terminal draws what standards leave open, by printing samples and erasing them. */
  probeWidths(write: (bytes: string) => void): void;
  /** Ends timers and searches. */
  dispose(): void;
}

export interface ComposerSize {
  readonly columns: number;
  readonly maxRows: number;
}

/** One visible row of the text, sanitised. */
export interface ComposerRow {
  readonly id: string;
  readonly text: string;
}

export interface ComposerSnapshot {
  readonly columns: number;
  /** False where there are too few rows for one. */
  readonly hasBorder: boolean;
  readonly rows: readonly ComposerRow[];
  /** The position of the caret in `rows`. */
  readonly caretRow: number;
  readonly caretCell: number;
  readonly hiddenAbove: number;
  readonly hiddenBelow: number;
  readonly isEmpty: boolean;
  readonly placeholder: string;
  readonly isShell: boolean;
  readonly vimMode: VimMode | undefined;
  /** Keys of an unfinished vim command, such as `2d`. */
  readonly vimPending: string;
  readonly search: SearchView | undefined;
  readonly suggestions: SuggestionView | undefined;
  /** References with `@` that match no file. */
  readonly missing: ReadonlySet<string>;
  /**
   * Rows of the list that has closed, empty on top of the frame: the caret stays where it is until the next line is
   * printed.
   */
  readonly emptyRows: number;
  /** One line about the last action that failed. */
  readonly notice: string | undefined;
}

export interface SearchView {
  readonly query: string;
  readonly hasMatch: boolean;
}

export interface SuggestionView {
  /** Empty rows on top, where the list was higher before. */
  readonly above?: number;
  /** The window that fits the height. */
  readonly items: readonly Suggestion[];
  /** Rows with the names of groups: one before the first item, and one where a group begins. None: 0. */
  readonly headings?: number;
  readonly activeIndex: number;
  readonly hiddenAbove: number;
  readonly hiddenBelow: number;
  readonly isLoading: boolean;
  /** Why the list is empty. */
  readonly whenEmpty?: string | undefined;
  /** The typed part, whose letters are marked. */
  readonly query?: string | undefined;
  /** The part of the chosen suggestion that did not fit; as many rows for every choice of the window. */
  readonly detail: readonly string[];
  /** Whether a part is left out even so. */
  readonly isCut: boolean;
  /** Only the chosen suggestion is shown, with all about it. */
  readonly isExpanded?: boolean;
}

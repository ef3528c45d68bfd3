/** The interface of what keys may do to the composer. The controller implements it. */

import type { CommandName } from './commands.ts';
import type { ComposerState } from './composer-state.ts';
import type { Key } from './key.ts';
import type { Keymap } from './keymap.ts';
import type { SuggestionSession } from './suggestion-session.ts';
import type { VisualLayout } from './visual-layout.ts';

export interface ComposerActions {
  state(): ComposerState;
  set(next: ComposerState): void;
  layout(): VisualLayout;
  keymap(): Keymap;
  readonly suggestions: SuggestionSession;
  /** Whether a part of the chosen suggestion's description is left out. */
  isSuggestionCut(): boolean;
  entries(): readonly string[];
  submit(): void;
  queue(): boolean;
  takeQueued(): string | undefined;
  pasteClipboard(): void;
  openEditor(): void;
  tellApp(command: CommandName, key: Key): boolean;
}

/** What the keys may do to the composer: the shape only. The controller fills it. */

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
  /** Whether some of what is known of the chosen one is left out. */
  isSuggestionCut(): boolean;
  entries(): readonly string[];
  submit(): void;
  queue(): boolean;
  takeQueued(): string | undefined;
  pasteClipboard(): void;
  openEditor(): void;
  tellApp(command: CommandName, key: Key): boolean;
}

/**
 * The state of the composer and its pure changes: text with folded pastes, vim, shell mode, the walk through history
 * and the search in it. No keys, no time.
 */

import type { Submission } from './composer-contract.ts';
import { searchHistory, walkHistory } from './input-history.ts';
import type { HistorySearch, HistoryWalk } from './input-history.ts';
import { lineAt } from './lines.ts';
import { NO_BLOCKS, foldPaste, isLongPaste, keepRecent, refold, showLabels, unfold, withoutBlocks } from './paste.ts';
import type { PastedBlocks } from './paste.ts';
import { createTextBuffer, getBufferText, isBufferEmpty, reduceTextBuffer } from './text-buffer.ts';
import type { BufferAction, TextBuffer } from './text-buffer.ts';
import { recordVimAction } from './vim-state.ts';
import type { VimState } from './vim-state.ts';
import { nextBoundary, previousBoundary } from '../text/graphemes.ts';

export interface ComposerState {
  readonly buffer: TextBuffer;
  readonly blocks: PastedBlocks;
  /** Undefined when vim is off. */
  readonly vim: VimState | undefined;
  readonly isShell: boolean;
  readonly walk: HistoryWalk | undefined;
  readonly search: HistorySearch | undefined;
  readonly notice: string | undefined;
}

/** Recalled texts past this are folded, so that looking through history stays quick. */
const MAX_RECALLED = 20_000;

export function createComposerState(vim: VimState | undefined): ComposerState {
  const rest = { isShell: false, walk: undefined, search: undefined, notice: undefined };
  return { buffer: createTextBuffer(), blocks: NO_BLOCKS, vim, ...rest };
}

export function act(state: ComposerState, action: BufferAction): ComposerState {
  const buffer = reduceTextBuffer(state.buffer, action);
  return { ...state, buffer, vim: state.vim && recordVimAction(state.vim, action) };
}

/** Text that was typed, or a short paste. */
export function insertText(state: ComposerState, text: string): ComposerState {
  return act(state, { type: 'insert', text: withoutBlocks(text, state.blocks) });
}

/** A long paste becomes a block. Terminals write line breaks as carriage returns. */
export function insertPaste(state: ComposerState, pasted: string): ComposerState {
  const text = pasted.replaceAll(/\r\n?/g, '\n');
  if (!isLongPaste(text)) return insertText(state, text);
  const { blocks, character } = foldPaste(state.blocks, text, getBufferText(state.buffer));
  return act({ ...state, blocks }, { type: 'insert', text: character });
}

/** The whole text with every block expanded. */
export function fullText({ buffer, blocks }: ComposerState): string {
  return unfold(getBufferText(buffer), blocks);
}

export function isEmpty({ buffer }: ComposerState): boolean {
  return isBufferEmpty(buffer);
}

/** The submitted text, and the composer after it; the mode stays. Undefined for blank text. */
export function takeSubmission(state: ComposerState): { submission: Submission; next: ComposerState } | undefined {
  const text = fullText(state);
  if (text.trim() === '') return undefined;
  const shown = showLabels(getBufferText(state.buffer), state.blocks);
  const buffer = { ...createTextBuffer(), kills: state.buffer.kills };
  const next = { ...createComposerState(state.vim), buffer, blocks: keepRecent(state.blocks) };
  return { submission: { text, shown, isShell: state.isShell }, next };
}

/** One step through history; the same state at its end. */
export function recall(state: ComposerState, entries: readonly string[], by: -1 | 1): ComposerState {
  const walk = walkHistory(entries, state.walk, { by, text: fullText(state) });
  if (walk === undefined) return state;
  const shown = showRecalled(state, walk.shown);
  // Up enters the history from the first line, Down from the last.
  const caret = by === -1 ? { row: 0, column: lineAt(shown.buffer.lines, 0).length } : shown.buffer.caret;
  return { ...act(shown, { type: 'place', caret }), walk: { ...walk, shown: fullText(shown) } };
}

export function replaceText(state: ComposerState, text: string): ComposerState {
  return act(state, { type: 'setText', text: withoutBlocks(text, state.blocks) });
}

export function startSearch(state: ComposerState): ComposerState {
  return { ...state, search: { query: '', index: undefined, draft: fullText(state) } };
}

/** A new query, or the next older match for the same one. */
export function searchFor(
  state: ComposerState,
  entries: readonly string[],
  { query, isOlder }: { query: string; isOlder: boolean },
): ComposerState {
  const { search } = state;
  if (search === undefined) return state;
  const from = isOlder && search.index !== undefined ? search.index - 1 : undefined;
  const index = searchHistory(entries, query, from) ?? (isOlder ? search.index : undefined);
  const shown = index === undefined ? state : showRecalled(state, entries[index]!);
  return { ...shown, search: { ...search, query, index } };
}

/** Ends the search with the match, or with the previous text. */
export function endSearch(state: ComposerState, { isKept }: { isKept: boolean }): ComposerState {
  const { search } = state;
  if (search === undefined) return state;
  const restored = isKept ? state : showRecalled(state, search.draft);
  return { ...restored, search: undefined };
}

/** Expands the block beside the caret; undefined when there is none. */
export function expandBlock(state: ComposerState): ComposerState | undefined {
  const { buffer, blocks } = state;
  const { row, column } = buffer.caret;
  const line = lineAt(buffer.lines, row);
  const around = [
    [previousBoundary(line, column), column],
    [column, nextBoundary(line, column)],
  ] as const;
  for (const [from, to] of around) {
    const text = blocks.contents.get(line.slice(from, to));
    if (text === undefined) continue;
    return act(state, { type: 'replace', start: { row, column: from }, end: { row, column: to }, text });
  }
  return undefined;
}

/** Folds known blocks again, and also a text too long to look through. */
function showRecalled(state: ComposerState, text: string): ComposerState {
  const folded = refold(withoutBlocks(text, state.blocks), state.blocks);
  if (folded.length <= MAX_RECALLED) return act(state, { type: 'setText', text: folded });
  const { blocks, character } = foldPaste(state.blocks, text);
  return act({ ...state, blocks }, { type: 'setText', text: character });
}

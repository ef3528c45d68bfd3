/**
 * The list of suggestions while it is open: which part of the line it is for, what
 * was found, what is chosen. It asks the providers when the text changes, drops what
 * comes too late, and asks again while a source is still growing.
 */

import type { TextBuffer } from './text-buffer.ts';
import type {
  CompletionProvider,
  CompletionTarget,
  Suggestion,
  SuggestionList,
} from '../completion/completion-provider.ts';

export interface SuggestionSession {
  /** The text or the caret is another one. */
  update(buffer: TextBuffer): void;
  isOpen(): boolean;
  list(): SuggestionsShown | undefined;
  moveBy(by: number): void;
  /** The chosen one alone, with all that is known of it; and all of them again. */
  expand(isExpanded: boolean): void;
  /** What is chosen, and the part it replaces. */
  chosen(): { readonly suggestion: Suggestion; readonly target: CompletionTarget } | undefined;
  /** Closed by hand: stays closed until the caret leaves the part. */
  dismiss(): void;
  close(): void;
  setProviders(providers: readonly CompletionProvider[]): void;
}

export interface SuggestionsShown {
  readonly items: readonly Suggestion[];
  readonly activeIndex: number;
  readonly isLoading: boolean;
  readonly isExpanded: boolean;
}

interface OpenList extends SuggestionsShown {
  readonly provider: CompletionProvider;
  readonly target: CompletionTarget;
  readonly row: number;
}

export function createSuggestionSession(
  initial: readonly CompletionProvider[],
  onChange: () => void,
): SuggestionSession {
  let providers = initial;
  let open: OpenList | undefined;
  let search: AbortController | undefined;
  /** The question that is open or being answered. */
  let asked: Pick<OpenList, 'provider' | 'target' | 'row'> | undefined;
  let dismissedAt: { row: number; column: number } | undefined;

  const close = () => {
    search?.abort();
    search = undefined;
    asked = undefined;
    open = undefined;
  };

  const ask = async (provider: CompletionProvider, target: CompletionTarget, row: number): Promise<void> => {
    search?.abort();
    const mine = (search = new AbortController());
    asked = { provider, target, row };
    // At once where the source answers at once, so that the list never trails a key.
    let answer = provider.complete(target, mine.signal);
    for (;;) {
      let list: SuggestionList;
      try {
        list = answer instanceof Promise ? await answer : answer;
      } catch {
        // A source that fails, or was told to stop, has nothing to suggest.
        list = { items: [] };
      }
      if (mine.signal.aborted) return;
      show(provider, target, row, list);
      if (list.improved === undefined) return;
      await list.improved;
      if (mine.signal.aborted) return;
      answer = provider.complete(target, mine.signal);
    }
  };

  const show = (provider: CompletionProvider, target: CompletionTarget, row: number, list: SuggestionList) => {
    const { items } = list;
    const isLoading = list.improved !== undefined;
    const activeId = open?.target.query === target.query ? open.items[open.activeIndex]?.id : undefined;
    const kept = activeId === undefined ? -1 : items.findIndex(({ id }) => id === activeId);
    const isExpanded = kept >= 0 && (open?.isExpanded ?? false);
    open = { provider, target, row, items, activeIndex: Math.max(0, kept), isLoading, isExpanded };
    onChange();
  };

  return {
    update({ lines, caret: { row, column } }) {
      const line = lines[row]!;
      for (const provider of providers) {
        const target = provider.detect({ row, line, column });
        if (target === undefined) continue;
        if (dismissedAt?.row === row && dismissedAt.column === target.start) return close();
        dismissedAt = undefined;
        const isSame = asked?.provider === provider && asked.row === row && asked.target.start === target.start;
        if (!isSame) close();
        else if (asked!.target.query === target.query && asked!.target.end === target.end) return;
        void ask(provider, target, row);
        return;
      }
      dismissedAt = undefined;
      close();
    },
    isOpen: () => open !== undefined && open.items.length > 0,
    list: () => (open === undefined || (open.items.length === 0 && !open.isLoading) ? undefined : open),
    moveBy(by) {
      if (open === undefined || open.items.length === 0) return;
      open = { ...open, activeIndex: (open.activeIndex + by + open.items.length) % open.items.length };
      onChange();
    },
    expand(isExpanded) {
      if (open === undefined) return;
      open = { ...open, isExpanded };
      onChange();
    },
    chosen() {
      const suggestion = open?.items[open.activeIndex];
      // What was typed since the list was found belongs to the part too.
      return suggestion && { suggestion, target: { ...open!.target, end: asked!.target.end } };
    },
    dismiss() {
      if (open !== undefined) dismissedAt = { row: open.row, column: open.target.start };
      close();
      onChange();
    },
    close,
    setProviders(next) {
      providers = next;
      close();
    },
  };
}

/**
 * The open list of suggestions: the part of the line it completes, the matches, the choice. It queries the providers
 * when the text changes, drops late answers, and queries again while a source is still growing.
 */

import { lineAt } from './lines.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { CompletionProvider, CompletionTarget, Suggestion, SuggestionList } from './completion-provider.ts';

export interface SuggestionsShown {
  readonly items: readonly Suggestion[];
  readonly activeIndex: number;
  readonly isLoading: boolean;
  readonly isExpanded: boolean;
  readonly whenEmpty?: string | undefined;
  readonly target?: CompletionTarget;
}

interface OpenList extends SuggestionsShown {
  readonly provider: CompletionProvider;
  readonly target: CompletionTarget;
  readonly row: number;
}

type Question = Pick<OpenList, 'provider' | 'target' | 'row'>;

export class SuggestionSession {
  private providers: readonly CompletionProvider[];
  private readonly onChange: () => void;
  private open: OpenList | undefined;
  private search: AbortController | undefined;
  /** The query that is shown or pending. */
  private asked: Question | undefined;
  private dismissedAt: { row: number; column: number } | undefined;

  constructor(providers: readonly CompletionProvider[], onChange: () => void) {
    this.providers = providers;
    this.onChange = onChange;
  }

  setProviders(providers: readonly CompletionProvider[]): void {
    this.providers = providers;
    this.close();
  }

  /** The text or the caret has changed. */
  update({ lines, caret: { row, column } }: TextBuffer): void {
    const line = lineAt(lines, row);
    for (const provider of this.providers) {
      const target = provider.detect({ row, line, column });
      if (target !== undefined) return this.turnTo({ provider, target, row });
    }
    this.dismissedAt = undefined;
    return this.close();
  }

  isOpen(): boolean {
    return this.open !== undefined && this.open.items.length > 0;
  }

  list(): SuggestionsShown | undefined {
    return this.isOpen() || this.open?.isLoading || this.open?.whenEmpty !== undefined ? this.open : undefined;
  }

  moveBy(by: number): void {
    if (this.open === undefined || this.open.items.length === 0) return;
    const { activeIndex, items } = this.open;
    this.open = { ...this.open, activeIndex: (activeIndex + by + items.length) % items.length };
    this.onChange();
  }

  /** Shows the chosen one alone with its full description, or all of them again. */
  expand(isExpanded: boolean): void {
    if (this.open === undefined) return;
    this.open = { ...this.open, isExpanded };
    this.onChange();
  }

  /** The choice, and the part it replaces, including text typed since the list was found. */
  chosen(): { readonly suggestion: Suggestion; readonly target: CompletionTarget } | undefined {
    const { open, asked } = this;
    const suggestion = open?.items[open.activeIndex];
    return open && asked && suggestion && { suggestion, target: { ...open.target, end: asked.target.end } };
  }

  /** Closed by the user: stays closed until the caret leaves the part. */
  dismiss(): void {
    if (this.open !== undefined) this.dismissedAt = { row: this.open.row, column: this.open.target.start };
    this.close();
    this.onChange();
  }

  close(): void {
    this.search?.abort();
    this.search = undefined;
    this.asked = undefined;
    this.open = undefined;
  }

  /** Queries, unless the query is the same or the user closed the list of this part. */
  private turnTo(question: Question): void {
    const { provider, target, row } = question;
    const { asked, dismissedAt } = this;
    if (dismissedAt?.row === row && dismissedAt.column === target.start) return this.close();
    this.dismissedAt = undefined;
    const isSame = asked?.provider === provider && asked.row === row && asked.target.start === target.start;
    if (!isSame) this.close();
    else if (asked.target.query === target.query && asked.target.end === target.end) return undefined;
    return void this.ask(question);
  }

  private async ask(question: Question): Promise<void> {
    const { provider, target } = question;
    this.search?.abort();
    const { signal } = (this.search = new AbortController());
    this.asked = question;
    for (;;) {
      const answer = provider.complete(target, signal);
      // Synchronously where the source is synchronous, so that the list never trails a key.
      const list = answer instanceof Promise ? await answer.catch(toNothing) : answer;
      if (signal.aborted) return;
      this.show(question, list);
      if (list.improved === undefined) return;
      await list.improved;
      if (signal.aborted) return;
    }
  }

  private show(question: Question, { items, improved, whenEmpty }: SuggestionList): void {
    const { open } = this;
    const activeId = open?.target.query === question.target.query ? open.items[open.activeIndex]?.id : undefined;
    const kept = activeId === undefined ? -1 : items.findIndex(({ id }) => id === activeId);
    const isExpanded = kept >= 0 && (open?.isExpanded ?? false);
    const activeIndex = Math.max(0, kept);
    this.open = { ...question, items, activeIndex, isLoading: improved !== undefined, isExpanded, whenEmpty };
    this.onChange();
  }
}

/** A source that fails, or was cancelled, suggests nothing. */
function toNothing(): SuggestionList {
  return { items: [] };
}

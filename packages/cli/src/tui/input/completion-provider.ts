/** The types of completions at the caret, shared by the composer and the sources of suggestions. */

export interface Suggestion {
  /** Unique in its list. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** A few words after a path, in a column of their own: `21 lines`. */
  readonly fact?: string;
  /** The heading it stands under, in a list in the order of groups. */
  readonly group?: string | undefined;
  /** The replacement of the typed part. */
  readonly insert: string;
  /** Already typed completely: Enter submits instead of completing. */
  readonly isExact: boolean;
}

/** The position of the caret, as far as a completion may look. */
export interface CompletionInput {
  readonly row: number;
  readonly line: string;
  readonly column: number;
}

/** The typed part of the line that a suggestion replaces. */
export interface CompletionTarget {
  readonly start: number;
  readonly end: number;
  readonly query: string;
}

export interface SuggestionList {
  readonly items: readonly Suggestion[];
  /** Shown where nothing was found. Without it the list is closed then. */
  readonly whenEmpty?: string | undefined;
  /** More may follow: this resolves when it does, and the same query has a better answer. */
  readonly improved?: Promise<void> | undefined;
}

export interface CompletionProvider {
  /** Cheap: called at every key. */
  detect(input: CompletionInput): CompletionTarget | undefined;
  /** Never blocks the thread for long; an aborted search may reject with AbortError. */
  complete(target: CompletionTarget, signal: AbortSignal): Promise<SuggestionList> | SuggestionList;
}

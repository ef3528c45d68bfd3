/**
 * Caches the picture of the composer: its size, the widths of this terminal, the rows of the text and the snapshot of
 * them. Each is kept until something it shows has changed.
 */

import type { ComposerSize, ComposerSnapshot } from './composer-contract.ts';
import { isEmpty } from './composer-state.ts';
import type { ComposerStore } from './composer-store.ts';
import { listHeight, textColumns, viewComposer } from './composer-view.ts';
import { DEFAULT_WIDTHS } from '../text/graphemes.ts';
import type { WidthProfile } from '../text/graphemes.ts';
import type { SuggestionSession } from './suggestion-session.ts';
import { layoutLines } from './visual-layout.ts';
import type { VisualLayout } from './visual-layout.ts';

const PLACEHOLDER = 'Type your message or @path/to/file';
const SHELL_PLACEHOLDER = 'a command for your shell · esc leaves';

export interface ComposerPicture {
  layout(): VisualLayout;
  snapshot(): ComposerSnapshot;
  setSize(size: ComposerSize): void;
  setWidths(widths: WidthProfile): void;
  setPlaceholder(placeholder: string): void;
  setMissing(words: ReadonlySet<string>): void;
  releaseRows(): void;
}

export function createComposerPicture(
  store: ComposerStore,
  suggestions: Pick<SuggestionSession, 'list'>,
  initialPlaceholder = PLACEHOLDER,
): ComposerPicture {
  let placeholder = initialPlaceholder;
  let size: ComposerSize = { columns: 80, maxRows: 12 };
  let widths = DEFAULT_WIDTHS;
  let missing: ReadonlySet<string> = new Set();
  let layout: VisualLayout | undefined;
  let drawn: { snapshot: ComposerSnapshot; version: number } | undefined;

  const getLayout = (): VisualLayout => {
    const { buffer, blocks } = store.get();
    const { lines } = buffer;
    const wanted = { columns: textColumns(size.columns), widths, labels: blocks.labels };
    if (layout === undefined || layout.lines !== lines || !isLaidOutFor(layout, wanted)) {
      layout = layoutLines(lines, wanted, layout);
    }
    return layout;
  };

  const releaseRows = (): void => {
    if (drawn && drawn.snapshot.emptyRows > 0) drawn = undefined;
  };

  const draw = (): ComposerSnapshot => {
    const state = store.get();
    const { buffer, isShell, vim, search, notice } = state;
    return viewComposer({
      layout: getLayout(),
      caret: buffer.caret,
      ...size,
      firstRow: drawn?.snapshot.hiddenAbove ?? 0,
      list: suggestions.list(),
      leastListed: drawn ? Math.max(listHeight(drawn.snapshot), drawn.snapshot.emptyRows) : 0,
      isEmpty: isEmpty(state),
      placeholder: isShell ? SHELL_PLACEHOLDER : placeholder,
      isShell,
      vimMode: vim?.mode,
      vimPending: vim?.keys.join('') ?? '',
      search: search && { query: search.query, hasMatch: search.index !== undefined },
      notice,
      missing,
    });
  };

  return {
    layout: getLayout,
    snapshot() {
      const version = store.version();
      if (drawn?.version !== version) drawn = { snapshot: draw(), version };
      return drawn.snapshot;
    },
    setSize(next) {
      if (next.columns === size.columns && next.maxRows === size.maxRows) return;
      releaseRows();
      size = { columns: Math.max(1, next.columns), maxRows: Math.max(1, next.maxRows) };
      store.touch();
    },
    setWidths(next) {
      widths = next;
      store.touch();
    },
    setPlaceholder(next) {
      placeholder = next;
      store.touch();
    },
    setMissing(next) {
      if (next.size === missing.size && [...next].every((word) => missing.has(word))) return;
      missing = next;
      store.touch();
    },
    // Without a notice: the next frame shows it.
    releaseRows,
  };
}

function isLaidOutFor({ options }: VisualLayout, wanted: VisualLayout['options']): boolean {
  return options.columns === wanted.columns && options.widths === wanted.widths && options.labels === wanted.labels;
}

/**
 * The composer outside React: takes bytes, owns the state, tells listeners, and does
 * what the keys ask of the world (submit, clipboard, editor). It works before
 * anything is mounted, so that no early key is lost. One piece of bytes is one change.
 */

import { statSync } from 'node:fs';
import { systemClock } from '@castor/core';
import type { ComposerController, ComposerOptions, ComposerSnapshot } from './composer-contract.ts';
import { handleKey, handleText } from './composer-keys.ts';
import type { ComposerHands } from './composer-keys.ts';
import {
  createComposerState,
  fullText,
  insertPaste,
  insertText,
  isEmpty,
  replaceText,
  takeSubmission,
} from './composer-state.ts';
import type { ComposerState } from './composer-state.ts';
import { textColumns, viewComposer } from './composer-view.ts';
import { DEFAULT_WIDTHS } from './graphemes.ts';
import { createInputHistory } from './input-history.ts';
import { createInputReader } from './input-reader.ts';
import { createKeyRouter, toKeys } from './key-router.ts';
import type { InputReport, InputToken } from './key-parser.ts';
import { createKeymap } from './keymap.ts';
import { escapeAt, escapeReference, toImagePath } from './paste.ts';
import { createSuggestionSession } from './suggestion-session.ts';
import { createVimState } from './vim-state.ts';
import { layoutLines } from './visual-layout.ts';
import type { VisualLayout } from './visual-layout.ts';
import { PROBE_BYTES, PROBE_COUNT, toWidthProfile } from './width-probe.ts';

const PLACEHOLDER = '  Type your message or @path/to/file';
const SHELL_PLACEHOLDER = '  Type your shell command';

export function createComposerController(options: ComposerOptions): ComposerController {
  const listeners = new Set<() => void>();
  let keymap = options.keymap ?? createKeymap();
  /** What was submitted before there was a history to keep it. */
  const early = { prompts: createInputHistory(), commands: createInputHistory() };
  let history = options.history ?? early.prompts;
  let shellHistory = options.shellHistory ?? early.commands;
  let clipboard = options.clipboard;
  let placeholder = options.placeholder ?? PLACEHOLDER;
  let size = { columns: 80, maxRows: 12 };
  let widths = DEFAULT_WIDTHS;
  let probed: number[] | undefined;
  let current = createComposerState(options.isVim ? createVimState() : undefined);
  let layout: VisualLayout | undefined;
  let snapshot: ComposerSnapshot | undefined;
  let firstRow = 0;
  let batches = 0;
  let isChanged = false;

  const changed = () => {
    snapshot = undefined;
    if (batches > 0) {
      isChanged = true;
      return;
    }
    for (const listener of listeners) listener();
  };

  const set = (next: ComposerState) => {
    if (next === current) return;
    current = next;
    changed();
  };

  const batch = (run: () => void) => {
    batches++;
    try {
      run();
      updateSuggestions();
    } finally {
      batches--;
      if (isChanged && batches === 0) {
        isChanged = false;
        changed();
      }
    }
  };

  const suggestions = createSuggestionSession(options.completion ?? [], changed);

  const updateSuggestions = () => {
    const isTyping = current.search === undefined && !current.isShell && current.vim?.mode !== 'NORMAL';
    const isRecalled = current.walk !== undefined && current.walk.shown === fullText(current);
    if (isTyping && !isRecalled) suggestions.update(current.buffer);
    else suggestions.close();
  };

  const getLayout = (): VisualLayout => {
    const { lines } = current.buffer;
    const wanted = { columns: textColumns(size.columns), widths, labels: current.blocks.labels };
    if (layout === undefined || layout.lines !== lines || !isLaidOutFor(layout, wanted)) {
      layout = layoutLines(lines, wanted, layout);
    }
    return layout;
  };

  const getSnapshot = (): ComposerSnapshot => {
    if (snapshot !== undefined) return snapshot;
    const { buffer, isShell, vim, search, notice } = current;
    snapshot = viewComposer({
      layout: getLayout(),
      caret: buffer.caret,
      columns: size.columns,
      maxRows: size.maxRows,
      firstRow,
      list: suggestions.list(),
      isEmpty: isEmpty(current),
      placeholder: isShell ? SHELL_PLACEHOLDER : placeholder,
      isShell,
      vimMode: vim?.mode,
      vimPending: vim?.keys.join('') ?? '',
      search: search && { query: search.query, hasMatch: search.index !== undefined },
      notice,
    });
    firstRow = snapshot.hiddenAbove;
    return snapshot;
  };

  const take = () => {
    const taken = takeSubmission(current);
    if (taken === undefined) return undefined;
    suggestions.close();
    (taken.submission.isShell ? shellHistory : history).add(taken.submission.text);
    set(taken.next);
    return taken.submission;
  };

  const paste = (text: string) => {
    const isFile = options.isFile ?? isRegularFile;
    const image = toImagePath(text);
    if (image !== undefined && isFile(image)) set(insertText(current, `@${escapeReference(image)} `));
    else set(insertPaste(current, options.escapesPastedAt?.() ? escapeAt(text) : text));
  };

  const pasteClipboard = async () => {
    const answer = (await clipboard?.read()) ?? { type: 'none', message: 'There is no clipboard here.' };
    batch(() => {
      if (answer.type === 'none') set({ ...current, notice: answer.message });
      else if (answer.type === 'text') set(insertPaste(current, answer.text));
      else set(insertText(current, `@${escapeReference(answer.path)} `));
    });
  };

  const openEditor = async () => {
    if (options.editor === undefined) {
      set({ ...current, notice: 'No editor can be opened here.' });
      return;
    }
    const { editExternally } = await import('./external-editor.ts');
    const answer = await editExternally(fullText(current), options.editor);
    batch(() => {
      if (answer.type === 'edited') set(replaceText(current, answer.text));
      else set({ ...current, notice: answer.message });
    });
  };

  const hands: ComposerHands = {
    state: () => current,
    set,
    layout: getLayout,
    keymap: () => keymap,
    suggestions,
    isSuggestionCut: () => getSnapshot().suggestions?.isCut ?? false,
    entries: () => (current.isShell ? shellHistory : history).entries(),
    submit() {
      const submission = take();
      if (submission !== undefined) options.onSubmit(submission);
    },
    queue() {
      const isWanted = options.onQueue !== undefined && (options.canQueue?.() ?? true);
      const submission = isWanted ? take() : undefined;
      if (submission !== undefined) options.onQueue!(submission);
      return submission !== undefined;
    },
    takeQueued: () => options.takeQueued?.(),
    pasteClipboard: () => void pasteClipboard(),
    openEditor: () => void openEditor(),
    tellApp: (command, key) => options.onCommand?.(command, key) ?? false,
  };

  const router = createKeyRouter({
    onKey: (key) => handleKey(hands, key),
    onText(text) {
      if (current.vim?.mode !== 'NORMAL' || current.search !== undefined) return handleText(hands, text);
      // In NORMAL every character is a command, until one of them begins INSERT.
      for (const key of toKeys(text)) handleKey(hands, key);
      return true;
    },
    onPaste(text) {
      if (current.search !== undefined) return handleText(hands, text.replaceAll(/\s+/g, ' '));
      paste(text);
      return true;
    },
  });

  const takeReport = (report: InputReport) => {
    if (report.kind !== 'cursor' || probed === undefined) return options.onReport?.(report);
    probed.push(report.column);
    if (probed.length < PROBE_COUNT) return undefined;
    widths = toWidthProfile(probed);
    probed = undefined;
    return changed();
  };

  const takeToken = (token: InputToken) => {
    if (token.type === 'report') return takeReport(token.report);
    if (token.type === 'focus') return options.onFocus?.(token.isFocused);
    if (current.notice !== undefined) set({ ...current, notice: undefined });
    return router.route(token);
  };

  const reader = createInputReader({
    clock: options.clock ?? systemClock,
    onTokens: (tokens) =>
      batch(() => {
        for (const token of tokens) {
          takeToken(token);
          // A key may close the list that the next one would have been for.
          if (token.type === 'key' || token.type === 'text') updateSuggestions();
        }
      }),
  });

  return {
    feed: (bytes) => reader.feed(bytes),
    getSnapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    setSize(next) {
      if (next.columns === size.columns && next.maxRows === size.maxRows) return;
      size = { columns: Math.max(1, next.columns), maxRows: Math.max(1, next.maxRows) };
      changed();
    },
    getText: () => fullText(current),
    isEmpty: () => isEmpty(current),
    setText: (text) => batch(() => set(replaceText(current, text))),
    insert: (text) => batch(() => set(insertPaste(current, text))),
    clear: () =>
      batch(() => {
        const { vim } = current;
        const emptied = replaceText(current, '');
        set({ ...createComposerState(vim), buffer: emptied.buffer, blocks: current.blocks });
      }),
    setVim: (isVim) => set({ ...current, vim: isVim ? (current.vim ?? createVimState()) : undefined }),
    getKeymap: () => keymap,
    setKeymap: (next) => void (keymap = next),
    setCompletion(providers) {
      suggestions.setProviders(providers);
      // What was typed before they came is looked at now.
      batch(() => {});
    },
    setHistory(next, nextShell) {
      if (history === early.prompts) early.prompts.entries().forEach(next.add);
      history = next;
      if (nextShell === undefined) return;
      if (shellHistory === early.commands) early.commands.entries().forEach(nextShell.add);
      shellHistory = nextShell;
    },
    setClipboard: (next) => void (clipboard = next),
    setPlaceholder(next) {
      placeholder = next;
      changed();
    },
    pushConsumer: (consumer) => router.push(consumer),
    openEditor,
    probeWidths(write) {
      probed = [];
      reader.expectCursorReports(PROBE_COUNT);
      write(PROBE_BYTES);
    },
    expectCursorReports: (count) => reader.expectCursorReports(count),
    dispose() {
      reader.dispose();
      suggestions.close();
      listeners.clear();
    },
  };
}

function isLaidOutFor({ options }: VisualLayout, wanted: VisualLayout['options']): boolean {
  return options.columns === wanted.columns && options.widths === wanted.widths && options.labels === wanted.labels;
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A path that cannot even be asked about is text.
    return false;
  }
}

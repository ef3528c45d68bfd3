/**
 * The composer outside React: parses bytes, owns the state, notifies listeners, and carries out side effects of keys
 * (submit, clipboard, editor). It works before anything is mounted, so that no early key is lost. One piece of bytes is
 * one change.
 */

import { systemClock } from '@castor/core';
import type { ComposerController, ComposerOptions } from './composer-contract.ts';
import type { ComposerActions } from './composer-actions.ts';
import { createComposerHistories } from './composer-histories.ts';
import type { ComposerHistories } from './composer-histories.ts';
import { handleKey, handleText } from './composer-keys.ts';
import { createComposerPicture } from './composer-picture.ts';
import { createComposerSources } from './composer-sources.ts';
import type { ComposerSources } from './composer-sources.ts';
import { createComposerState, fullText, insertPaste, isEmpty, replaceText, takeSubmission } from './composer-state.ts';
import { createComposerStore } from './composer-store.ts';
import type { ComposerStore } from './composer-store.ts';
import { createInputReader } from './input-reader.ts';
import { createKeyRouter, toKeys } from './key-router.ts';
import type { KeyConsumer, KeyRouter } from './key-router.ts';
import type { InputToken } from './key-parser.ts';
import { createKeymap } from './keymap.ts';
import { SuggestionSession } from './suggestion-session.ts';
import { createVimState } from './vim-state.ts';
import { PROBE_BYTES, PROBE_COUNT, createWidthProbe } from './width-probe.ts';
import type { WidthProbe } from './width-probe.ts';

export function createComposerController(options: ComposerOptions): ComposerController {
  const store = createComposerStore(createComposerState(options.isVim ? createVimState() : undefined));
  const suggestions = new SuggestionSession(options.completion ?? [], store.touch);
  const picture = createComposerPicture(store, suggestions, options.placeholder);
  const histories = createComposerHistories(options.history, options.shellHistory);
  const probe = createWidthProbe((widths) => {
    picture.setWidths(widths);
    options.onWidths?.(widths);
  });
  let keymap = options.keymap ?? createKeymap();

  const batch = (run: () => void) =>
    store.batch(() => {
      run();
      updateSuggestions(store, suggestions);
    });
  const sources = createComposerSources(options, store, batch);

  const actions: ComposerActions = {
    state: store.get,
    set: store.set,
    layout: picture.layout,
    keymap: () => keymap,
    suggestions,
    isSuggestionCut: () => picture.snapshot().suggestions?.isCut ?? false,
    entries: () => histories.entries(store.get()),
    pasteClipboard: sources.pasteClipboard,
    openEditor: () => void sources.openEditor(),
    tellApp: (command, key) => options.onCommand?.(command, key) ?? false,
    ...createSending(options, { store, suggestions, histories }),
  };

  const router = createKeyRouter(createConsumer(actions, sources));
  const takeToken = createTokenTaker(options, { store, router, probe });
  const takeTokens = (tokens: readonly InputToken[]) =>
    batch(() => {
      for (const token of tokens) {
        takeToken(token);
        // A key may close the list that the next key was meant for.
        if (token.type === 'key' || token.type === 'text') updateSuggestions(store, suggestions);
      }
    });
  const reader = createInputReader({ clock: options.clock ?? systemClock, onTokens: takeTokens });

  return {
    feed: (bytes) => reader.feed(bytes),
    take: (typed) => takeTokens([typed]),
    getSnapshot: picture.snapshot,
    subscribe: store.subscribe,
    setSize: picture.setSize,
    getText: () => fullText(store.get()),
    isEmpty: () => isEmpty(store.get()),
    setText: (text) => batch(() => store.set(replaceText(store.get(), text))),
    insert: (text) => batch(() => store.set(insertPaste(store.get(), text))),
    clear: () =>
      batch(() => {
        const { vim, blocks } = store.get();
        const { buffer } = replaceText(store.get(), '');
        store.set({ ...createComposerState(vim), buffer, blocks });
      }),
    setVim(isVim) {
      const current = store.get();
      store.set({ ...current, vim: isVim ? (current.vim ?? createVimState()) : undefined });
    },
    getKeymap: () => keymap,
    setKeymap: (next) => void (keymap = next),
    setCompletion: (providers) =>
      // Text typed before the providers arrived is completed when the batch ends.
      batch(() => suggestions.setProviders(providers)),
    setHistory: histories.replace,
    setClipboard: sources.setClipboard,
    setPlaceholder: picture.setPlaceholder,
    setMissing: picture.setMissing,
    releaseRows: picture.releaseRows,
    pushConsumer: router.push,
    openEditor: sources.openEditor,
    probeWidths(write) {
      probe.begin();
      reader.expectCursorReports(PROBE_COUNT);
      write(PROBE_BYTES);
    },
    dispose() {
      reader.dispose();
      suggestions.close();
      store.dispose();
    },
  };
}

/** Suggestions are for text being typed: not for a search, a command, a key of vim or a recalled prompt. */
function updateSuggestions(store: ComposerStore, suggestions: SuggestionSession): void {
  const { buffer, search, isShell, vim, walk } = store.get();
  const isTyping = search === undefined && !isShell && vim?.mode !== 'NORMAL';
  const isRecalled = walk !== undefined && walk.shown === fullText(store.get());
  if (isTyping && !isRecalled) suggestions.update(buffer);
  else suggestions.close();
}

interface SendingParts {
  store: ComposerStore;
  suggestions: SuggestionSession;
  histories: ComposerHistories;
}

/** Submits: the editor is empty and the prompt is in the history before the listeners run. */
function createSending(
  { onSubmit, onQueue, canQueue, takeQueued }: ComposerOptions,
  { store, suggestions, histories }: SendingParts,
): Pick<ComposerActions, 'submit' | 'queue' | 'takeQueued'> {
  const give = (receive: ComposerOptions['onSubmit']): boolean => {
    const taken = takeSubmission(store.get());
    if (taken === undefined) return false;
    suggestions.close();
    histories.add(taken.submission);
    store.set(taken.next);
    receive(taken.submission);
    return true;
  };
  return {
    submit: () => void give(onSubmit),
    queue: () => onQueue !== undefined && (canQueue?.() ?? true) && give(onQueue),
    takeQueued: () => takeQueued?.(),
  };
}

/** The bottom of the stack of key handlers. */
function createConsumer(actions: ComposerActions, sources: ComposerSources): KeyConsumer {
  return {
    onKey: (key) => handleKey(actions, key),
    onText(text) {
      const { vim, search } = actions.state();
      if (vim?.mode !== 'NORMAL' || search !== undefined) return handleText(actions, text);
      // In NORMAL every character is a command, until one of them begins INSERT.
      for (const key of toKeys(text)) handleKey(actions, key);
      return true;
    },
    onPaste(text) {
      if (actions.state().search !== undefined) return handleText(actions, text.replaceAll(/\s+/g, ' '));
      sources.paste(text);
      return true;
    },
  };
}

interface TokenParts {
  store: ComposerStore;
  router: KeyRouter;
  probe: WidthProbe;
}

/** Answers of the terminal go to the query's caller; any typed key clears the notice. */
function createTokenTaker({ onReport, onFocus }: ComposerOptions, { store, router, probe }: TokenParts) {
  return (token: InputToken): void => {
    if (token.type === 'report') {
      if (!probe.take(token.report)) onReport?.(token.report);
    } else if (token.type === 'focus') {
      onFocus?.(token.isFocused);
    } else {
      const current = store.get();
      if (current.notice !== undefined) store.set({ ...current, notice: undefined });
      router.route(token);
    }
  };
}

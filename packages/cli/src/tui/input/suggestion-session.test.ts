import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CompletionProvider, SuggestionList } from './completion-provider.ts';
import { SuggestionSession } from './suggestion-session.ts';
import { createTextBuffer } from './text-buffer.ts';

/** A source whose answers the test gives when it wants to. */
function createSource() {
  const questions: { query: string; signal: AbortSignal; answer: (list: SuggestionList) => void; fail: () => void }[] =
    [];
  const provider: CompletionProvider = {
    detect: ({ line, column }) =>
      line.startsWith('@') ? { start: 1, end: column, query: line.slice(1, column) } : undefined,
    complete: ({ query }, signal) =>
      new Promise((resolve, reject) => {
        questions.push({ query, signal, answer: resolve, fail: () => reject(new Error('broken')) });
      }),
  };
  return { provider, questions };
}

function items(...labels: string[]) {
  return labels.map((label) => ({ id: label, label, insert: label, isExact: false }));
}

function start() {
  const { provider, questions } = createSource();
  let changes = 0;
  const session = new SuggestionSession([provider], () => changes++);
  const labels = () => session.list()?.items.map(({ label }) => label);
  return { session, questions, labels, changes: () => changes };
}

describe('SuggestionSession', () => {
  it('drops an answer that comes after the next question, and tells its source to stop', async () => {
    const { session, questions, labels } = start();
    session.update(createTextBuffer('@a'));
    session.update(createTextBuffer('@ab'));
    questions[1]!.answer({ items: items('new') });
    questions[0]!.answer({ items: items('old') });
    await nextLoop();
    expect({ labels: labels(), isStopped: questions[0]!.signal.aborted }).toEqual({ labels: ['new'], isStopped: true });
  });

  it('asks again while the source grows, and keeps what is chosen', async () => {
    const { session, questions, labels } = start();
    const grown = Promise.withResolvers<void>();
    session.update(createTextBuffer('@a'));
    questions[0]!.answer({ items: items('one', 'two'), improved: grown.promise });
    await nextLoop();
    session.moveBy(1);
    expect({ labels: labels(), isLoading: session.list()?.isLoading }).toEqual({
      labels: ['one', 'two'],
      isLoading: true,
    });
    grown.resolve();
    await nextLoop();
    questions[1]!.answer({ items: items('zero', 'one', 'two') });
    await nextLoop();
    expect({ chosen: session.chosen()?.suggestion.label, isLoading: session.list()?.isLoading }).toEqual({
      chosen: 'two',
      isLoading: false,
    });
  });

  it('keeps the old list until the next answer, and closes when the word is left', async () => {
    const { session, questions, labels } = start();
    session.update(createTextBuffer('@a'));
    questions[0]!.answer({ items: items('one') });
    await nextLoop();
    session.update(createTextBuffer('@ab'));
    expect({ labels: labels(), replaced: session.chosen()?.target.end }).toEqual({ labels: ['one'], replaced: 3 });
    session.update(createTextBuffer('plain'));
    expect({ labels: labels(), isStopped: questions[1]!.signal.aborted }).toEqual({
      labels: undefined,
      isStopped: true,
    });
  });

  it('has nothing to suggest when a source fails', async () => {
    const { session, questions, labels } = start();
    session.update(createTextBuffer('@a'));
    questions[0]!.fail();
    await nextLoop();
    expect(labels()).toBeUndefined();
  });

  it('asks once for a question that did not change', () => {
    const { session, questions } = start();
    session.update(createTextBuffer('@a'));
    session.update(createTextBuffer('@a'));
    expect(questions).toHaveLength(1);
  });
});

import { StreamingState } from '@castor/core';
import type { PendingCall } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { SelectDialog } from './dialogs/select-dialog.ts';
import { layoutFrame } from './frame-layout.ts';
import type { FrameState } from './frame-layout.ts';
import { frameCaret, frameRows } from './frame-rows.ts';
import { createStyles } from './theme/styles.ts';
import { chooseTheme } from './theme/theme.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');
const call: PendingCall = {
  callId: 'c',
  name: 'run_shell_command',
  display: { name: 'Shell', description: 'x'.repeat(300) },
  status: 'executing',
  output: Array.from({ length: 200 }, (_, index) => `output ${index} 漢字`).join('\n'),
  omittedOutput: 0,
  isAnswered: false,
};

function full(columns: number, rows: number, change: Partial<FrameState> = {}): FrameState {
  return {
    size: { columns, rows },
    styles,
    answer: (maxRows) => Array.from({ length: maxRows }, () => 'answer'),
    calls: Array.from({ length: 12 }, () => call),
    streaming: StreamingState.Responding,
    thought: 'A thought '.repeat(30),
    retry: undefined,
    elapsedMs: 61_000,
    showsSpinner: true,
    dialog: undefined,
    todos: Array.from({ length: 20 }, () => ({ description: 'todo', status: 'pending' as const })),
    queue: ['one', 'two', 'three', 'four'],
    keepsDrawer: false,
    toast: undefined,
    footer: {
      folder: '~/project',
      branch: 'main',
      model: 'm',
      contextUsed: 0.5,
      mode: 'default',
      isTrusted: true,
      queued: 4,
      items: ['workspace', 'git-branch', 'model-name', 'context-used'],
    },
    composerHeight: 2,
    ...change,
  };
}

it('has one empty row between an answer and its calls, whoever has it', () => {
  const heads = (change: Partial<FrameState>) =>
    layoutFrame(full(80, 24, { calls: [{ ...call, output: '' }], ...change })).calls.filter((row) => row === '').length;
  expect(heads({})).toBe(1);
  expect(heads({ isBelowGap: true })).toBe(1);
  expect(heads({ isBelowGap: true, answer: () => [] })).toBe(0);
  expect(heads({ isBelowGap: true, dialog: dialog() })).toBe(0);
});

const COMPOSER = { rows: ['rule', '> '], caret: { row: 1, column: 2 } };
const dialog = () =>
  new SelectDialog(
    {
      title: 'Q '.repeat(40),
      body: () => Array.from({ length: 100 }, () => 'row'),
      options: Array.from({ length: 30 }, (_, value) => ({ label: 'x', value })),
    },
    () => {},
  );

describe('layoutFrame', () => {
  it.each([
    ['a full frame', () => ({})],
    ['a dialog', () => ({ dialog: dialog() })],
    ['a dialog beside what waits', () => ({ dialog: dialog(), keepsDrawer: true })],
    ['a toast', () => ({ toast: 'Press Ctrl+C again to exit.' })],
  ])('keeps %s shorter than any terminal of ordinary size', (_name, change) => {
    for (let rows = 12; rows <= 60; rows++) {
      for (const columns of [20, 80, 200]) {
        const height = frameRows(layoutFrame(full(columns, rows, change())), COMPOSER).length;
        expect(height, `${columns} by ${rows}`).toBeLessThan(rows);
      }
    }
  });

  it.each([
    [false, 0],
    [true, 14],
  ])('shows todos and queue beside a question: %j', (keepsDrawer, rows) => {
    const question = new SelectDialog({ title: 'Q', options: [{ label: 'x', value: 1 }] }, () => {});
    const { todos, queue } = layoutFrame(full(80, 60, { dialog: question, keepsDrawer }));
    expect(todos.length + queue.length).toBe(rows);
  });

  it('says what it thinks of and for how long', () => {
    const { loading } = layoutFrame(full(80, 24, { thought: 'Counting' }));
    expect(loading.at(-1)).toMatch(/^. Counting \(esc to cancel, 1m 1s\)$/);
  });

  it('shows which attempt failed and when the next one comes', () => {
    const retry = { attempt: 2, maxAttempts: 3, delayMs: 5_000, model: 'm', error: { message: 'busy' } };
    expect(layoutFrame(full(120, 24, { retry })).loading.at(-1)).toContain('Attempt 2 of 3 failed; next in 5s: busy');
    const now = { ...retry, delayMs: 0 };
    expect(layoutFrame(full(120, 24, { retry: now })).loading.at(-1)).toContain('failed; trying again now: busy');
  });

  it.each([
    ['below', ['rule', '> ', '  ~/project (main) · m · 50% used · 4 queued']],
    ['above', ['  ~/project (main) · m · 50% used · 4 queued', 'rule', '> ']],
  ] as const)('puts the footer %s the composer where it is asked to', (statusPlace, expected) => {
    const sections = layoutFrame(full(80, 24, { statusPlace }));
    expect([frameRows(sections, COMPOSER).slice(-3), frameCaret(sections, COMPOSER)?.row]).toEqual([
      expected,
      frameRows(sections, COMPOSER).lastIndexOf('> '),
    ]);
  });

  it('shows the end of the answer in a low window rather than an empty row', () => {
    const { answer, loading } = layoutFrame(full(80, 6, { calls: [], todos: [], queue: [] }));
    expect([answer, loading.length]).toEqual([['answer'], 1]);
  });
});

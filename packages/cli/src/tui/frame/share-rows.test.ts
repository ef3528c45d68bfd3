import { StreamingState, createTranscriptStore } from '@castor/core';
import type { PendingCall } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { SelectDialog } from '../dialogs/select-dialog.ts';
import { createComposerController } from '../input/composer-controller.ts';
import type { FrameData } from '../components/frame-data.ts';
import { createInkView } from './ink-view.tsx';
import { caretIn, plainFrame } from './plain-frame.ts';
import { shareRows } from './share-rows.ts';
import { ClientCalls } from '../conversation/client-calls.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { variants } from '../../../../../test/house/variants.ts';

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

const composer = createComposerController({ onSubmit() {} });

function full(columns: number, rows: number, change: Partial<FrameData> = {}): FrameData {
  composer.setSize({ columns: columns - 1, maxRows: Math.max(3, Math.min(14, Math.floor(rows / 2))) });
  return {
    size: { columns, rows },
    styles,
    answer: (maxRows) => Array.from({ length: maxRows }, () => 'answer'),
    held: [],
    isBelowGap: false,
    calls: Array.from({ length: 12 }, () => call),
    streaming: StreamingState.Responding,
    todos: Array.from({ length: 20 }, () => ({ description: 'todo', status: 'pending' as const })),
    queue: ['one', 'two', 'three', 'four'],
    keepsDrawer: false,
    status: { verb: 'Counting', elapsedMs: 61_000, keys: ['esc stops'], showsSpinner: true },
    rule: { mode: 'default' },
    dialog: undefined,
    composer: composer.getSnapshot(),
    ...change,
  };
}

const dialog = () =>
  new SelectDialog(
    {
      title: 'Q '.repeat(40),
      body: () => Array.from({ length: 100 }, () => 'row'),
      options: Array.from({ length: 30 }, (_, value) => ({ label: 'x', value })),
    },
    () => {},
  );

/** The rows that Ink makes of it. */
function draw(data: FrameData): readonly string[] {
  const view = createInkView(data.size, {
    onOwnFrame() {},
    onBroken(error) {
      throw error;
    },
  });
  const clientCalls = new ClientCalls(() => {});
  clientCalls.calls = data.calls;
  const transcript = createTranscriptStore().getSnapshot();
  const isResponding = data.streaming !== StreamingState.Idle;
  const stream = { transcript, isResponding, submitQuery() {}, initError: undefined, clientCalls };
  const rows = view.draw({ data, shares: shareRows(data), composer, stream }, data.size);
  view.close();
  return rows;
}

describe('the frame', () => {
  variants.each([
    ['a full frame', () => ({})],
    ['a dialog', () => ({ dialog: dialog() })],
    ['a dialog beside what waits', () => ({ dialog: dialog(), keepsDrawer: true })],
  ])('is shorter than any terminal of ordinary size: %s', (_name, change) => {
    for (const rows of [6, 8, 12, 13, 16, 24, 40, 60]) {
      for (const columns of [20, 80, 200]) {
        expect(draw(full(columns, rows, change())).length, `${columns} by ${rows}`).toBeLessThan(rows);
      }
    }
  });

  it('is the same before Ink is loaded', () => {
    for (const columns of [20, 80, 200]) {
      const idle = {
        calls: [],
        todos: [],
        queue: [],
        status: undefined,
        streaming: StreamingState.Idle,
        answer: () => [],
      };
      const data = full(columns, 24, idle);
      const plain = plainFrame(data, undefined);
      expect(draw(data).map((row) => row.trimEnd())).toEqual(plain.map((row) => row.trimEnd()));
    }
  });

  it('has the caret in its last row', () => {
    const data = full(80, 24);
    const rows = draw(data);
    expect(caretIn(rows, data, undefined)).toEqual({ row: rows.length - 1, column: 2 });
  });

  it.each([
    [false, 0],
    [true, 14],
  ])('shows plan and queue beside a question: %j', (keepsDrawer, rows) => {
    const question = new SelectDialog({ title: 'Q', options: [{ label: 'x', value: 1 }] }, () => {});
    const { plan, queue, hasStatus } = shareRows(full(80, 60, { dialog: question, keepsDrawer }));
    expect([plan + queue, hasStatus]).toEqual([rows, false]);
  });

  it('says what is under way and for how long', () => {
    expect(draw(full(80, 24)).find((row) => row.includes('Counting'))).toMatch(/^. Counting · 1m 01s · esc stops$/);
  });

  it('shows the end of the answer in a low window rather than an empty row', () => {
    const { answer, hasGap } = shareRows(full(80, 6, { calls: [], todos: [], queue: [] }));
    expect([answer, hasGap]).toEqual([['answer', 'answer'], false]);
  });

  it('has one empty row between blocks, never two', () => {
    const rows = draw(full(80, 24, { isBelowGap: true, answer: () => [], calls: [], todos: [], queue: [] }));
    expect(rows[0]).not.toBe('');
  });
});

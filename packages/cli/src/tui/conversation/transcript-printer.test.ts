import { GeminiEventType, createTranscriptStore } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { TranscriptPrinter } from './transcript-printer.ts';

const styles = createStyles(chooseTheme({}).theme, 'none');
const start: AgentEvent = { type: 'prompt_started', prompt_id: 'p', text: 'Hi' };
const end: AgentEvent = { type: 'prompt_ended', prompt_id: 'p', outcome: 'completed' };
const finished: AgentEvent = { type: GeminiEventType.Finished, value: { reason: 'STOP', usageMetadata: undefined } };
const retry: AgentEvent = { type: GeminiEventType.Retry };
const say = (value: string): AgentEvent => ({ type: GeminiEventType.Content, value });

function createPrinter() {
  return new TranscriptPrinter({
    styles: () => styles,
    width: () => 60,
    show: () => ({ thinking: false, citations: false, model: false, lineNumbers: true, isCompact: true }),
    createHighlighter: () => ({ begin: () => {}, line: (code) => code, peek: (code) => code }),
  });
}

/** The lines after each event, and at last what is pending. */
function print(events: readonly AgentEvent[], lookEvery = 1) {
  const store = createTranscriptStore();
  const printer = createPrinter();
  const lines: string[] = [];
  for (const [index, event] of events.entries()) {
    store.dispatch(event);
    if (index % lookEvery === 0) lines.push(...printer.take(store.getSnapshot()));
  }
  lines.push(...printer.take(store.getSnapshot()));
  return { lines, pending: printer.pendingRows(10) };
}

describe('TranscriptPrinter', () => {
  const ANSWER = [start, say('one\ntwo\n\nth'), say('ree\n\n```js\na();\n'), say('b();\n```\nfour'), finished, end];
  const LINES = ['', '❯ Hi', '', 'one', 'two', '', 'three', '', '```js', 'a();', 'b();', '```', 'four'];

  it.each([1, 2, 3, 10])('gives every line once, however seldom it looks (every %i events)', (every) => {
    expect(print(ANSWER, every)).toEqual({ lines: LINES, pending: [] });
  });

  it.each(['one', 'one\n', 'one\n\ntwo', '# One\n\n- two\n\nthree', '```js\na();\n```'])(
    'has an empty row between an answer of %j and the next prompt',
    (answer) => {
      const { lines } = print([start, say(answer), finished, end, { ...start, text: 'Next' }]);
      expect(lines.slice(-2)).toEqual(['', '❯ Next']);
      expect(lines.at(-3)).not.toBe('');
    },
  );

  it('has empty rows around lines of others', () => {
    const store = createTranscriptStore();
    const printer = createPrinter();
    const note = ['', 'a note'];
    const taken = (events: readonly AgentEvent[], lines: readonly string[] = []) => {
      store.dispatchAll(events);
      return printer.takeWith(store.getSnapshot(), lines);
    };
    expect(taken([start, say('one\nt')], note)).toEqual(['', '❯ Hi', '', 'one', ...note, '']);
    expect(taken([say('wo\n\n'), finished, end], note)).toEqual(['two', ...note]);
    expect(taken([{ ...start, text: 'Next' }])).toEqual(['', '❯ Next']);
  });

  it.each([1, 2, 10])('gives an answer once that a note interrupts (looking every %i events)', (every) => {
    const notice: AgentEvent = { type: 'notice', level: 'info', message: 'beside' };
    const { lines } = print([start, say('one\ntw'), notice, say('o\n\nthree'), notice, finished, end], every);
    expect(lines.filter((line) => ['one', 'two', 'tw', 'three'].includes(line))).toEqual(['one', 'two', 'three']);
    expect(lines.filter((line) => line.includes('beside'))).toHaveLength(2);
    expect(lines.at(-1)).toBe('three');
  });

  it("parts a command for the user's shell from a warning, though both begin with the same sign", () => {
    const printer = createPrinter();
    const { getSnapshot } = createTranscriptStore();
    const warning = printer.note('!', 'a warning', styles.warning);
    expect(printer.takeWith(getSnapshot(), ['', ...warning])).toEqual(['', '! a warning']);
    expect(printer.takeWith(getSnapshot(), ['', ...warning])).toEqual(['! a warning']);
    expect(printer.takeWith(getSnapshot(), ['', ...printer.user('!git status')], 'turn')).toEqual(['', '! git status']);
    expect(printer.takeWith(getSnapshot(), ['', ...warning])).toEqual(['', '! a warning']);
  });

  it('has empty rows around a note, and goes on with the answer below it', () => {
    const notice: AgentEvent = { type: 'notice', level: 'info', message: 'beside' };
    expect(print([start, say('one\ntw'), notice])).toEqual({
      lines: ['', '❯ Hi', '', 'one', '', '· beside', ''],
      pending: ['tw'],
    });
  });

  it('says that printed text is void, below a note that came with the failure', () => {
    const notice: AgentEvent = { type: 'notice', level: 'info', message: 'beside' };
    const { lines } = print([start, say('wrong\nand wro'), retry, notice, say('right'), finished, end], 10);
    expect(lines.filter((line) => line.includes('wro'))).toEqual([]);
    const { lines: seen } = print([start, say('wrong\nand wro'), notice, retry, say('right'), finished, end]);
    expect(seen.filter((line) => line.includes('and wro'))).toEqual([]);
    expect(seen.join(' ')).toContain('withdrawn');
  });

  it('gives a line as soon as it has ended, and shows the rest as pending', () => {
    expect(print([start, say('one\ntw')])).toEqual({ lines: ['', '❯ Hi', '', 'one'], pending: ['tw'] });
  });

  it('says that printed text is void when its attempt failed', () => {
    const { lines } = print([start, say('wrong\nand wro'), retry, say('right'), finished, end]);
    expect(lines).toEqual([
      '',
      '❯ Hi',
      '',
      'wrong',
      expect.stringContaining('withdrawn'),
      expect.any(String),
      '',
      'right',
    ]);
  });

  it('says it once when the transcript says it, too', () => {
    const { lines } = print([start, say('wrong\n\nvery wrong\nand'), retry, say('right'), finished, end]);
    expect(lines.filter((line) => line.includes('withdrawn'))).toHaveLength(1);
  });

  it('drops what was never printed without a word', () => {
    expect(print([start, say('wro'), retry, say('right'), finished, end]).lines).toEqual(['', '❯ Hi', '', '', 'right']);
  });

  it('lets no sequence through that is cut in pieces', () => {
    expect(print([start, say('a\x1b]0;ti'), say('tle\x07b\x1b['), say('2Jc\n'), finished, end]).lines.at(-1)).toBe(
      'abc',
    );
  });

  it('goes on under rows that are in the scrollback already', () => {
    const store = createTranscriptStore();
    const printer = createPrinter();
    const words = 'These words **are bold** and fill more than one row of the window, which';
    store.dispatchAll([start, say(`${words} is **six`)]);
    const before = printer.take(store.getSnapshot());
    const rows = printer.pendingRows(4);
    const seam = printer.pendingSeam();
    expect(seam).toEqual({ row: rows.length - 1, column: (rows.at(-1) ?? '').length - ' **six'.length });
    expect(printer.leaveSettled()).toBe(true);
    const left = rows.map((row, index) => (index === seam?.row ? row.slice(0, seam.column) : row));
    store.dispatchAll([say('ty** wide.\n'), finished, end]);
    const lines = [...before, ...left, ...printer.take(store.getSnapshot())];
    expect(lines.slice(3).join(' ').replaceAll(/\s+/g, ' ')).toBe(
      'These words **are bold** and fill more than one row of the window, which is **sixty** wide.',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { createKey } from '../input/key.ts';
import { createKeymap } from '../input/keymap.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { askQuestions } from './ask-user.ts';
import { DialogHost } from './dialog-host.ts';

const KEYMAP = createKeymap();
const STYLES = createStyles(chooseTheme({}).theme, 'none');
const OPTIONS = ['Red', 'Blue'].map((label) => ({ label, description: '' }));
const COLOUR = { header: 'Colour', question: 'Which colour?', type: 'choice', options: OPTIONS } as const;

function open(questions: Parameters<typeof askQuestions>[0]) {
  const host = new DialogHost({ onChange() {}, isTyping: () => false, now: () => 0, keymap: () => KEYMAP });
  const answers = askQuestions(questions, host, new AbortController().signal);
  const press = async (...names: string[]) => {
    for (const name of names) {
      if (name.length === 1) host.onText(name);
      else host.onKey(createKey(name));
      // The next question opens when the answer of this one has arrived.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const rows = async () => {
    // The first question for words is loaded when it is asked.
    while (!host.top) await new Promise((resolve) => setImmediate(resolve));
    return host.top.view({ styles: STYLES, width: 60, maxRows: 24 }).rows;
  };
  return { answers, press, rows };
}

describe('questions of a model', () => {
  it('are left by the arrow for the one before, which is answered anew', async () => {
    const { answers, press } = open([COLOUR, { ...COLOUR, header: 'Frame' }]);
    await press('1', 'left', '2', '1');
    expect(await answers).toEqual({ 0: 'Blue', 1: 'Red' });
  });

  it('with several answers are switched by the space key', async () => {
    const { answers, press } = open([{ ...COLOUR, multiSelect: true }]);
    await press(' ', 'down', ' ', 'up', ' ', '3');
    expect(await answers).toEqual({ 0: 'Blue' });
  });

  it('are answered in other words, in the row of that answer', async () => {
    const { answers, press } = open([COLOUR]);
    await press('3', 'M', 'a', 'u', 'x', 'backspace', 'v', 'e', 'enter');
    expect(await answers).toEqual({ 0: 'Mauve' });
  });

  it('that take words have their place in the title, and say what Escape means for all of them', async () => {
    const { answers, press, rows } = open([COLOUR, { header: 'Name', question: 'Which name?', type: 'text' }]);
    await press('1');
    expect((await rows()).filter((row) => /Name|esc/.test(row))).toEqual([
      `── Name ${'─'.repeat(42)} 2 of 2 ──`,
      '  enter takes it · esc answers nothing',
    ]);
    await press('escape');
    expect(await answers).toBeUndefined();
  });

  it('are all unanswered after one Escape', async () => {
    const { answers, press } = open([COLOUR, COLOUR]);
    await press('1', 'escape');
    expect(await answers).toBeUndefined();
  });
});

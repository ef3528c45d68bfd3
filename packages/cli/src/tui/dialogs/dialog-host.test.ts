import { describe, expect, it } from 'vitest';
import { characterKey, createKey } from '../input/key.ts';
import { createKeymap } from '../input/keymap.ts';
import type { KeyBinding } from '../input/keymap.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { DialogHost } from './dialog-host.ts';
import type { DialogHostOptions } from './dialog-host.ts';

const ENTER = createKey('enter');
const DOWN = createKey('down');
const ESCAPE = createKey('escape');
const QUESTION = {
  title: 'Sure?',
  options: [
    { label: 'Once', value: 'once' },
    { label: 'Always', value: 'always' },
    { label: 'No', value: 'no' },
  ],
  escape: 'no',
};

interface HostOptions extends Pick<DialogHostOptions, 'giveBack'> {
  readonly isTyping?: boolean;
  readonly bindings?: readonly KeyBinding[];
}

function createHost({ isTyping = false, bindings = [], giveBack }: HostOptions = {}) {
  const clock = { now: 10_000 };
  const shown = Promise.withResolvers<void>();
  const host = new DialogHost({
    onChange: () => shown.resolve(),
    isTyping: () => isTyping,
    now: () => clock.now,
    keymap: () => createKeymap(bindings),
    ...(giveBack && { giveBack }),
  });
  return { host, clock, shown: shown.promise };
}

describe('DialogHost', () => {
  it.each([
    ['Enter takes the first', [ENTER], 'once'],
    ['arrows move', [DOWN, ENTER], 'always'],
    ['j and k move, around the end', [characterKey('k'), ENTER], 'no'],
    ['a digit chooses', [characterKey('2')], 'always'],
    ['Escape has its own answer', [ESCAPE], 'no'],
  ])('%s', async (_name, keys, value) => {
    const { host } = createHost();
    const answer = host.choose(QUESTION);
    for (const key of keys) host.onKey(key);
    expect([await answer, host.top]).toEqual([value, undefined]);
  });

  it('leaves Ctrl+Z to the program: it suspends there too', () => {
    const { host } = createHost();
    void host.choose(QUESTION, new AbortController().signal);
    expect([host.onKey(createKey('z', { ctrl: true })), host.onKey(DOWN)]).toEqual([false, true]);
  });

  it('leaves the keys of a user who is typing to the composer until they pause', async () => {
    const { host, clock } = createHost({ isTyping: true });
    host.onText('hel');
    const answer = host.choose(QUESTION);
    clock.now += 100;
    expect([host.onText('lo'), host.onKey(ENTER)]).toEqual([false, false]);
    clock.now += 1_000;
    expect(host.onKey(ENTER)).toBe(true);
    expect(await answer).toBe('once');
  });

  it('takes neither a word typed ahead for a choice nor the Enter behind it', async () => {
    const { host, clock } = createHost();
    const answer = host.choose(QUESTION);
    expect([host.onText('123'), host.onKey(ENTER)]).toEqual([false, false]);
    clock.now += 1_000;
    host.onKey(ESCAPE);
    expect(await answer).toBe('no');
  });

  it('keeps what is typed from the first to the last dialog of a question from the composer', async () => {
    const { host } = createHost({ isTyping: true });
    host.onKey(DOWN);
    const keyboard = host.hold();
    const type = (...typed: (string | typeof ENTER)[]) =>
      typed.map((each) => (typeof each === 'string' ? host.onText(each) : host.onKey(each)));
    const first = keyboard.askText({ title: 'Name' });
    expect(type('A', 'da', ENTER, ENTER, 'hunter2', ENTER, '2')).not.toContain(false);
    expect(host.onPaste('never shown')).toBe(true);
    expect(await first).toBe('Ada');
    expect(type('late')).toEqual([true]);
    expect(await keyboard.askText({ title: 'Token' })).toBe('hunter2');
    expect(await keyboard.choose(QUESTION)).toBe('always');
    keyboard[Symbol.dispose]();
    expect([host.top, ...type('a message', ENTER)]).toEqual([undefined, false, false]);
  });

  it('drops a word at a choice of such a question with the Enter behind it, and says so', async () => {
    const { host, clock } = createHost();
    using keyboard = host.hold();
    const answer = keyboard.choose(QUESTION);
    for (const typed of ['hunter2', '2', 'h', '2']) expect(host.onText(typed)).toBe(true);
    for (const typed of ['k', '2', 'backspace', 'enter']) {
      expect(host.onKey(typed.length === 1 ? characterKey(typed) : createKey(typed))).toBe(true);
    }
    expect(host.onPaste('hunter2')).toBe(true);
    expect([keyboard.hasDropped, host.top === undefined]).toEqual([true, false]);
    clock.now += 1_000;
    host.onText('2');
    expect(await answer).toBe('always');
  });

  it.each([
    ['behind the choice', ['2', 'an-expected-word', 'enter', 'hello', 'enter']],
    ['at once with the choice', ['2an-expected-word', 'enter', 'hello', 'enter']],
    ['in a terminal that marks no pastes', ['down', 'paste:\ran-expected-word\rhello\r']],
    ['the same with a digit', ['paste:2an-expected-word\rhello\r']],
    ['in front of the choice', ['an-expected-word', '2', 'hello', 'enter']],
    ['pasted in front of the choice', ['paste:an-expected-word\n', '2', 'hello', 'enter']],
  ])('has an expected word wait for its field, and gives back what is behind it: %s', async (where, typed) => {
    const given: unknown[] = [];
    const { host } = createHost({ giveBack: (each) => given.push(each.type === 'key' ? each.key.name : each.text) });
    const keyboard = host.hold((word) => word.startsWith('an-expected'));
    const type = (each: string) => {
      if (each === 'enter' || each === 'down') return host.onKey(createKey(each));
      return each.startsWith('paste:') ? host.onPaste(each.slice('paste:'.length)) : host.onText(each);
    };
    const choice = keyboard.choose(QUESTION);
    const [before, after] = where.includes('in front') ? [typed.slice(0, 2), typed.slice(2)] : [typed, []];
    expect(before.map(type)).not.toContain(false);
    expect([await choice, keyboard.hasKept]).toEqual(['always', where !== 'behind the choice' && after.length > 0]);
    const field = keyboard.askText({ title: 'Key' });
    if (after.length > 0) {
      while (host.top === undefined) await new Promise(setImmediate);
      host.onKey(ENTER);
      after.map(type);
    }
    expect((await field)?.trim()).toBe('an-expected-word');
    keyboard[Symbol.dispose]();
    expect(given).toEqual(['hello', 'enter']);
  });

  it('gives no expected word to the composer that shows it, and leaves other words and pastes to it', async () => {
    const given: unknown[] = [];
    const { host } = createHost({ giveBack: (each) => given.push(each) });
    const keyboard = host.hold((word) => word.startsWith('an-expected'));
    const choice = keyboard.choose(QUESTION);
    expect([host.onPaste('an-expected-word'), host.onPaste('two words'), host.onText('3 words')]).toEqual([
      true,
      false,
      false,
    ]);
    host.dismissAll();
    expect([await choice, keyboard.hasKept]).toEqual([undefined, true]);
    keyboard[Symbol.dispose]();
    expect(given).toEqual([]);
  });

  it('leaves the keys to the field of such a question if another question opens while the user types', async () => {
    const { host, clock, shown } = createHost();
    using keyboard = host.hold();
    const field = keyboard.askText({ title: 'Token' });
    await shown;
    host.onText('hun');
    const other = host.choose(QUESTION);
    for (const typed of ['t', '1', 'er']) host.onText(typed);
    host.onKey(ENTER);
    expect(await field).toBe('hunt1er');
    const next = keyboard.choose(QUESTION);
    host.onKey(ENTER);
    expect(await next).toBe('once');
    keyboard[Symbol.dispose]();
    clock.now += 1_000;
    host.onText('3');
    expect(await other).toBe('no');
  });

  it('narrows a list by what is typed', async () => {
    const { host } = createHost();
    const answer = host.choose({ ...QUESTION, search: true });
    host.onText('alw');
    host.onKey(ENTER);
    expect(await answer).toBe('always');
  });

  it('shows nothing that could speak to the terminal', () => {
    const { host } = createHost();
    const options = [{ label: 'a\x1b[2Jb\u202e', value: 1, hint: 'c\x07\u200bd' }];
    void host.choose({ title: 'T\x1b]0;x\x07', options });
    const styles = createStyles(chooseTheme({}).theme, 'none');
    expect(host.top?.view({ styles, width: 40, maxRows: 10 }).rows).toEqual([
      '── T ───────────────────────────────────',
      '❯ 1  ab  cd',
      '  enter or a digit · esc leaves',
    ]);
  });

  it('withdraws a question with its signal', async () => {
    const { host } = createHost();
    const controller = new AbortController();
    const answer = host.choose(QUESTION, controller.signal);
    controller.abort();
    expect([await answer, host.top]).toEqual([undefined, undefined]);
  });

  it('takes a line of text, edited, and says why one will not do', async () => {
    const { host, shown } = createHost();
    const answer = host.askText({ title: 'Name', check: (text) => (text.includes(' ') ? 'No spaces.' : undefined) });
    await shown;
    host.onText('a bx');
    host.onKey(ENTER);
    for (const name of ['home', 'right', 'delete', 'end', 'backspace', 'enter']) host.onKey(createKey(name));
    expect(await answer).toBe('ab');
  });
});

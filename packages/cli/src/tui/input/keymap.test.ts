import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS, COMMAND_NAMES } from './commands.ts';
import { createKey, parseKeyName } from './key.ts';
import { createKeymap, findCommand, isBoundTo } from './keymap.ts';
import { loadKeyBindings, parseKeyBindings } from './keybindings-file.ts';

describe('the table of commands', () => {
  it('spells every key as keys are spelled', () => {
    const misspelled = COMMAND_NAMES.flatMap((name) => COMMANDS[name].keys).filter((key) => parseKeyName(key) !== key);
    expect(misspelled).toEqual([]);
  });
});

describe('parseKeyName', () => {
  it.each<[string, string | undefined]>([
    ['ctrl+c', 'ctrl+c'],
    ['Shift+Ctrl+Z', 'ctrl+shift+z'],
    ['meta+k', 'cmd+k'],
    ['option+left', 'alt+left'],
    ['esc', 'escape'],
    ['Å', 'Å'],
    ['shift+a', 'A'],
    ['ctrl++', 'ctrl++'],
    ['+', '+'],
    ['shift+pageup', 'shift+pageup'],
    ['hyper+x', undefined],
    ['ctrl+', undefined],
    ['word', undefined],
    ['', undefined],
  ])('reads %j as %j', (written, spelled) => {
    expect(parseKeyName(written)).toBe(spelled);
  });
});

describe('parseKeyBindings', () => {
  const FILE = '/home/me/.gemini/keybindings.json';

  it('adds keys and takes keys away', () => {
    const { bindings, warnings } = parseKeyBindings(
      `[
        { "command": "edit.clear", "key": "cmd+l" }, // a comment, with "quotes"
        { "command": "-app.toggleYolo", "key": "ctrl+y" },
        /* and one
           of two lines */
        { "command": "input.submit", "key": "ctrl+y" },
      ]`,
      FILE,
    );
    const keymap = createKeymap(bindings);
    expect(warnings).toEqual([]);
    expect(findCommand(keymap, createKey('y', { ctrl: true }))).toBe('input.submit');
    expect(findCommand(keymap, createKey('l', { cmd: true }))).toBe('edit.clear');
    expect(isBoundTo(keymap, createKey('enter'), 'input.submit')).toBe(true);
  });

  it('gives a key of the user to the command of the user alone, in its own place', () => {
    const written = [
      { command: 'app.toggleYolo', key: 'ctrl+t' },
      { command: 'app.suspend', key: 'ctrl+z' },
      { command: 'nav.dialog.down', key: 'ctrl+n' },
      { command: 'edit.clear', key: 'ctrl+o' },
      { command: 'app.expandPaste', key: 'ctrl+o' },
      { command: 'edit.undo', key: 'ctrl+z' },
      { command: 'edit.clear', key: 'ctrl+c' },
    ];
    const { bindings, warnings } = parseKeyBindings(JSON.stringify(written), FILE);
    const keymap = createKeymap(bindings);
    const commandsOf = (letter: string) =>
      COMMAND_NAMES.filter((name) => isBoundTo(keymap, createKey(letter, { ctrl: true }), name));
    expect(warnings).toEqual([
      `${FILE}:1: "ctrl+o" is bound to edit.clear and to app.expandPaste. Give one of them another key.`,
      `${FILE}:1: "ctrl+z" is bound to app.suspend and to edit.undo. Give one of them another key.`,
    ]);
    expect(commandsOf('t')).toEqual(['app.toggleYolo']);
    expect(commandsOf('z')).toEqual(['edit.undo', 'app.suspend']);
    expect(commandsOf('n')).toEqual(['history.next', 'nav.dialog.down', 'suggest.focusNext']);
    expect(commandsOf('o')).toEqual(['edit.clear', 'app.expandPaste']);
    expect(commandsOf('c')).toEqual(['basic.quit', 'edit.clear']);
  });

  it('may share a key where commands are made to, and where one was taken back', () => {
    const written = [
      { command: 'app.showMoreLines', key: 'f5' },
      { command: 'app.expandPaste', key: 'f5' },
      { command: 'app.suspend', key: 'f6' },
      { command: '-app.suspend', key: 'f6' },
      { command: 'edit.undo', key: 'f6' },
    ];
    expect(parseKeyBindings(JSON.stringify(written), FILE).warnings).toEqual([]);
  });

  it('warns of a key that stays with the way out', () => {
    const { warnings } = parseKeyBindings('[\n{"command": "app.suspend", "key": "ctrl+c"}]', FILE);
    expect(warnings).toEqual([
      `${FILE}:2: "ctrl+c" stays with basic.quit, which comes before app.suspend. Bind another key, or add {"command": "-basic.quit", "key": "ctrl+c"}.`,
    ]);
    const taken = [
      { command: 'app.suspend', key: 'ctrl+c' },
      { command: '-basic.quit', key: 'ctrl+c' },
    ];
    expect(parseKeyBindings(JSON.stringify(taken), FILE).warnings).toEqual([]);
  });

  it('leaves out a bad row and says where it is and what to do', () => {
    const { bindings, warnings } = parseKeyBindings(
      '[\n  {"command": "edit.undoo", "key": "ctrl+u"},\n  {"command": "edit.undo", "key": "hyper+u"},\n  {"command": "edit.undo"},\n  {"command": },\n  {"command": "edit.undo", "key": "f5"}\n]',
      FILE,
    );
    expect(bindings).toEqual([{ command: 'edit.undo', key: 'f5', isRemoved: false }]);
    expect(warnings).toEqual([
      `${FILE}:2: unknown command "edit.undoo". Did you mean "edit.undo"? This row was skipped.`,
      `${FILE}:3: invalid key "hyper+u". Write modifiers ctrl, alt, shift, cmd and one key with + between, such as "ctrl+shift+z". This row was skipped.`,
      `${FILE}:4: expected {"command": "…", "key": "…"}, both strings. This row was skipped.`,
      expect.stringMatching(/:5: not valid JSON \(.+\)\. This row was skipped\.$/),
    ]);
  });

  it.each(['{}', 'nonsense', ''])('refuses %j, which is no list', (text) => {
    expect(parseKeyBindings(text, FILE)).toEqual({
      bindings: [],
      warnings: [
        `${FILE}:1: expected a list such as [{"command": "edit.clear", "key": "ctrl+l"}]; the defaults apply.`,
      ],
    });
  });
});

describe('loadKeyBindings', () => {
  it('reads a file, and takes no file for no changes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'castor-keys-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'keybindings.json');
    expect(await loadKeyBindings(file)).toEqual({ bindings: [], warnings: [] });
    await writeFile(file, '\uFEFF[{"command": "cursor.up", "key": "ctrl+k"}]');
    expect(await loadKeyBindings(file)).toEqual({
      bindings: [{ command: 'cursor.up', key: 'ctrl+k', isRemoved: false }],
      warnings: [],
    });
  });
});

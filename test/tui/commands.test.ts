/** Slash commands at a terminal: their dialogs, what they keep, and what may be done while the agent works. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answer,
  call,
  createWorkspace,
  fakeModel,
  fault,
  gate,
  runCli,
  say,
  startTerminal,
  text,
} from '@castor/testkit';
import type { Terminal, TerminalOptions } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastParts } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';

const READY = 'Type your message';
const ESC = '\x1b';
const DOWN = '\x1b[B';
const EDIT = call('replace', { file_path: 'notes.txt', old_string: 'two', new_string: 'TWO', instruction: 'shout' });

const REVIEW = `Review with care. ${'All of it. '.repeat(1000)}`;
const inTerminal = sharedTerminal({ homeFiles: { '.gemini/commands/review.toml': `prompt = "${REVIEW}"` } });

async function open(options: TerminalOptions, args: string[] = []): Promise<Terminal> {
  const terminal = await startTerminal(args, options);
  await terminal.waitForText(READY);
  return terminal;
}

/** Types a command and waits for what it brings. */
async function run(terminal: Terminal, command: string, expected: string | RegExp): Promise<void> {
  terminal.type(command);
  await terminal.waitForText(`❯ ${command}`);
  terminal.type('\r');
  await terminal.waitForText(expected);
}

function readSettings(home: string): Promise<unknown> {
  return readFile(join(home, '.gemini', 'settings.json'), 'utf8').then((file) => JSON.parse(file) as unknown);
}

describe('the list of commands', () => {
  it('is moved in with arrows, and goes with Esc', { tags: 'wide' }, async () => {
    await inTerminal([], async ({ terminal }) => {
      terminal.type('/');
      await terminal.waitForText(/^❯ \/branch +Copies/m);
      terminal.type(DOWN);
      await terminal.waitForText(/^❯ \/chat /m);
      terminal.type('\x1b[A');
      await terminal.waitForText(/^❯ \/branch /m);
      const { row } = terminal.cursor();
      terminal.type(ESC);
      await terminal.waitForNoText('/branch');
      expect(terminal.screen().at(-1)).toBe('❯ /');
      // The place of the list stays, so that the row of the caret does not jump.
      expect(terminal.cursor().row).toBe(row);
    });
  });
});

describe('while the agent works', () => {
  it('harmless commands run at once, others wait, and words go in between on Enter', async () => {
    const held = gate();
    const READ = call('read_file', { file_path: 'notes.txt' });
    await inTerminal(
      [answer(text('Working.\n\n'), held, READ), say('Steered.')],
      async ({ terminal, model, workspace }) => {
        await workspace.write('notes.txt', 'one\n');
        terminal.type('Go\r');
        await terminal.waitForText('Working.');
        await run(terminal, '/stats', /^Session {2}.* requests? · /m);
        await run(terminal, '/compress', '/compress is not available while the agent works.');
        await terminal.waitForText('❯ /compress');
        terminal.type('\x15');
        await terminal.waitForText(READY);
        terminal.type('rather this\r');
        await terminal.waitForText('next  rather this');
        terminal.type('\r');
        await terminal.waitForNoText('next  rather this');
        expect(terminal.screen()).toContain('❯ rather this');
        held.release();
        await terminal.waitForText('Steered.');
        expect([model.requests.length, lastParts(model).at(-1)]).toEqual([2, { text: 'rather this' }]);
      },
    );
  });
});

describe('/rewind', () => {
  it('goes back to before a message with the files as they were, by Esc pressed twice', { tags: 'wide' }, async () => {
    await inTerminal(
      [say('Hello.'), EDIT, say('Edited.'), say('Once more.')],
      async ({ terminal, model, workspace }) => {
        await workspace.write('notes.txt', 'one\ntwo\n');
        terminal.type('\x1b[Z');
        await terminal.waitForText('accepting edits');
        for (const [words, said] of [
          ['Hi', 'Hello.'],
          ['Shout', 'Edited.'],
        ] as const) {
          terminal.type(`${words}\r`);
          await terminal.waitForText(said);
          await terminal.waitForText(READY);
        }
        expect(await workspace.read('notes.txt')).toBe('one\nTWO\n');
        terminal.type(ESC);
        await terminal.waitForText('Press Esc again to rewind');
        terminal.type(ESC);
        await terminal.waitForText(/1 of \d ──[^]*❯ \d\d:\d\d {2}Shout +1 file \+1 −1/);
        terminal.type('\r');
        await terminal.waitForText('❯ 1  Conversation, and undo the changes of 1 file');
        terminal.type('\r');
        await terminal.waitForText('Rewound to before that message.');
        expect(await workspace.read('notes.txt')).toBe('one\ntwo\n');
        await terminal.waitForText(/─\n❯ Shout$/m);
        terminal.type(' again\r');
        await terminal.waitForText('Once more.');
        const sent = JSON.stringify(model.requests.at(-1)?.body);
        expect([sent.includes('Hello.'), sent.includes('Edited.'), lastParts(model)]).toEqual([
          true,
          false,
          [{ text: 'Shout again' }],
        ]);
      },
    );
  });
});

describe('/undo and /redo', () => {
  it('show what a command changed, take it back and bring it back; /rewind covers commands too', async () => {
    await using workspace = await createWorkspace({ files: { 'notes.txt': 'one\n' } });
    const command = answer(call('run_shell_command', { command: 'echo two > notes.txt; echo x > made.txt' }));
    await using model = await fakeModel([command, say('Changed.')]);
    await using terminal = await open({ model, workspace }, ['-y']);
    terminal.type('Change\r');
    await terminal.waitForText('Changed.');
    await terminal.waitForText(READY);
    terminal.type('/undo\r');
    await terminal.waitForText('Undo these changes?');
    await terminal.waitForText('1 restored · 1 deleted');
    await terminal.waitForText('made.txt');
    terminal.type('\r');
    await terminal.waitForText('Undone: 2 paths, verified.');
    expect(await workspace.read('notes.txt')).toBe('one\n');
    terminal.type('/redo\r');
    await terminal.waitForText('Redo the last undo?');
    await terminal.waitForText('Changed again (1):');
    terminal.type('\r');
    await terminal.waitForText('Redone: 2 paths, verified.');
    expect(await workspace.read('notes.txt')).toBe('two\n');
    // All that the session changed, by commands too; one file is reverted.
    terminal.type('/diff\r');
    await terminal.waitForText(/❯ made\.txt +\+1 · prompt 1\n +notes\.txt +\+1 −1 · prompt 1$/m);
    terminal.type('notes\r');
    await terminal.waitForText('Revert it to what it was before this session');
    terminal.type('2');
    await terminal.waitForText(/❯ made\.txt/);
    terminal.type(ESC);
    await terminal.waitForText('notes.txt reverted.');
    expect(await workspace.read('notes.txt')).toBe('one\n');
    terminal.type('/branch try\r');
    await terminal.waitForText('Go on there: cd');
    await writeFile(`${workspace.project}-try/new.txt`, 'new\n');
    terminal.type('/branch compare try\r');
    await terminal.waitForText(/new\.txt +added \+1 −0 +–/);
    terminal.type('/branch merge try\r');
    await terminal.waitForText('Merged 1 path, verified.');
    expect(await workspace.read('new.txt')).toBe('new\n');
    terminal.type('/branch drop try --yes\r');
    await terminal.waitForText('Dropped the branch try');
    terminal.type('/rewind\r');
    await terminal.waitForText(/❯ \d\d:\d\d {2}Change +commands/);
    terminal.type('\r');
    await terminal.waitForText('❯ 1  Conversation, and undo the changes of 2 files');
    terminal.type('\r');
    await terminal.waitForText('Rewound to before that message.');
    expect(await workspace.read('notes.txt')).toBe('one\n');
  });
});

describe('/rewind after /compress', () => {
  it('shows what the user typed, and reaches what was said before', { tags: 'wide' }, async () => {
    const long = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');
    const summary = say('<state_snapshot>Much was said.</state_snapshot>');
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/commands/review.toml': 'prompt = "Review {{args}} with all care there is."' },
    });
    await using model = await fakeModel([
      say('Hello.'),
      say(`${long} end`),
      summary,
      summary,
      say('Fine.'),
      say('Anew.'),
    ]);
    await using terminal = await open({ model, workspace }, []);
    const ask = async (words: string, expected: string | RegExp) => {
      await run(terminal, words, expected);
      await terminal.waitForText(READY);
    };
    terminal.type('!echo from-the-shell\r');
    await terminal.waitForText(/^ {2}└ from-the-shell/m);
    await terminal.waitForText(READY);
    await ask('Hi', 'Hello.');
    await ask('/review src', / end$/m);
    await ask('/compress', /compressed/i);
    await ask('More', 'Fine.');
    await run(terminal, '/rewind', /1 of \d ──[^]*❯ \d\d:\d\d {2}More/);
    const shown = terminal.screen().join('\n');
    for (const row of [/^ {2}\d\d:\d\d {2}Hi$/m, /^ {2}\d\d:\d\d {2}\/review src$/m]) expect(shown).toMatch(row);
    expect(shown).not.toMatch(/I ran the following|carried_over|state_snapshot|with all care/);
    terminal.type('review');
    await terminal.waitForText(/❯ \d\d:\d\d {2}\/review src/);
    terminal.type('\r');
    await terminal.waitForText('Rewound to before that message.');
    await terminal.waitForText(/─\n❯ \/review src$/m);
    terminal.type('\x03');
    await terminal.waitForText(READY);
    await ask('Otherwise', 'Anew.');
    const { contents } = model.requests.at(-1)?.body as { contents: unknown[] };
    const sent = JSON.stringify(contents);
    expect([sent.includes('Hello.'), sent.includes('from-the-shell'), sent.includes('Otherwise')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(sent).not.toMatch(/Much was said|with all care|More/);
    expect(model.violations).toEqual([]);
    terminal.type('/quit\r');
    await terminal.done;
    await using again = await open({ model, workspace }, ['--resume']);
    await again.waitForText('Anew.');
    expect(again.lines().filter((line) => line.startsWith('❯ '))).toEqual([
      '❯ Hi',
      '❯ Otherwise',
      expect.stringContaining('Type your message'),
    ]);
  });

  it('is not needed to see what a session is about: its title is what was typed', { tags: 'wide' }, async () => {
    await inTerminal([say('Fine.')], async ({ terminal, workspace }) => {
      await run(terminal, '/review x', 'Fine.');
      await terminal.waitForText(READY);
      const { stdout } = await runCli(['--list-sessions'], { workspace });
      expect(stdout).toContain('/review x');
      expect(stdout).not.toContain('with care');
    });
  });
});

describe('/settings', () => {
  it('shows who says what, changes a setting at once and keeps it', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"ui":{"hideTips":true}}' },
    });
    await using model = await fakeModel([]);
    await using terminal = await open({ model, workspace, columns: 160 });
    await run(terminal, '/settings', 'Settings for you ──');
    terminal.type('tips');
    await terminal.waitForText(/Hide tips +on \* +~\/\.gemini\/settings\.json(?!:)/);
    terminal.type('\x15\x7f\x7f\x7f\x7fui.hideFooter');
    await terminal.waitForText(/❯ Hide footer +off/);
    terminal.type('\r');
    await terminal.waitForText('❯ 2  false');
    terminal.type('1');
    await terminal.waitForText(/Hide footer +on \*/);
    terminal.type(ESC);
    // What the list leaves behind.
    await terminal.waitForText('  └ ui.hideFooter: on');
    await terminal.waitForText(READY);
    expect(await readSettings(workspace.home)).toEqual({ ui: { hideTips: true, hideFooter: true } });
    await terminal.waitForNoText('gemini-');
  });
});

describe('/settings in a trusted project', () => {
  it('writes to the file of the project after Tab', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await workspace.write(
      '../home/.gemini/trustedFolders.json',
      JSON.stringify({ [workspace.project]: 'TRUST_FOLDER' }),
    );
    await using model = await fakeModel([]);
    await using terminal = await open({ model, workspace });
    await run(terminal, '/settings', 'tab for this project');
    terminal.type('\t');
    await terminal.waitForText('tab for you');
    terminal.type('hideFooter');
    await terminal.waitForText(/❯ Hide footer +off/);
    terminal.type('\r');
    await terminal.waitForText('❯ 2  false');
    terminal.type('1');
    await terminal.waitForText(/Hide footer +on \*/);
    expect(JSON.parse(await workspace.read('.gemini/settings.json'))).toEqual({ ui: { hideFooter: true } });
    await expect(readSettings(workspace.home)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('/editor, /vim, /copy and /permissions', () => {
  it('keep what was chosen, and copy by way of the terminal', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('Copy *this*.')]);
    await using terminal = await open({ model, workspace });
    await run(terminal, '/editor', '❯ 1  ');
    terminal.type(DOWN);
    await terminal.waitForText('❯ 2  vscode');
    terminal.type('\r');
    await terminal.waitForText('The editor is vscode.');
    terminal.type('Say it\r');
    await terminal.waitForText('Copy this.');
    await terminal.waitForText(READY);
    await run(terminal, '/copy', 'Copied to the clipboard');
    expect(terminal.bytes).toContain(`\x1b]52;c;${Buffer.from('Copy *this*.').toString('base64')}\x07`);
    await run(terminal, '/permissions', 'Trust this folder?');
    terminal.type('2');
    await terminal.waitForText('It applies from the next start.');
    await run(terminal, '/vim', 'Vim keys are on.');
    expect(await readSettings(workspace.home)).toEqual({ general: { preferredEditor: 'vscode', vimMode: true } });
    const trusted = await readFile(join(workspace.home, '.gemini', 'trustedFolders.json'), 'utf8');
    expect(JSON.parse(trusted)).toEqual({ [workspace.project]: 'TRUST_FOLDER' });
  });
});

describe('a key that is refused', () => {
  it('is asked for again, and the session goes on with the new one', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    const refused = fault(401, { message: 'API key not valid.' });
    await using model = await fakeModel([say('First.'), refused, say('Let in.')]);
    await using terminal = await open({ model, workspace });
    terminal.type('One\r');
    await terminal.waitForText('First.');
    await terminal.waitForText(READY);
    terminal.type('Two\r');
    await terminal.waitForText('How should Castor connect to a model?');
    const lines = terminal.lines();
    const told = lines.findIndex((line) => line.startsWith('✗'));
    expect(lines.slice(told, told + 2)).toEqual([
      expect.stringMatching(/^✗ \S+ refused the key \(401\)$/),
      '  API key not valid.',
    ]);
    terminal.type('1');
    await terminal.waitForText('Your Gemini API key');
    terminal.type('another-key-of-mine\r');
    await terminal.waitForText('Castor now uses the new key.');
    terminal.type('Three\r');
    await terminal.waitForText('Let in.');
    const { headers, body } = model.requests.at(-1)!;
    expect([headers['x-goog-api-key'], JSON.stringify(body).includes('First.')]).toEqual(['another-key-of-mine', true]);
    expect(terminal.lines().filter((line) => line === 'First.')).toHaveLength(1);
    expect(terminal.bytes).not.toContain('another-key-of-mine');
  });

  it('is not asked for where another login is enforced', async () => {
    const auth = { selectedType: 'oauth-personal', enforcedType: 'oauth-personal' };
    const homeFiles = { '.gemini/settings.json': JSON.stringify({ security: { auth } }) };
    await using workspace = await createWorkspace({ homeFiles });
    await using terminal = await startTerminal([], { workspace });
    await terminal.waitForText('❯ 1  Try the built-in offline model');
    expect(terminal.screen().join('\n')).not.toContain('Paste a Gemini API key');
    terminal.type('1');
    await terminal.waitForText(READY);
  });
});

describe('sessions', () => {
  it('are found by what was said in them', async () => {
    await inTerminal([say('The capital is Paris.')], async ({ terminal }) => {
      terminal.type('Capital of France?\r');
      await terminal.waitForText('The capital is Paris.');
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      terminal.type('/clear\r');
      await terminal.waitForNoText('The capital is Paris.');
      await run(terminal, '/resume', 'Resume which session?');
      terminal.type('paris');
      await terminal.waitForText('❯ Search the conversations for "paris"');
      terminal.type('\r');
      await terminal.waitForText(/❯ Capital of France\? .*The capital is Paris/);
      terminal.type('\r');
      await terminal.waitForText(/^The capital is Paris\.$/m);
    });
  });
});

describe('an earlier session', () => {
  it('is deleted from the list with the Delete key, when that is meant', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('One.'), say('Two.')]);
    await using terminal = await open({ model, workspace });
    for (const [words, answered] of [['Say one', 'One.'] as const, ['Say two', 'Two.'] as const]) {
      terminal.type(`${words}\r`);
      await terminal.waitForText(new RegExp(`${answered}[^]*${READY}`));
      terminal.type('/clear\r');
      // What an earlier one said is still on the screen: the new session is there when the answer has left it.
      await terminal.waitForNoText(answered);
      await terminal.waitForText(/A new session has started\.[^]*Type your message/);
    }
    await run(terminal, '/resume', /1 of 2 ──[^]*❯ Say two/);
    terminal.type('\x1b[3~');
    await terminal.waitForText('── Delete "Say two" permanently? ──');
    terminal.type(ESC);
    await terminal.waitForText(/1 of 2 ──[^]*❯ Say two/);
    terminal.type('\x1b[3~');
    await terminal.waitForText('── Delete "Say two" permanently? ──');
    terminal.type('2');
    await terminal.waitForText(/1 of 1 ──[^]*❯ Say one/);
  });
});

describe('a session that is in use elsewhere', () => {
  it('cannot be resumed, and does not cost the user the one they are in', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('Held.'), say('Mine.'), say('Still mine.')]);
    await using other = await open({ model, workspace });
    other.type('Hold this\r');
    await other.waitForText('Held.');
    await using terminal = await open({ model, workspace });
    terminal.type('Begin\r');
    await terminal.waitForText('Mine.');
    await terminal.waitForText(READY);
    await run(terminal, '/resume', /1 of 1 ──[^]*❯ Hold this/);
    terminal.type('\r');
    await terminal.waitForText(/is in\s+use by process/);
    await terminal.waitForText(READY);
    terminal.type('Go on\r');
    await terminal.waitForText('Still mine.');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Begin');
  });
});

describe('an agent that cannot be opened', () => {
  it('is named below the prompt until there is one', async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/policies/bad.toml': '[[rule]\nx' } });
    await using model = await fakeModel([]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitForText(/── no agent: .*policy/m);
  });
});

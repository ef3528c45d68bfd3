/** Every dialog a command or a question opens: what it shows, what a choice does, and that backing out does nothing. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, say } from '@castor/testkit';
import type { Terminal, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const ESC = '\x1b';
const DOWN = '\x1b[B';
const SHIFT_TAB = '\x1b[Z';

const inTerminal = sharedTerminal({
  args: ['-m', 'gemini-2.5-pro'],
  settings: { ui: { hideTips: true } },
  homeFiles: {
    '.gemini/commands/greet.toml': 'prompt = "Say !{touch made; echo hi} to {{args}}"',
    '.gemini/tmp/project/plans/plan.md': '# The plan\n',
  },
});

/** Types a command and waits for what it brings. */
async function run(terminal: Terminal, command: string, expected: string | RegExp): Promise<void> {
  terminal.type(command);
  await terminal.waitForText(`❯ ${command}`);
  terminal.type('\r');
  await terminal.waitForText(expected);
}

async function backOut(terminal: Terminal): Promise<void> {
  terminal.type(ESC);
  await terminal.waitForText(READY);
}

async function readSettings({ home }: Workspace): Promise<unknown> {
  return JSON.parse(await readFile(join(home, '.gemini', 'settings.json'), 'utf8')) as unknown;
}

describe('/model', () => {
  it('lists the models, and the footer names the chosen one before it has answered', async () => {
    await inTerminal([say('ok')], async ({ terminal, model }) => {
      terminal.type('hi\r');
      await terminal.waitForText(/^ok$/m);
      await run(terminal, '/model', /^❯ gemini-2\.5-pro +1M +1\.25 +10\.00 {3}thinks {2}sees {2}now$/m);
      await backOut(terminal);
      await terminal.waitForText(/ · gemini-2\.5-pro ──$/m);
      await run(terminal, '/model', /^ {2}flash +1M +0\.50 +3\.00/m);
      terminal.type('flash-preview\r');
      await terminal.waitForText('The model is flash for this session.');
      await terminal.waitForText(/ · flash ──$/m);
      await run(terminal, '/model set gemini-2.5-flash', 'The model is gemini-2.5-flash for this session.');
      await terminal.waitForText(/ · gemini-2\.5-flash ──$/m);
      terminal.type('hi again\r');
      await model.waitForRequest(2);
      expect(model.requests.map((request) => request.model)).toEqual(['gemini-2.5-pro', 'gemini-2.5-flash']);
      // Anything else would be the next scene's.
      await run(terminal, '/model set gemini-2.5-pro', 'The model is gemini-2.5-pro for this session.');
    });
  });
});

describe('/footer', () => {
  it('switches the parts of the footer one by one, at once and for good', { tags: 'wide' }, async () => {
    await inTerminal([say('ok')], async ({ terminal, workspace }) => {
      await run(terminal, '/footer', '❯ 1  ✓ workspace');
      terminal.type('1');
      await terminal.waitForText('1  ☐ workspace');
      terminal.type('8');
      await terminal.waitForText('8  ✓ auth');
      await backOut(terminal);
      await terminal.waitForText(/ gemini-2\.5-pro · gateway ──$/m);
      expect(await readSettings(workspace)).toMatchObject({
        ui: { hideTips: true, footer: { items: ['git-branch', 'model-name', 'context-used', 'auth'] } },
      });
      await run(terminal, '/statusline', '☐ workspace');
      for (let count = 0; count < 2; count++) terminal.type('\x1b[A');
      await terminal.waitForText(/❯\s+As usual/);
      terminal.type('\r');
      await terminal.waitForText('✓ workspace');
      await backOut(terminal);
      await terminal.waitForText(/project · gemini-2\.5-pro ──$/m);
    });
  });
});

describe('/theme', () => {
  const DARK = '38;2;203;178;255';
  const customThemes = { Mine: { name: 'Mine', type: 'custom', text: { accent: '#010203' } } };
  const inColours = sharedTerminal({
    settings: { ui: { theme: 'Default', customThemes } },
    env: { COLORTERM: 'truecolor' },
  });

  it('shows the colours one moves to, and gives the old ones back to who backs out', async () => {
    await inColours([say('ok')], async ({ terminal }) => {
      const accents = (from: number) =>
        new Set([...terminal.bytes.slice(from).matchAll(/\[(38;2;\d+;\d+;\d+)[\d;]*m❯/g)].map(([, color]) => color));
      await run(terminal, '/theme', '❯ Default');
      const before = terminal.bytes.length;
      terminal.type(DOWN);
      await terminal.waitForText('❯ Dracula');
      expect(accents(before).has(DARK)).toBe(false);
      const after = terminal.bytes.length;
      await backOut(terminal);
      await terminal.waitUntil(() => accents(after).has(DARK));
    });
  });

  it('has the person’s own', async () => {
    await inColours([say('ok')], async ({ terminal, workspace }) => {
      await run(terminal, '/theme', '❯ Default');
      for (let count = 0; count < 4; count++) terminal.type('\x1b[A');
      await terminal.waitForText(/❯ Mine/);
      terminal.type('\r');
      await terminal.waitForText('The theme is Mine.');
      expect(await readSettings(workspace)).toEqual({ ui: { customThemes, theme: 'Mine' } });
      expect(terminal.bytes).toContain('38;2;1;2;3');
    });
  });
});

describe('/settings', () => {
  it('takes a number, and says what is none', { tags: 'wide' }, async () => {
    await inTerminal([say('ok')], async ({ terminal, workspace }) => {
      await run(terminal, '/settings', 'type to filter');
      terminal.type('maxSessionTurns');
      await terminal.waitForText(/❯ Max session turns/);
      terminal.type('\r');
      await terminal.waitForText('(empty: the default)');
      terminal.type('many\r');
      await terminal.waitForText(/Expected an? (?:integer|number|whole)/);
      terminal.type('\x15');
      terminal.type('7\r');
      await terminal.waitForText(/❯ Max session turns +7 \*/);
      expect(await readSettings(workspace)).toMatchObject({ model: { maxSessionTurns: 7 } });
      await backOut(terminal);
    });
  });
});

describe('/auth', () => {
  it('goes on with the offline model, and forgets the key that was kept', { tags: 'wide' }, async () => {
    const env = 'GEMINI_API_KEY="kept-here"\n';
    await using opened = await openTerminal({ homeFiles: { '.gemini/.env': env } });
    const { terminal, workspace } = opened;
    await run(terminal, '/auth signin', 'Keep the current key');
    await backOut(terminal);
    await run(terminal, '/auth', 'Keep the current key');
    terminal.type('6');
    await terminal.waitForText('Castor now uses the offline model.');
    terminal.type('hello\r');
    await terminal.waitForText("I am Castor's offline model");
    await terminal.waitUntil((seen) => seen.title().includes('Ready'));
    await run(terminal, '/auth signout', 'The key in ~/.gemini/.env was deleted.');
    expect(await readFile(join(workspace.home, '.gemini', '.env'), 'utf8')).not.toContain('kept-here');
  });
});

describe('a command of the person’s own', () => {
  it(
    'runs in their shell when they say so, is printed once, and nothing runs when they do not',
    { tags: 'wide' },
    async () => {
      await inTerminal([say('ok')], async ({ terminal, model, workspace, written }) => {
        await run(terminal, '/greet Bob', '3  No');
        expect(terminal.title()).toContain('Action Required');
        await backOut(terminal);
        await expect(workspace.read('made')).rejects.toMatchObject({ code: 'ENOENT' });
        expect(model.requests).toEqual([]);
        await run(terminal, '/greet Ann', '3  No');
        terminal.type('1');
        await terminal.waitForText(/^ok$/m);
        expect([await workspace.read('made'), JSON.stringify(model.requests[0]?.body).includes('Say hi')]).toEqual([
          '',
          true,
        ]);
        expect(written().filter((line) => line === '❯ /greet Ann')).toHaveLength(1);
      });
    },
  );
});

describe('the answers to a call', () => {
  const settings = { security: { enablePermanentToolApproval: true } };
  const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const shell = (command: string) => answer(call('run_shell_command', { command }));
  const edit = (file_path: string, from: string, to: string) =>
    answer(call('replace', { file_path, old_string: from, new_string: to, instruction: 'shout' }));
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'one\n' };
  const EDITS = [edit('a.txt', 'one', 'ONE'), edit('a.txt', 'two', 'TWO'), edit('b.txt', 'one', 'ONE'), say('Over.')];
  /** The second command is like the first, the third is not. */
  const shells = (first: string, second: string) => [shell(first), shell(second), shell('rm e'), say('Over.')];
  const SAVED = join('.gemini', 'policies', 'auto-saved.toml');
  const inTrusted = sharedTerminal({ settings, env, files });

  it('say which commands they are for', { tags: 'wide' }, async () => {
    await inTrusted([shell('touch a && mkdir d')], async ({ terminal }) => {
      terminal.type('go\r');
      await terminal.waitForText(/until you leave also\n +touch \*\n +mkdir \*/);
      terminal.type(ESC);
    });
  });

  variants.each([
    ['for this session, of edits', EDITS, '2', 'accepting edits', undefined],
    ['for this session, of commands', shells('touch a', 'touch e'), '2', '$ rm e', undefined],
    ['for good, of a file', EDITS, '3', 'Edit b.txt', /toolName = "replace"\nargsPattern = ".*a\\\\\.txt/],
    [
      'for good, of a command',
      shells('mkdir d && rmdir d', 'mkdir f'),
      '3',
      '$ rm e',
      /commandPrefix = "mkdir"[^]*commandPrefix = "rmdir"/,
    ],
  ])('hold %s', async (_what, script, key, next, rule) => {
    await inTrusted(script, async ({ terminal, workspace }) => {
      for (const [name, content] of Object.entries(files)) await workspace.write(name, content);
      await rm(join(workspace.home, SAVED), { force: true });
      terminal.type('go\r');
      await terminal.waitForText('say what to do instead');
      terminal.type(key);
      // Asked about next is only what the answer did not cover.
      await terminal.waitForText(next);
      const saved = readFile(join(workspace.home, SAVED), 'utf8');
      if (rule) expect(await saved).toMatch(rule);
      else await expect(saved).rejects.toMatchObject({ code: 'ENOENT' });
      terminal.type(ESC);
    });
  });

  it('say it to the last command, however many there are', { tags: 'wide' }, async () => {
    const names = Array.from({ length: 12 }, (_, index) => `program-number-${index}`);
    const script = [shell(names.map((name) => `${name} install`).join(' && ')), say('Over.')];
    await inTrusted(script, async ({ terminal }) => {
      await terminal.resize(80, 40);
      terminal.type('go\r');
      await terminal.waitForText('No, and say what to do instead');
      const screen = terminal.screen();
      const from = screen.findIndex((row) => row.includes('until you leave also'));
      const end = screen.findIndex((row) => row.includes('No, and say what'));
      const told = screen
        .slice(from, end)
        .map((row) => row.trim())
        .join(' ');
      for (const name of names) expect(told).toContain(`${name} `);
      expect(told).not.toContain('…');
      terminal.type(ESC);
      await terminal.waitForText(READY);
      await terminal.resize(80, 24);
    });
  });

  it('are given about pages, too', { tags: 'wide' }, async () => {
    const prompt = 'Read http://127.0.0.1:9/page';
    await inTerminal([answer(call('web_fetch', { prompt })), say('Over.')], async ({ terminal, written }) => {
      terminal.type('go\r');
      await terminal.waitForText('3  No, and say what to do instead');
      expect(terminal.screen().join('\n')).toContain('  http://127.0.0.1:9/page');
      terminal.type('3');
      await terminal.waitForText('refuses it without words');
      terminal.type('\r');
      // One row: no second note says that the prompt is over.
      await terminal.waitForText('refused by you');
      await terminal.waitForText(READY);
      expect(written().join('\n')).not.toContain('Request cancelled.');
    });
  });
});

describe('a question of the model', () => {
  const options = ['Red', 'Blue'].map((label) => ({ label, description: '' }));
  const questions = [{ question: 'Which colour?', header: 'Colour', type: 'choice', options }];

  it('is answered in other words, or not at all', async () => {
    const script = [answer(call('ask_user', { questions })), say('Noted.'), answer(call('ask_user', { questions }))];
    await inTerminal(script, async ({ terminal, model }) => {
      terminal.type('Ask\r');
      await terminal.waitForText('3  Something else');
      terminal.type('3');
      await terminal.waitForText('❯ 3  say it');
      terminal.type('Mauve\r');
      await terminal.waitForText('Noted.');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Mauve');
      terminal.type('Ask again\r');
      await terminal.waitForText('3  Something else');
      terminal.type(ESC);
      await terminal.waitForText('not answered');
      await terminal.waitForText(READY);
    });
  });
});

describe('a plan', () => {
  it('is approved with its edits accepted', { tags: 'wide' }, async () => {
    const script = [answer(call('exit_plan_mode', { plan_filename: 'plan.md' })), say('Working on it.')];
    await inTerminal(script, async ({ terminal }) => {
      for (const mode of ['accepting edits', 'plan']) {
        terminal.type(SHIFT_TAB);
        await terminal.waitForText(`── ${mode} ─`);
      }
      terminal.type('Plan\r');
      await terminal.waitForText('3  No, and say what should change');
      terminal.type('2');
      await terminal.waitForText('Working on it.');
      await terminal.waitForText(/^── accepting edits ─/m);
    });
  });
});

describe('Esc pressed twice', () => {
  it('asks where to go back to, and leaves no trace when that is not wanted', { tags: 'wide' }, async () => {
    await inTerminal([say('ok')], async ({ terminal, written }) => {
      terminal.type('hi\r');
      await terminal.waitForText(/^ok$/m);
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      const before = written().slice(0, written().indexOf('ok') + 1);
      terminal.type(ESC);
      await terminal.waitForText('Press Esc again');
      terminal.type(ESC);
      await terminal.waitForText('Rewind to before which message?');
      expect(terminal.title()).toContain('Ready');
      await backOut(terminal);
      expect(written().slice(0, before.length + 1)).toEqual([...before, '']);
      expect(written().join('\n')).not.toContain('/rewind');
    });
  });
});

describe('the window’s title', () => {
  variants.each([
    ['/settings', 'type to filter', 'Ready'],
    ['/resume', /Resume which session|No earlier sessions/, 'Ready'],
    ['/permissions', '4  Never trust', 'Ready'],
    ['/editor', '2  vscode', 'Ready'],
  ])('does not say that the agent works while %s is open', async (command, shown, expected) => {
    await inTerminal([say('ok')], async ({ terminal }) => {
      await run(terminal, command, shown);
      await terminal.waitUntil((seen) => seen.title().includes(expected));
      await backOut(terminal);
    });
  });
});

describe('a command that Castor does not have', () => {
  it('is answered here, and costs no request', async () => {
    await inTerminal([say('ok')], async ({ terminal, model }) => {
      await run(terminal, '/upgrade', 'Castor has no paid plans; /auth changes the key. /help lists the commands.');
      await terminal.waitForText(READY);
      expect(model.requests).toEqual([]);
    });
  });
});

/** Questions: the first start, trust, the model's own, plans, models without quota, sessions, themes. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, fault, say, startTerminal, TEST_API_KEY } from '@castor/testkit';
import type { Terminal, TerminalOptions } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { sharedTerminal } from './shared-terminal.ts';

const READY = 'Type your message';
const DOWN = '\x1b[B';

const inTerminal = sharedTerminal({
  args: ['-m', 'gemini-2.5-pro'],
  settings: { general: { enableNotifications: true, notificationMethod: 'osc9' } },
  homeFiles: { '.gemini/tmp/project/plans/plan.md': '# The plan\n\n1. Do it\n' },
});

async function open(options: TerminalOptions, args: string[] = []): Promise<Terminal> {
  const terminal = await startTerminal(args, options);
  await terminal.waitForText(READY);
  return terminal;
}

describe('the first start', () => {
  it('without a key asks for one, keeps it for its owner only, and never shows it', async () => {
    await using workspace = await createWorkspace();
    await using terminal = await startTerminal([], { workspace });
    await terminal.waitForText('How should Castor connect to a model?');
    // At once: what is typed before the question of the key is drawn is its answer, and the rest is a message.
    terminal.type(`\r${TEST_API_KEY}\r/about\r`);
    await terminal.waitForText('castor 0');
    await terminal.waitForText('Platform');
    await terminal.waitForText(READY);
    const file = join(workspace.home, '.gemini', '.env');
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([
      `GEMINI_API_KEY="${TEST_API_KEY}"\n`,
      0o600,
    ]);
    expect(terminal.bytes).not.toContain(TEST_API_KEY);
  });

  it('takes a key in place of a login it does not support, and does not ask again', async () => {
    const homeFiles = { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' };
    await using workspace = await createWorkspace({ homeFiles });
    {
      await using terminal = await startTerminal([], { workspace });
      await terminal.waitForText('How should Castor connect to a model?');
      expect(terminal.screen().join(' ')).toContain('asks for "oauth-personal", which Castor');
      expect(terminal.screen().join('\n')).not.toContain('GOOGLE_GEMINI_BASE_URL');
      terminal.type('\x1b[200~a-pasted-gemini-key\x1b[201~');
      await terminal.waitForText('What you pasted waits for the key you choose here.');
      terminal.type('1');
      await terminal.waitForText('•••••');
      terminal.type('\r');
      await terminal.waitForText('oauth-personal is not available, using GEMINI_API_KEY');
      await terminal.waitForText(READY);
    }
    await using again = await open({ workspace });
    expect(again.bytes).not.toContain('oauth-personal');
    expect(again.bytes).not.toContain('How should Castor connect to a model?');
    expect(await readFile(join(workspace.home, '.gemini', 'settings.json'), 'utf8')).toContain('"gemini-api-key"');
  });

  it('names what is configured and not used yet, once', { tags: 'wide' }, async () => {
    const homeFiles = { '.gemini/settings.json': '{"experimental":{"taskTracker":true}}' };
    await using workspace = await createWorkspace({ homeFiles });
    await using terminal = await open({ workspace }, ['--model', 'offline']);
    await terminal.waitForText('not used yet: experimental.taskTracker');
  });

  it('can be tried with the offline model', async () => {
    await using terminal = await startTerminal([]);
    await terminal.waitForText('How should Castor connect to a model?');
    terminal.type('6hello\r');
    await terminal.waitForText("I am Castor's offline model");
  });

  it('can be left', { tags: 'wide' }, async () => {
    await using terminal = await startTerminal([]);
    await terminal.waitForText('How should Castor connect to a model?');
    terminal.type('\x1b');
    expect(await terminal.done).toEqual({ code: 0, signal: undefined });
  });
});

describe('trust', () => {
  it('is asked in a folder with settings of its own, and no is the default', async () => {
    await using workspace = await createWorkspace({ files: { '.gemini/settings.json': '{"ui":{"hideBanner":true}}' } });
    await using model = await fakeModel([say('Hello.')]);
    await using terminal = await startTerminal([], { model, workspace });
    await terminal.waitForText('Trust this folder?');
    expect(terminal.screen().findLast((line) => line.startsWith('❯'))).toBe("❯ 1  Don't trust (ask again next time)");
    expect(terminal.screen().join(' ')).toContain('.gemini/settings.json');
    terminal.type(`${DOWN}\r`);
    await terminal.waitForNoText('Trust this folder?');
    terminal.type('Hi\r');
    await terminal.waitForText('Hello.');
    const file = await readFile(join(workspace.home, '.gemini', 'trustedFolders.json'), 'utf8');
    expect(JSON.parse(file)).toEqual({ [workspace.project]: 'TRUST_FOLDER' });
  });
});

describe('questions of the model', () => {
  it('are asked one by one and answered together', async () => {
    const questions = [
      {
        question: 'Which colour?',
        header: 'Colour',
        type: 'choice',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: 'cold' },
        ],
      },
      {
        question: 'Which sizes?',
        header: 'Sizes',
        type: 'choice',
        multiSelect: true,
        options: ['Small', 'Medium', 'Large'].map((label) => ({ label, description: '' })),
      },
      { question: 'Why?', header: 'Reason', type: 'text' },
      { question: 'Sure?', header: 'Sure', type: 'yesno' },
    ];
    await inTerminal([call('ask_user', { questions }), say('Noted.')], async ({ terminal, model }) => {
      terminal.type('Ask me\r');
      // The question alone is shown with the call, before its answers can be given.
      await terminal.waitForText('3  Something else');
      terminal.type('2');
      await terminal.waitForText('☐ Small');
      terminal.type('1');
      await terminal.waitForText('✓ Small');
      terminal.type('3');
      await terminal.waitForText('✓ Large');
      terminal.type('4');
      await terminal.waitForText('── Reason');
      terminal.type('because\r');
      await terminal.waitForText('── Sure');
      terminal.type('1');
      await terminal.waitForText('Noted.');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/Blue.*Small, Large.*because.*Yes/);
    });
  });
});

describe('a loop', () => {
  it('is asked about, and the prompt is sent again without watching for it', { tags: 'wide' }, async () => {
    const again = () => answer(call('read_file', { file_path: 'missing.txt' }));
    await using model = await fakeModel((request) => {
      const isAgain = JSON.stringify(request.body).split('"Go"').length > 2;
      return isAgain ? say('Out of it.') : again();
    });
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"general":{"enableNotifications":true,"notificationMethod":"osc9"}}' },
    });
    await using terminal = await open({ model, workspace });
    terminal.type('\x1b[O');
    terminal.type('Go\r');
    await terminal.waitForText('A potential loop was detected.');
    await terminal.waitUntil((seen) => seen.title().includes('Action Required'));
    expect(terminal.bytes).toContain('\x1b]9;Castor: Action required (project)');
    expect(terminal.screen().findLast((line) => line.startsWith('❯'))).toBe('❯ 1  Keep loop detection on');
    terminal.type('2');
    await terminal.waitForText('Out of it.');
  });
});

describe('a model without quota', () => {
  it('is replaced by another when the person agrees', { tags: 'wide' }, async () => {
    const full = fault(429, { errorInfo: { reason: 'MODEL_CAPACITY_EXHAUSTED' } });
    await inTerminal(
      ({ model: asked }) => (asked === 'gemini-2.5-pro' ? full : say('From flash.')),
      async ({ terminal }) => {
        terminal.type('Go\r');
        await terminal.waitForText('gemini-2.5-pro has no quota left.');
        terminal.type('\r');
        await terminal.waitForText('From flash.');
        terminal.type('/model set gemini-2.5-pro\r');
        await terminal.waitForText('The model is gemini-2.5-pro for this session.');
      },
    );
  });
});

describe('a plan', () => {
  it('is shown whole and approved, or sent back with what should change', async () => {
    await inTerminal(
      [
        call('exit_plan_mode', { plan_filename: 'plan.md' }),
        call('exit_plan_mode', { plan_filename: 'plan.md' }),
        say('Working on it.'),
      ],
      async ({ terminal, model }) => {
        for (const mode of ['accepting edits', 'plan']) {
          terminal.type('\x1b[Z');
          await terminal.waitForText(`── ${mode} ─`);
        }
        terminal.type('Plan it\r');
        await terminal.waitForText('Carry out this plan?');
        expect(terminal.screen()).toContain('1. Do it');
        expect(terminal.screen()).toContain('  ~/.gemini/tmp/project/plans/plan.md');
        terminal.type('3');
        await terminal.waitForText('❯ 3  No, say what should change');
        terminal.type('more tests\r');
        await terminal.waitForNoText('refuses it without words');
        await terminal.waitForText('Carry out this plan?');
        expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('more tests');
        terminal.type('1');
        await terminal.waitForText('Working on it.');
        terminal.type('/plan copy\r');
        await terminal.waitForText('Copied to the clipboard');
        expect(terminal.bytes).toContain(Buffer.from('# The plan\n\n1. Do it\n').toString('base64'));
      },
    );
  });
});

describe('sessions', () => {
  it('are found again by searching, and shown as they were', { tags: 'wide' }, async () => {
    const script = [say('The capital is Paris.'), say('Second one.'), say('You asked about France.')];
    await inTerminal(script, async ({ terminal, model }) => {
      for (const [words, said] of [
        ['Capital of France?', 'The capital is Paris.'],
        ['Something else', 'Second one.'],
      ] as const) {
        terminal.type(`${words}\r`);
        await terminal.waitForText(said);
        await terminal.waitUntil((seen) => seen.title().includes('Ready'));
        terminal.type('/clear\r');
        await terminal.waitForNoText(said);
        await terminal.waitForText(READY);
      }
      terminal.type('/chat\r');
      await terminal.waitForText('Resume which session?');
      terminal.type('france');
      await terminal.waitForNoText('Something else');
      terminal.type('\r');
      await terminal.waitForText('The capital is Paris.');
      await terminal.waitForText(READY);
      terminal.type('What did I ask?\r');
      await terminal.waitForText('You asked about France.');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Capital of France?');
    });
  });

  it('are gone on with by a flag', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('The capital is Paris.'), say('Again.')]);
    {
      await using first = await open({ model, workspace });
      first.type('Capital of France?\r');
      await first.waitForText('The capital is Paris.');
      first.type('/quit\r');
      await first.done;
      const lines = first.lines();
      expect([lines.filter((line) => line === '❯ /quit').length, lines.includes('· Request cancelled.')]).toEqual([
        1,
        false,
      ]);
    }
    await using terminal = await open({ model, workspace }, ['--resume']);
    await terminal.waitForText('The capital is Paris.');
    terminal.type('More\r');
    await terminal.waitForText('Again.');
  });
});

describe('commands', () => {
  it('change the colours with a preview, and keep the choice', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([]);
    await using terminal = await open({ model, workspace });
    terminal.type('/theme\r');
    await terminal.waitForText('❯ Default');
    terminal.type(`${DOWN}\r`);
    await terminal.waitForText('The theme is Dracula.');
    const settings = await readFile(join(workspace.home, '.gemini', 'settings.json'), 'utf8');
    expect(JSON.parse(settings)).toEqual({ ui: { theme: 'Dracula' } });
  });

  it('run a shell command in sight, and tell the model with the next prompt', { tags: 'wide' }, async () => {
    await inTerminal([say('I saw it.')], async ({ terminal, model }) => {
      terminal.type('!echo from-the-shell\r');
      await terminal.waitForText(/^ {2}└ from-the-shell/m);
      terminal.type('What was that?\r');
      await terminal.waitForText('I saw it.');
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('I ran the following shell command:');
    });
  });

  it('that are unknown are words for the model', async () => {
    await inTerminal([say('A path.')], async ({ terminal }) => {
      terminal.type('/home/nobody is what?\r');
      await terminal.waitForText('A path.');
    });
  });
});

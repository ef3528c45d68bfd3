/** Settings of the terminal surface, seen on the screen of the built program. */

import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answer,
  call,
  createWorkspace,
  fakeModel,
  fault,
  gate,
  say,
  startTerminal,
  text,
  thought,
} from '@castor/testkit';
import type { Terminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';
import type { OpenTerminalOptions, OpenedTerminal } from './open-terminal.ts';
import { sharedTerminal } from './shared-terminal.ts';
import { variants } from '../house/variants.ts';

const CTRL_C = '\x03';
const CTRL_Y = '\x19';
const SHIFT_TAB = '\x1b[Z';

const COLORS = { COLORTERM: 'truecolor' };
const EDIT = call('replace', { file_path: 'notes.txt', old_string: 'two', new_string: 'TWO', instruction: 'shout' });
const NOTES = { 'notes.txt': 'one\ntwo\nthree\n' };

const TRUSTED = { ...COLORS, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
const asUsual = sharedTerminal({
  settings: { ui: { errorVerbosity: 'low' } },
  files: NOTES,
  homeFiles: { '.gemini/GEMINI.md': 'Be brief.' },
  env: TRUSTED,
});
/** Settings that do not meet, each looked at by a scene. */
const otherwise = sharedTerminal({
  settings: {
    ui: {
      hideBanner: true,
      hideContextSummary: true,
      footer: { hideCWD: true, hideModelInfo: true },
      showMemoryUsage: true,
      showLineNumbers: false,
      compactToolOutput: false,
      errorVerbosity: 'full',
      escapePastedAtSymbols: true,
    },
    tools: { shell: { enableInteractiveShell: false } },
    security: { disableAlwaysAllow: true, enablePermanentToolApproval: true },
  },
  files: NOTES,
  homeFiles: { '.gemini/GEMINI.md': 'Be brief.' },
  env: TRUSTED,
});

async function approveAll(terminal: Terminal): Promise<void> {
  terminal.type(CTRL_Y);
  await terminal.waitForText('YOLO');
}

function open(settings: object, options: OpenTerminalOptions & { env?: Record<string, string> } = {}) {
  return openTerminal({ settings, ...options, env: { ...COLORS, ...options.env } });
}

/** The answer, in a line of its own: its letters stand in many a word. */
const OK = /^ok$/m;

async function ask(
  { terminal }: Pick<OpenedTerminal, 'terminal'>,
  words: string,
  until: string | RegExp,
): Promise<void> {
  terminal.type(`${words}\r`);
  await terminal.waitForText(until);
}

async function leave(terminal: Terminal): Promise<void> {
  // Before, Ctrl+C cancels what runs.
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
  terminal.type(CTRL_C);
  await terminal.waitForText('again to exit');
  terminal.type(CTRL_C);
  await terminal.done;
}

const all = (terminal: Terminal) => terminal.lines().join('\n');

describe('what is around the conversation', () => {
  it("has the line of the user's own command in its rule, renewed after a prompt", { tags: 'wide' }, async () => {
    const statusLine = String.raw`sed 's/.*"cost_usd":\([^,}]*\).*/spent \1/'; echo second`;
    await using opened = await open({ castor: { statusLine } });
    await opened.terminal.waitForText(/─ spent 0 ──$/m);
    await ask(opened, 'hi', /─ spent (?:0\.0*)?[1-9]\S* ──$/m);
    expect(all(opened.terminal)).not.toContain('second');
  });

  it('is as usual where that command fails, and one warning says so', { tags: 'wide' }, async () => {
    await using opened = await open({ castor: { statusLine: 'echo half; exit 3' } });
    await opened.terminal.waitForText(/castor\.statusLine: echo half; exit 3 failed \(exit 3\); the usual parts are/);
    await ask(opened, 'hi', OK);
    await opened.terminal.waitForText(READY);
    expect(all(opened.terminal)).not.toMatch(/─ half/);
    expect(all(opened.terminal).match(/failed \(exit 3\)/g)).toHaveLength(1);
  });

  it('has a banner, tips, the folder, the model and the context files', async () => {
    await asUsual([say('ok')], async ({ terminal }) => {
      await ask({ terminal }, 'hi', OK);
      const shown = all(terminal);
      expect([/castor/.test(shown), /\/ commands · @ files/.test(shown), /^auto · GEMINI\.md$/m.test(shown)]).toEqual([
        true,
        true,
        true,
      ]);
      expect(terminal.screen().join('\n')).toMatch(/project(?: \(.*\))? · gemini-/);
    });
  });

  it('has less of it where a person wants less', { tags: 'wide' }, async () => {
    await otherwise([say('ok')], async (scene) => {
      await ask(scene, 'hi', OK);
      const shown = all(scene.terminal);
      expect([/\/ commands · @ files/.test(shown), /^auto · GEMINI\.md$/m.test(shown)]).toEqual([false, false]);
      expect(scene.terminal.screen().join('\n')).toMatch(/── \d+ MB ─/);
    });
  });

  it('has the parts of the footer a person listed, and no tips', { tags: 'wide' }, async () => {
    const items = ['auth', 'token-count', 'sandbox', 'git-branch'];
    await using opened = await open({ ui: { hideTips: true, footer: { items } } });
    await ask(opened, 'hi', OK);
    await opened.terminal.waitForText(/ gateway · \d+ tokens ──/);
    expect(all(opened.terminal)).not.toContain('/ commands · @ files');
  });

  variants.each([
    [true, true],
    [false, false],
  ])('warns of the home folder, and follows the colours of the terminal: %j', async (isWanted, isSeen) => {
    const ui = { showHomeDirectoryWarning: isWanted, autoThemeSwitching: isWanted };
    await using opened = await open({ ui }, { isAtHome: true });
    await ask(opened, 'hi', OK);
    const { bytes } = opened.terminal;
    expect([all(opened.terminal).includes('Castor runs in your home folder'), bytes.includes('\x1b]11;?')]).toEqual([
      isSeen,
      isSeen,
    ]);
    // The settings there are the person's own: a question would stand between the words and the model.
    expect(all(opened.terminal)).not.toContain('Trust this folder');
  });

  it('shows a thought in the title, and a phrase while there is none', { tags: 'wide' }, async () => {
    const held = gate();
    const thinking = gate();
    const ui = { showStatusInTitle: true, loadingPhrases: 'witty', customWittyPhrases: ['Herding cats'] };
    const script = [answer(held, thought('**Counting sheep** all night'), thinking, text('Done.'))];
    await using opened = await open({ ui }, { script });
    opened.terminal.type('Think\r');
    await opened.terminal.waitForText('Herding cats');
    held.release();
    await opened.terminal.waitUntil((terminal) => terminal.title().startsWith('✦  Counting sheep'));
    thinking.release();
    await opened.terminal.waitForText('Done.');
  });
});

describe('results', () => {
  variants.each([
    ['as usual', asUsual, /2 - two/, /… \d+ lines · ctrl\+o/],
    ['without numbers and whole, where that is set', otherwise, /^ {2}- two$/m, /^ {4}77$/m],
  ] as const)('of tools are shown %s', async (_how, play, diff, output) => {
    const script = [answer(EDIT), answer(call('run_shell_command', { command: 'seq 1 99' })), say('Done.')];
    await play(script, async (scene) => {
      await scene.workspace.write('notes.txt', NOTES['notes.txt']);
      await approveAll(scene.terminal);
      await ask(scene, 'go', 'Done.');
      const shown = scene.written().join('\n');
      expect([diff.test(shown), output.test(shown)]).toEqual([true, true]);
    });
  });

  variants.each([
    ['no line with "low"', asUsual, false],
    ['a line with "full"', otherwise, true],
  ] as const)('of attempts that failed leave %s', async (_how, play, isSaid) => {
    await play([fault('close_mid_stream'), say('Done.')], async (scene) => {
      await ask(scene, 'go', 'Done.');
      expect(/! Attempt 1 of \d+ failed:/.test(scene.written().join('\n'))).toBe(isSaid);
    });
  });
});

describe('the shell and the composer', () => {
  variants.each([
    ['as usual', asUsual, 'is a terminal', '❯ @notes.txt'],
    ['without a terminal and with escaped signs, where that is set', otherwise, 'is a pipe', String.raw`❯ \@notes.txt`],
  ] as const)('work %s', async (_how, play, output, composed) => {
    const command = 'test -t 1 && echo is a terminal || echo is a pipe';
    const script = [answer(call('run_shell_command', { command })), say('Done.')];
    await play(script, async (scene) => {
      const { terminal } = scene;
      await approveAll(terminal);
      await ask(scene, 'go', 'Done.');
      expect(scene.written()).toContain(`  └ ${output}`);
      await terminal.waitUntil((seen) => seen.title().includes('Ready'));
      terminal.type('\x1b[200~@notes.txt\x1b[201~');
      await terminal.waitForText(composed);
    });
  });
});

describe('approvals', () => {
  const ONCE = 'Yes, once';
  const FURTHER = 'Yes, and every further edit in this workspace until you leave';
  const ALWAYS = 'Yes, always for notes.txt';
  const security = { enablePermanentToolApproval: true, autoAddToPolicyByDefault: true };
  const proposing = sharedTerminal({ settings: { security }, files: NOTES, env: TRUSTED });

  variants.each([
    ['once and until the end', asUsual, [ONCE, FURTHER], ONCE],
    ['once, where nothing else is allowed', otherwise, [ONCE], ONCE],
    ['for good first, where that is set', proposing, [ONCE, FURTHER, ALWAYS], ALWAYS],
  ] as const)('are offered %s', async (_how, play, answers, proposed) => {
    await play([answer(EDIT), say('Done.')], async (scene) => {
      const { terminal, workspace } = scene;
      await workspace.write('notes.txt', NOTES['notes.txt']);
      await ask(scene, 'go', 'No, and say what to do instead');
      const rows = terminal.screen().filter((row) => /\d {2}Yes/.test(row));
      expect(rows.map((row) => /Yes.*?(?=$| {2})/.exec(row)?.[0])).toEqual(answers);
      expect(rows.find((row) => row.startsWith('❯'))).toContain(proposed);
      terminal.type('\x1b');
    });
  });

  it('never stop being asked for where YOLO mode and plan mode are switched off', async () => {
    const settings = { security: { disableYoloMode: true }, general: { plan: { enabled: false } } };
    await using opened = await open(settings);
    await ask(opened, 'hi', OK);
    const { terminal } = opened;
    terminal.type(SHIFT_TAB);
    await terminal.waitForText('accepting edits');
    terminal.type(SHIFT_TAB);
    await terminal.waitForNoText('accepting edits');
    terminal.type(CTRL_Y);
    await terminal.waitForText('YOLO mode is disabled');
    await ask(opened, '/plan', 'Plan mode is disabled');
    expect(terminal.screen().join('\n')).not.toMatch(/── plan ──/);
  });
});

describe('behind the screen', () => {
  it('words typed meanwhile reach the model at once, where that is wanted', { tags: 'wide' }, async () => {
    const held = gate();
    const script = [answer(text('Working'), held, call('list_directory', { dir_path: '.' })), say('Done.')];
    await using opened = await open({ experimental: { modelSteering: true } }, { script });
    const { terminal, model } = opened;
    terminal.type('go\r');
    await terminal.waitForText('Working');
    terminal.type('and hurry\r');
    // In the conversation, no longer in the composer.
    await terminal.waitForText(/❯ and hurry[^]*❯ (?!and hurry)/);
    held.release();
    await terminal.waitForText('Done.');
    expect(JSON.stringify(model.requests[1]?.body.contents.at(-1))).toContain('and hurry');
  });

  it('old sessions go, and telemetry is written', { tags: 'wide' }, async () => {
    const old = '.gemini/tmp/project/chats/session-2020-01-01T00-00-aaaaaaaa.jsonl';
    const line = `${JSON.stringify({ sessionId: 'aaaaaaaa', projectHash: 'x', startTime: '2020-01-01T00:00:00.000Z' })}\n`;
    const outfile = 'telemetry.log';
    await using workspace = await createWorkspace({ homeFiles: { [old]: line } });
    await utimes(join(workspace.home, old), 1, 1);
    await using model = await fakeModel([say('ok')]);
    const env = { GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_OUTFILE: join(workspace.root, outfile) };
    await using terminal = await startTerminal([], { model, workspace, env });
    await terminal.waitForText(READY);
    terminal.type('hi\r');
    await terminal.waitForText(OK);
    await leave(terminal);
    const chats = await readdir(join(workspace.home, '.gemini/tmp/project/chats'));
    const log = await readFile(join(workspace.root, outfile), 'utf8');
    expect([chats.some((name) => name.includes('aaaaaaaa')), log.includes('gemini_cli.api_response')]).toEqual([
      false,
      true,
    ]);
  });
});

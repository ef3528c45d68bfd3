/** A resumed session at the terminal: it looks as it did, and the next words are the user's own. */

import { writeFile } from 'node:fs/promises';
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
import type { FakeModel, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { prepareChats, untilRecorded } from '../sessions/session-folder.ts';
import { variants } from '../house/variants.ts';
import { READY } from './open-terminal.ts';

/** As Gemini CLI tells the model of a command that failed. */
const FAILED = 'Output: no rule\nExit Code: 2\nProcess Group PGID: 77';
const UP = '\x1b[A';

async function open(options: { model: FakeModel; workspace: Workspace }, args: string[] = []) {
  const terminal = await startTerminal(args, options);
  await terminal.waitForText(READY);
  return terminal;
}

/** The rows that name a call; how long it took is shown live only, and only on a slow machine. */
const callsOf = (lines: readonly string[]) =>
  lines.filter((line) => /^[✓✗-] /.test(line)).map((line) => line.replace(/ · [\d.]+ s$/, ''));

/** The row that counts what a prompt did and cost, without its time. */
const receiptOf = (lines: readonly string[]) =>
  lines.find((line) => /^\d+ calls?\b/.test(line))?.replace(/ · [\d.]+ s(?= · |$)/, '');

async function storeSession({ workspace }: { workspace: Workspace }, messages: readonly object[]): Promise<void> {
  const chats = await prepareChats(workspace);
  const timestamp = '2026-01-02T03:04:05.000Z';
  const header = { sessionId: '11111111-2222-4333-8444-555555555555', projectHash: 'h', startTime: timestamp };
  const lines = [header, ...messages.map((message, index) => ({ id: `m${index}`, timestamp, ...message }))];
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(chats, 'session-2026-01-02T03-04-11111111.jsonl'), body);
}

it('has the colours of its code, as the answer had', async () => {
  await using workspace = await createWorkspace();
  const code = 'const total = 1;';
  await storeSession({ workspace }, [
    { type: 'user', content: [{ text: 'Show me.' }] },
    { type: 'gemini', content: `\`\`\`ts\n${code}\n\`\`\`` },
  ]);
  await using model = await fakeModel([]);
  await using terminal = await open({ model, workspace }, ['--resume', 'latest']);
  await terminal.waitForText(code);
  // A keyword ends where another colour begins: uncoloured code is written in one piece.
  expect(terminal.bytes).not.toContain(code);
});

describe('what calls did', () => {
  it('is shown as it was', async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one' } });
    await using model = await fakeModel([
      answer(
        call('run_shell_command', { command: 'echo begun; exit 3', description: 'Fails' }),
        call('write_file', { file_path: join(workspace.project, 'new.md'), content: 'x' }),
        call('read_file', { file_path: 'a.txt' }),
        call('no_such_tool', { a: 1 }),
      ),
      say('Done.'),
    ]);
    let live: string[];
    let receipt: string | undefined;
    {
      await using first = await open({ model, workspace }, ['--yolo']);
      first.type('Go\r');
      await first.waitForText('Done.');
      await first.waitForText(/^4 calls, /m);
      live = callsOf(first.lines());
      receipt = receiptOf(first.lines());
      first.type('/quit\r');
      await first.done;
    }
    expect(live.map((line) => line.slice(2))).toEqual([
      expect.stringMatching(/^Shell echo begun; exit 3 \(Fails\)/),
      'Write new.md +1',
      'Read a.txt',
      expect.stringMatching(/^no_such_tool/),
    ]);
    await using terminal = await open({ model, workspace }, ['--resume']);
    await terminal.waitForText('Done.');
    expect(callsOf(terminal.lines()).slice(0, 3)).toEqual(live.slice(0, 3));
    await terminal.waitForText(/^4 calls, /m);
    expect([receipt, receiptOf(terminal.lines())]).toEqual(Array(2).fill('4 calls, 2 failed · 1 file +1 · $0.0002'));
    const shown = await runCli(['sessions', 'show', 'latest'], { workspace, model });
    expect(shown.stdout).toContain('[Shell] echo begun; exit 3 (Fails)');
    expect(shown.stdout).toContain('[WriteFile] Writing to new.md');
  });

  it('is shown in the words Gemini CLI kept, and from the arguments where it kept none', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('Fine.')]);
    const calls = [
      { id: 'c1', name: 'run_shell_command', args: { command: 'git log' } },
      { id: 'c2', name: 'stub__look', args: { at: 'sky' } },
      { id: 'c3', name: 'replace', args: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } },
      { id: 'c4', name: 'run_shell_command', args: { command: 'make' } },
    ];
    const toolCalls = calls.map((made) => ({
      ...made,
      status: 'success',
      result: [
        { functionResponse: { id: made.id, name: made.name, response: { output: made.id === 'c4' ? FAILED : 'ok' } } },
      ],
      ...(made.id === 'c2' && { displayName: 'look (stub MCP Server)', description: 'Looks at the sky' }),
    }));
    await storeSession({ workspace }, [
      { type: 'user', content: [{ text: 'Look' }] },
      { type: 'gemini', content: '', toolCalls },
      { type: 'gemini', content: 'Seen.' },
    ]);
    await using terminal = await open({ model, workspace }, ['--resume']);
    await terminal.waitForText('Seen.');
    expect(callsOf(terminal.lines())).toEqual([
      '✓ Shell git log',
      '✓ stub: look Looks at the sky',
      '✓ Edit src/a.ts',
      '✗ Shell make exit 2',
    ]);
  });
});

describe('a session that was killed', () => {
  it(
    'leaves the input to the user, says how to get the old prompt, and blames no one for the end',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace();
      const chats = await prepareChats(workspace);
      await using model = await fakeModel([answer(text('First half '), gate(), text('late')), say('Fine.')]);
      {
        await using first = await open({ model, workspace });
        first.type('Count to ten\r');
        await first.waitForText('First half');
        await untilRecorded(chats, 'First half');
        first.kill('SIGKILL');
        await first.done;
      }
      await using terminal = await open({ model, workspace }, ['--resume']);
      await terminal.waitForText('The last prompt was interrupted: "Count to ten" (up recalls it).');
      expect(terminal.lines()).toContain('· The program stopped. Kept: 1 line.');
      expect(terminal.lines().join('\n')).not.toMatch(/Request cancelled|--continue/);
      terminal.type(UP);
      await terminal.waitForText(/^❯ Count to ten$/m);
      terminal.type('\x03');
      await terminal.waitForText(READY);
      terminal.type('and now?');
      await terminal.waitForText(/^❯ and now\?$/m);
    },
  );
});

describe('an answer that Esc cut off', () => {
  it('is there after a resume, and the model reads it when it is told to go on', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([answer(text('One, two, '), gate(), text('late')), say('three.')]);
    {
      await using first = await open({ model, workspace });
      first.type('Count\r');
      await first.waitForText('One, two,');
      first.type('\x1b');
      await first.waitForText('Request cancelled.');
      first.type('/quit\r');
      await first.done;
    }
    await using terminal = await open({ model, workspace }, ['--resume']);
    await terminal.waitForText('· Request cancelled. Kept: 1 line.');
    expect(terminal.lines()).toEqual(
      expect.arrayContaining(['❯ Count', 'One, two,', '· Request cancelled. Kept: 1 line.']),
    );
    terminal.type('go on\r');
    await terminal.waitForText('three.');
    const { contents } = model.requests.at(-1)?.body as { contents: { role: string }[] };
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
    expect(JSON.stringify(contents[1])).toContain('One, two, ');
  });
});

describe('how a prompt ended', () => {
  it('is told of a refused request by the model, the status and its words, as it was', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([fault(400, { message: 'This model cannot call tools.' })]);
    const told = /^✗ gemini-2\.5-pro refused the request \(400\)\n {2}This model cannot call tools\.$/m;
    const args = ['-m', 'gemini-2.5-pro'];
    {
      await using terminal = await open({ model, workspace }, args);
      terminal.type('Fix it.\r');
      await terminal.waitForText(told);
      terminal.type('/quit\r');
      await terminal.done;
    }
    await using resumed = await open({ model, workspace }, [...args, '--resume', 'latest']);
    await resumed.waitForText(told);
    await resumed.waitForText('The last prompt failed: "Fix it."');
  });

  variants.each([
    ['before the first word', [answer(gate())], 'Waiting for'],
    [
      'after a call',
      [call('run_shell_command', { command: 'echo hi' }), answer(gate())],
      /✓ Shell echo hi[^]*Waiting for/,
    ],
    ['in the middle of the answer', [answer(text('The clamp belongs.\n\nIt is'), gate())], 'It is'],
  ])('is told of one that was cancelled %s in the word that was used then', async (_name, script, until) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(script);
    {
      await using terminal = await open({ model, workspace }, ['--yolo']);
      terminal.type('Fix it.\r');
      await terminal.waitForText(until);
      terminal.type('\x1b');
      await terminal.waitForText('Request cancelled.');
      await terminal.waitForText(READY);
      terminal.type('/quit\r');
      await terminal.done;
    }
    await using resumed = await open({ model, workspace }, ['--resume', 'latest']);
    await resumed.waitForText('The last prompt was cancelled: "Fix it."');
    expect(resumed.lines().join('\n')).toContain('Request cancelled.');
    expect(resumed.lines().join('\n')).not.toMatch(/interrupted|The program stopped/);
  });
});

it('is listed with its last exchange as the answer was shown, without marks of its source', async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([]);
  await storeSession({ workspace }, [
    { type: 'user', content: [{ text: 'Clamp it.' }] },
    { type: 'gemini', content: 'Every caller of `totalOf()` gets **it**.' },
  ]);
  await using terminal = await open({ model, workspace });
  terminal.type('/resume\r');
  await terminal.waitForText(/^ {4}Every caller of totalOf\(\) gets it\.$/m);
});

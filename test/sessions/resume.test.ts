import { existsSync } from 'node:fs';
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
  startCli,
  startTerminal,
  text,
} from '@castor/testkit';
import type { FakeModel } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { prepareChats, readSessions } from './session-folder.ts';
import { variants } from '../house/variants.ts';

const ID = '[0-9a-f-]{36}';

const lastTexts = (model: FakeModel) =>
  (model.requests.at(-1)?.body.contents as { parts: { text?: string }[] }[]).map(({ parts }) => parts.at(-1)?.text);

/** What the last request says after the first message of the session. */
const wordsSent = (model: FakeModel) =>
  (model.requests.at(-1)?.body.contents as { parts: { text?: string }[] }[])
    .flatMap(({ parts }) => parts.map(({ text }) => text))
    .filter((text) => !text?.startsWith('<session_context>'));

describe('castor --resume', () => {
  it('goes on with the session used last, lists sessions and deletes one', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('The first.'), say('The second.')]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    expect(await run('--list-sessions')).toMatchObject({
      code: 0,
      stdout: 'No previous sessions found for this project.\n',
    });
    await run('-p', 'What is   the “first”?');
    expect(await run('-r', 'latest', '-p', 'And then?')).toMatchObject({
      code: 0,
      stdout: 'The second.\n',
      stderr: '',
    });
    expect(lastTexts(model)).toEqual(['What is   the “first”?', 'The first.', 'And then?']);
    expect((await run('--list-sessions')).stdout).toMatch(
      new RegExp(
        `^\\nAvailable sessions for this project \\(1\\):\\n  1\\. What is the first\\? \\(Just now\\) \\[${ID}\\]\\n$`,
      ),
    );
    expect(await run('--delete-session', '2')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/session.*"2"/),
    });
    expect((await run('--delete-session', '1')).stdout).toMatch(/^Deleted session: What is the first\? \[/);
    expect((await run('--list-sessions')).stdout).toBe('No previous sessions found for this project.\n');
  });

  variants.each([
    [['-r', '7', '-p', 'x'], /Error resuming session: No previous sessions found for this project\./],
    [['-r', '../../x', '-p', 'x'], /Error resuming session: Invalid session "\.\.\/\.\.\/x"/],
    [['--session-file', 'none.json', '-p', 'x'], /The session file .*none\.json is not readable: ENOENT/],
  ])('refuses %j with 42', async (args, message) => {
    await using model = await fakeModel([]);
    expect(await runCli(args, { model })).toMatchObject({ code: 42, stderr: expect.stringMatching(message) });
  });

  it('refuses a session in use, naming the process, and goes on in a copy with --fork', async () => {
    await using workspace = await createWorkspace();
    const waiting = gate();
    await using model = await fakeModel([answer(text('One '), waiting, text('two.')), say('A copy.')]);
    await using first = await startCli(['-p', 'Count'], { workspace, model });
    await waiting.reached;
    const refused = await runCli(['-r', '-p', 'x'], { workspace, model });
    expect(refused).toMatchObject({ code: 42, stdout: '' });
    expect(refused.stderr).toContain(`is in use by process ${first.pid}. Wait for it or end it. Or add --fork`);
    const forked = await runCli(['-r', '--fork', '-p', 'Here'], { workspace, model });
    expect(forked).toMatchObject({ code: 0, stdout: 'A copy.\n' });
    waiting.release();
    expect(await first.done).toMatchObject({ code: 0, stdout: 'One two.\n' });
    expect((await runCli(['--list-sessions'], { workspace })).stdout).toContain('(2)');
  });

  it('tells the model what it had said when the user interrupted it, and shows it', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([answer(text('One, two, '), gate()), say('three.'), say('four.')]);
    await using cli = await startCli(['-p', 'Count', '-o', 'stream-json'], { workspace, model });
    await cli.waitForStdout('One, two,');
    cli.kill('SIGINT');
    expect(await cli.done).toMatchObject({ code: 130 });
    const shown = await runCli(['sessions', 'show'], { workspace });
    expect(shown.stdout).toContain('> Count\n\nOne, two,\n');
    expect(shown.stdout).not.toContain('interrupted before');
    expect(await runCli(['-r', '-p', 'Go on'], { workspace, model })).toMatchObject({ code: 0, stdout: 'three.\n' });
    const { contents } = model.requests[1]?.body as { contents: { role: string; parts: { text: string }[] }[] };
    expect(contents.slice(-2).map(({ role, parts }) => [role, parts.map((part) => part.text)])).toEqual([
      ['model', ['One, two, ', '[This response was interrupted before it completed.]']],
      ['user', ['Go on']],
    ]);
    model.violations.forEach((violation) => expect.fail(violation.messages.join()));
  });

  it.each([
    ['SIGINT', 'cancelled'],
    ['SIGTERM', 'interrupted'],
  ] as const)(
    'goes on at --continue after %s, and says that the prompt was %s',
    { tags: 'wide' },
    async (signal, word) => {
      await using workspace = await createWorkspace();
      await using model = await fakeModel([answer(text('One, two, '), gate()), say('three.')]);
      await using cli = await startCli(['-p', 'Count', '-o', 'stream-json'], { workspace, model });
      await cli.waitForStdout('One, two,');
      cli.kill(signal);
      await cli.done;
      const resumed = await runCli(['--continue'], { workspace, model });
      expect(resumed).toMatchObject({ code: 0, stdout: 'three.\n' });
      expect(resumed.stderr).toContain(`The last prompt was ${word}: "Count"`);
      expect(lastTexts(model).slice(-3)).toEqual([
        'Count',
        '[This response was interrupted before it completed.]',
        'Please continue.',
      ]);
    },
  );

  variants.each([
    ['a custom command', '/review x', 'Review x now.', 'Review x now.'],
    ['a prompt with a file', 'Read @a.txt', 'Read @a.txt', 'text of a'],
  ])('sends %s whole at --continue, after a kill before it was sent', async (_, typed, sent, alsoSent) => {
    // Holds back the first prompt only.
    const command = 'if [ ! -e held ]; then touch held; sleep 300; fi';
    const hooks = { BeforeAgent: [{ hooks: [{ type: 'command', command, timeout: 300_000 }] }] };
    await using workspace = await createWorkspace({
      files: { 'a.txt': 'text of a' },
      homeFiles: {
        '.gemini/commands/review.toml': 'prompt = "Review {{args}} now."',
        '.gemini/settings.json': JSON.stringify({ hooks }),
      },
    });
    await using model = await fakeModel([say('Done.')]);
    {
      await using terminal = await startTerminal([], { workspace, model });
      await terminal.waitForText('Type your message');
      terminal.type(`${typed} \r`);
      await terminal.waitUntil(
        (shown) => shown.lines().includes(`❯ ${typed}`) && existsSync(join(workspace.project, 'held')),
      );
      terminal.kill('SIGKILL');
      await terminal.done;
    }
    expect(model.requests).toEqual([]);
    expect((await runCli(['sessions', 'show'], { workspace })).stdout).toContain(`> ${typed}`);
    const resumed = await runCli(['--continue'], { workspace, model });
    expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const request = JSON.stringify(model.requests.at(-1)?.body.contents);
    expect([request.includes(sent), request.includes(alsoSent), request.includes('/review')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it(
    'has a prompt that failed at its first request: the model reads it with the next one, once',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace();
      const failed = fault(400, { message: 'Not today.' });
      await using model = await fakeModel([failed, failed, say('Fine.'), failed, say('Sent again.'), say('Yes.')]);
      const run = (...args: string[]) => runCli(args, { workspace, model });
      expect(await run('-p', 'Do the dishes')).toMatchObject({ code: 1 });
      expect((await run('sessions', 'show')).stdout).toContain('> Do the dishes\n\n(Not today.)');
      const resumed = await run('-r', '-p', 'Hello?');
      expect(resumed).toMatchObject({ code: 1 });
      expect(resumed.stderr).toContain('The last prompt failed: "Do the dishes" (Not today; --continue resumes it).');
      expect(await run('-r', '-p', 'Once more')).toMatchObject({ code: 0, stdout: 'Fine.\n' });
      const first = ['Do the dishes', 'Hello?', 'Once more', 'Fine.'];
      expect(wordsSent(model)).toEqual(first.slice(0, 3));
      await run('-r', '-p', 'Lay the table');
      const shown = (await run('sessions', 'show')).stdout;
      expect(shown.match(/^> .*/gm)).toEqual(['> Do the dishes', '> Hello?', '> Once more', '> Lay the table']);
      expect(await run('--continue')).toMatchObject({ code: 0, stdout: 'Sent again.\n' });
      expect(wordsSent(model)).toEqual([...first, 'Lay the table']);
      expect(await run('-r', '-p', 'Sure?')).toMatchObject({ code: 0 });
      expect(wordsSent(model)).toEqual([...first, 'Lay the table', 'Sent again.', 'Sure?']);
      model.assertDone();
    },
  );

  it(
    'shows a custom command that failed as it was typed, and sends again what it stands for',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace({
        homeFiles: { '.gemini/commands/review.toml': 'prompt = "Review {{args}} with care."' },
      });
      await using model = await fakeModel([fault(400, { message: 'Not today.' }), say('Reviewed.')]);
      const run = (...args: string[]) => runCli(args, { workspace, model });
      expect(await run('-p', '/review src')).toMatchObject({ code: 1 });
      expect((await run('sessions', 'show')).stdout).toContain('> /review src\n\n(Not today.)');
      expect(await run('--continue')).toMatchObject({ code: 0, stdout: 'Reviewed.\n' });
      expect(lastTexts(model)).toEqual(['Review src with care.']);
    },
  );

  it(
    'loses no text that a killed run had shown: the model reads it as its own, interrupted words',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace();
      const waiting = gate();
      await using model = await fakeModel([answer(text('The answer is '), waiting), say('4.'), say('Yes.')]);
      await using cli = await startCli(['-p', 'Two and two?', '-o', 'stream-json'], { workspace, model });
      await cli.waitForStdout('The answer is');
      cli.kill('SIGKILL');
      await cli.done;
      const shown = await runCli(['sessions', 'show'], { workspace });
      expect(shown.stdout).toBe('> Two and two?\n\nThe answer is\n\n(The program stopped.)\n');
      const resumed = await runCli(['--continue'], { workspace, model });
      expect(resumed).toMatchObject({ code: 0, stdout: '4.\n' });
      expect(resumed.stderr).toContain('The last prompt was interrupted: "Two and two?"');
      const cut = '[This response was interrupted before it completed.]';
      expect(lastTexts(model)).toEqual(['Two and two?', cut, 'Please continue.']);
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('{"text":"The answer is "}');
      const after = await runCli(['sessions', 'show'], { workspace });
      expect(after.stdout).toMatch(/^> Two and two\?\n\nThe answer is\n\n\(The program stopped\.\)\n/);
      expect(await runCli(['-r', '-p', 'Sure?'], { workspace, model })).toMatchObject({ stdout: 'Yes.\n' });
      expect(lastTexts(model)).toEqual(['Two and two?', cut, 'Please continue.', '4.', 'Sure?']);
      expect((await runCli(['--continue'], { workspace, model })).code).toBe(42);
    },
  );

  it('goes on with a session of Gemini CLI, every result once', async () => {
    await using workspace = await createWorkspace();
    const chats = await prepareChats(workspace);
    const result = { functionResponse: { id: 'a1', name: 'read_file', response: { output: 'two' } } };
    const records = [
      { sessionId: '11111111-2222-4333-8444-555555555555', projectHash: 'h', startTime: '2026-01-02T03:04:05.000Z' },
      { id: 'u1', timestamp: '2026-01-02T03:04:05.000Z', type: 'user', content: [{ text: 'Read a' }] },
      {
        id: 'g1',
        timestamp: '2026-01-02T03:04:06.000Z',
        type: 'gemini',
        content: [{ functionCall: { id: 'read_file__a1', name: 'read_file', args: { file_path: 'a' } } }],
        toolCalls: [
          { id: 'read_file__a1', name: 'read_file', args: { file_path: 'a' }, result: [result], status: 'success' },
        ],
      },
      { id: 'u2', timestamp: '2026-01-02T03:04:07.000Z', type: 'user', content: [result] },
      { id: 'g2', timestamp: '2026-01-02T03:04:08.000Z', type: 'gemini', content: 'It says two.' },
    ];
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await writeFile(join(chats, 'session-2026-01-02T03-04-11111111.jsonl'), lines);
    await using model = await fakeModel([say('Three.')]);
    expect(await runCli(['-r', '1', '-p', 'Plus one?'], { workspace, model })).toMatchObject({
      code: 0,
      stdout: 'Three.\n',
    });
    expect(JSON.stringify(model.requests[0]?.body.contents).match(/"functionResponse"/g)).toEqual([
      '"functionResponse"',
    ]);
    expect(model.violations).toEqual([]);
    expect((await readSessions(chats)).startsWith(lines)).toBe(true);
  });

  it('runs where no session can be kept, and says so once', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/tmp': 'in the way' } });
    await using model = await fakeModel([
      answer(call('run_shell_command', { command: 'echo x' })),
      answer(call('run_shell_command', { command: 'echo y' })),
      say('Fine.'),
    ]);
    const { code, stdout, stderr } = await runCli(['-y', '-p', 'Go'], { workspace, model });
    expect([code, stdout, stderr.match(/does not record/g)?.length]).toEqual([0, 'Fine.\n', 1]);
  });

  it('finds words in sessions of any folder', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('An elephant never forgets.'), say('Nothing.')]);
    await runCli(['-p', 'Who remembers?'], { workspace, model });
    await runCli(['-p', 'Something else'], { workspace, model, cwd: workspace.root });
    const found = await runCli(['sessions', 'search', 'ELEPHANT', 'remembers'], { workspace, cwd: workspace.home });
    expect(found.stdout).toMatch(
      new RegExp(
        `^Who remembers\\? \\(Just now\\) \\[${ID}\\]\\n  in ${workspace.project}\\n  Who remembers\\?\\n\\n$`,
      ),
    );
    expect(await runCli(['sessions', 'search', 'giraffe'], { workspace })).toMatchObject({ code: 1, stdout: '' });
  });
});

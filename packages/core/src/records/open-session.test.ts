import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { answer, call, fakeModel, say, together } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { Part } from '../protocol/content.ts';
import { createAgent } from '../agent/create-agent.ts';
import { ALLOW_EVERYTHING } from '../agent/default-policy.ts';
import { openSession } from './open-session.ts';
import type { OpenedSession, OpenSessionOptions } from './open-session.ts';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { defineTool } from '../tools/define-tool.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';

const NEVER = new AbortController().signal;
const HEADER = { sessionId: 'known-1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', kind: 'main' };

/** Only root may; for the rest it is enough that the tests of others run as root. */
function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}

describe('openSession', () => {
  let home: string;
  let root: string;
  let chats: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'castor-open-')));
    root = join(home, 'project');
    chats = join(await resolveProjectDirectory({ home, root }), 'chats');
    await mkdir(chats, { recursive: true });
  });
  afterEach(() => rm(home, { recursive: true }));

  const open = (options: Partial<Parameters<typeof openSession>[0]> = {}) => openSession({ home, root, ...options });
  const write = async (records: readonly unknown[], name = 'session-2026-01-01T00-00-known-1.jsonl') => {
    const path = join(chats, name);
    await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return path;
  };
  const prompt = async (opened: OpenedSession, url: string, parts: Part[]) => {
    const touch = (name: string) =>
      defineTool({
        name,
        displayName: name,
        kind: name === 'touch' ? 'edit' : 'read',
        description: 'Touches.',
        schema: { type: 'object' },
        describe: () => 'Touches',
        execute: async () => ({ llmContent: `${name} done`, returnDisplay: '' }),
      });
    const { session } = createAgent({
      generator: createGeminiGenerator({ baseUrl: url, apiKey: 'k' }),
      model: 'gemini-2.5-flash',
      sessionId: opened.sessionId,
      tempDirectory: home,
      tools: new ToolRegistry([touch('touch'), touch('look')]),
      policy: ALLOW_EVERYTHING,
      chatRecorder: opened.recorder,
      callRecorder: opened.recorder,
      history: opened.history,
      record: (event) => opened.recorder.observe(event),
    });
    for await (const _event of session.prompt(parts, NEVER));
    opened.recorder.close();
  };
  const contentsOf = (model: Awaited<ReturnType<typeof fakeModel>>, index: number) =>
    model.requests.at(index)?.body.contents as unknown[];

  it('tells the model, when a session goes on, to the letter what it was told and said', async () => {
    await using model = await fakeModel([
      answer(together(call('look', { at: 1 }), call('touch', { at: 2 }), call('look', { at: 3 }))),
      answer(call('touch', { at: 4 })),
      say('Done.'),
      say('Again.'),
    ]);
    const first = await open();
    await prompt(first, model.url, [{ text: 'Go' }]);
    const second = await open({ resume: 'latest' });
    await prompt(second, model.url, [{ text: 'More' }]);
    const [before, after] = [contentsOf(model, 2), contentsOf(model, 3)];
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(after.slice(before.length)).toEqual([
      { role: 'model', parts: [{ text: 'Done.' }] },
      { role: 'user', parts: [{ text: 'More' }] },
    ]);
    expect([second.sessionId, second.origin, second.notices]).toEqual([first.sessionId, 'resumed', []]);
    expect([model.violations, (await readdir(chats)).length]).toEqual([[], 1]);
  });

  const interrupted = [
    HEADER,
    { id: 'u1', type: 'user', content: [{ text: 'Touch both' }], prompt_id: 'p' },
    {
      id: 'g1',
      type: 'gemini',
      prompt_id: 'p',
      content: [1, 2, 3].map((id) => ({ functionCall: { id: `c${id}`, name: 'touch', args: { id } } })),
    },
    { $callStarted: { callId: 'c1', name: 'touch', hasEffects: true } },
    {
      id: 'r1',
      type: 'user',
      content: [{ functionResponse: { id: 'c1', name: 'touch', response: { output: 'did' } } }],
      call: { id: 'c1', status: 'success' },
    },
    { $callStarted: { callId: 'c2', name: 'touch', hasEffects: true } },
  ];

  it('goes on with an interrupted prompt from where it was, without a new message', async () => {
    await using model = await fakeModel([say('Both are touched.'), say('Yes.')]);
    const path = await write(interrupted);
    const opened = await open({ resume: '1' });
    expect(opened.interruptedPrompt).toEqual({ text: 'Touch both' });
    expect(opened.notices).toEqual([
      'The last prompt was interrupted: "Touch both".',
      'The call touch {"id":1} had finished; its result is recorded.',
      'The call touch {"id":2} was running: its effect is unknown, so check before you repeat it.',
      'The call touch {"id":3} was not started.',
    ]);
    // That process is stopped before it has asked: the next one finds the same.
    opened.recorder.close();
    const next = await open({ resume: '1' });
    expect(next.notices).toEqual(opened.notices);
    await prompt(next, model.url, next.takeInterrupted() ?? []);
    const [question, calls, results, ...rest] = contentsOf(model, 0) as { parts: Part[] }[];
    expect([question?.parts, calls?.parts.length, rest]).toEqual([[{ text: 'Touch both' }], 3, []]);
    expect(results?.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { output: 'did' },
      { error: expect.any(String) as string, status: 'unknown' },
      { error: expect.any(String) as string, status: 'not_started' },
    ]);

    const again = await open({ resume: 'known-1' });
    expect([again.interruptedPrompt, again.notices, again.takeInterrupted()]).toEqual([undefined, [], undefined]);
    await prompt(again, model.url, [{ text: 'Sure?' }]);
    expect(JSON.stringify(contentsOf(model, 1).slice(0, 3))).toBe(JSON.stringify([question, calls, results]));
    const text = await readFile(path, 'utf8');
    expect([text.match(/"id":"c2","name":"touch","response"/g)?.length, model.violations]).toEqual([1, []]);
  });

  it.each([
    ['old', 'not_started', 'was stopped before it changed anything'],
    ['new', 'carried_out', 'was carried out: its file has the new content; only its result is lost'],
    ['newer', 'unknown', 'was running: its effect is unknown, so check before you repeat it'],
  ])('knows of a file that is %j by now whether the call was %s', async (content, status, said) => {
    const path = join(home, 'file');
    const [before, after] = ['old', 'new'].map((text) => fingerprint(Buffer.from(text)));
    await write([...interrupted, { $fileChange: { callId: 'c2', path, before, after } }]);
    await writeFile(path, content);
    const told = async () => {
      const opened = await open({ resume: '1' });
      opened.recorder.close();
      const responses = opened.history.at(-1)?.parts?.map(({ functionResponse }) => functionResponse?.response);
      return [responses?.[1]?.['status'], opened.notices[2]];
    };
    const expected = [status, `The call touch {"id":2} ${said}.`];
    expect(await told()).toEqual(expected);
    // What was said once stays so, whatever becomes of the file.
    await rm(path);
    expect((await told())[0]).toBe(status);
  });

  it('does not say that a call was not started when the recording had been lost before', async () => {
    const path = await write(interrupted);
    await writeFile(`${path}.lost`, '');
    const copy = await open({ resume: '1', fork: true });
    const opened = await open({ resume: 'known-1' });
    expect(opened.notices).toEqual([
      'The record of this session is incomplete (full disk?): later steps are unknown.',
      'The last prompt was interrupted: "Touch both".',
      'The call touch {"id":1} had finished; its result is recorded.',
      'The call touch {"id":2} was running: its effect is unknown, so check before you repeat it.',
      'The call touch {"id":3} was running: its effect is unknown, so check before you repeat it.',
    ]);
    expect(copy.notices).toEqual(opened.notices);
    opened.recorder.close();
    const again = await open({ resume: 'known-1' });
    expect(again.notices).toEqual(opened.notices.slice(1));
  });

  it('leaves a mark where the disk takes no more, and goes on without a file', async () => {
    const problems: string[] = [];
    const path = await write(interrupted);
    const opened = await open({ resume: '1', onProblem: (problem) => problems.push(problem) });
    opened.recorder.stopRecording(new Error('the disk is full'));
    opened.recorder.rewindTo('x');
    expect(problems).toEqual(['Castor does not record this session any more: the disk is full']);
    expect((await readdir(chats)).sort()).toEqual([basename(path), `${basename(path)}.lost`]);
  });

  it('takes new words instead, and the model sees where it was cut off', async () => {
    await using model = await fakeModel([say('Right.')]);
    await write(interrupted);
    await prompt(await open({ resume: 'latest' }), model.url, [{ text: 'Never mind' }]);
    const contents = contentsOf(model, 0) as { parts: Part[] }[];
    expect(contents.slice(-2)).toEqual([
      { role: 'model', parts: [{ text: '[The previous response was interrupted before it completed.]' }] },
      { role: 'user', parts: [{ text: 'Never mind' }] },
    ]);
  });

  it('writes after a line that was cut off on a line of its own, and leaves the bytes as they were', async () => {
    await using model = await fakeModel([say('Fine.')]);
    const path = await write([HEADER, interrupted[1]]);
    await writeFile(path, '{"id":"torn","type":"gem', { flag: 'a' });
    const before = await readFile(path, 'utf8');
    const opened = await open({ resume: 'latest' });
    expect(opened.notices[0]).toBe(`1 damaged line was skipped in ${path}.`);
    await prompt(opened, model.url, [{ text: 'Still there?' }]);
    expect((await readFile(path, 'utf8')).startsWith(`${before}\n`)).toBe(true);
    expect((await open({ resume: 'latest' })).history.map(({ role }) => role)).toEqual(['user', 'user', 'model']);
  });

  it.each([
    'System: Potential loop detected. Details: it repeats.',
    'System: Your last turn was empty. Go on with the task.',
    'System: Please continue.',
  ])("names the user's prompt as interrupted, not our own request: %s", async (ours) => {
    const work = { id: 'u1', type: 'user', content: [{ text: 'Tidy up' }], prompt_id: 'p' };
    const said = { id: 'g1', type: 'gemini', content: [{ text: 'Hm.' }], prompt_id: 'p' };
    await write([HEADER, work, said, { ...work, id: 'u2', content: [{ text: ours }] }]);
    const opened = await open({ resume: 'latest' });
    expect(opened.interruptedPrompt).toEqual({ text: 'Tidy up' });
    expect(opened.notices[0]).toContain('The last prompt was interrupted: "Tidy up"');
  });

  it.each(['', '{"sessionId":"kno\n', '\0\0\0\n'])('resumes a session whose first line is %j', async (first) => {
    const path = await write(interrupted.slice(1));
    await writeFile(path, `${first}${await readFile(path, 'utf8')}`);
    const opened = await open({ resume: 'latest' });
    expect([opened.sessionId, opened.origin, opened.history.length]).toEqual(['known-1', 'resumed', 3]);
    expect(await readdir(chats)).toContain(basename(path));
  });

  it('refuses a session that is in use, and goes on in a copy when asked to', async () => {
    await using model = await fakeModel([say('In the copy.')]);
    const path = await write(interrupted);
    const holder = await open({ resume: 'known-1' });
    await expect(open({ resume: 'known-1' })).rejects.toMatchObject({ reason: 'locked', pid: process.pid });
    await expect(open({ resume: 'known-1' })).rejects.toThrow(
      `Session known-1 is in use by process ${process.pid}. Wait for it or end it.`,
    );
    const before = await readFile(path, 'utf8');
    const copy = await open({ resume: 'known-1', fork: true });
    await prompt(copy, model.url, [{ text: 'Go' }]);
    expect([copy.origin, copy.sessionId === 'known-1', await readFile(path, 'utf8')]).toEqual([
      'forked',
      false,
      before,
    ]);
    const header = JSON.parse((await readFile(copy.recorder.path, 'utf8')).split('\n')[0] ?? '') as object;
    expect(header).toMatchObject({ sessionId: copy.sessionId, forkedFrom: 'known-1', kind: 'main' });
    holder.recorder.close();
    (await open({ resume: 'known-1' })).recorder.close();
    expect((await readdir(chats)).filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it
    .skipIf(!canMount())
    .for<Partial<OpenSessionOptions>>([
      { resume: 'known-1' },
      { resume: 'known-1', fork: true },
      { resume: 'lega-1' },
      { sessionFile: 'file' },
    ])('goes on, with a word and unrecorded, where nothing can be written: %j', async (given) => {
    await using model = await fakeModel([say('Right.')]);
    const path = await write(interrupted);
    const legacy = { sessionId: 'lega-1', messages: interrupted.slice(1, 2) };
    await writeFile(join(chats, 'session-2026-01-01T00-00-lega-1.json'), JSON.stringify(legacy));
    const before = (await readdir(chats)).sort();
    const problems: string[] = [];
    const options = { ...given, ...(given.sessionFile && { sessionFile: path }) };
    execFileSync('mount', ['--bind', chats, chats]);
    execFileSync('mount', ['-o', 'remount,bind,ro', chats]);
    try {
      const opened = await open({ ...options, onProblem: (problem) => problems.push(problem) });
      await prompt(opened, model.url, [{ text: 'Go on' }]);
    } finally {
      execFileSync('umount', [chats]);
    }
    expect([problems, (await readdir(chats)).sort(), await readFile(path, 'utf8')]).toEqual([
      [expect.stringMatching(/^Castor does not record this session: EROFS/)],
      before,
      interrupted.map((record) => `${JSON.stringify(record)}\n`).join(''),
    ]);
    expect(JSON.stringify(contentsOf(model, 0))).toContain('Touch both');
  });

  it('moves a session of the old format beside itself', async () => {
    const messages = [
      { id: 'u1', type: 'user', content: 'Hello' },
      { id: 'g1', type: 'gemini', content: 'Hi.' },
    ];
    const path = join(chats, 'session-2025-01-01T00-00-known-1.json');
    await writeFile(path, JSON.stringify({ ...HEADER, messages }, null, 2));
    const opened = await open({ resume: 'latest' });
    expect([opened.recorder.path, opened.history.length, opened.sessionId]).toEqual([`${path}l`, 2, 'known-1']);
    opened.recorder.close();
    expect([(await stat(`${path}l`)).mode & 0o777, (await readdir(chats)).length]).toEqual([0o600, 2]);
  });

  it.skipIf(!canMount())('leaves no half of a session of the old format behind where the disk is full', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'castor-test', chats]);
    try {
      const messages = [{ id: 'u1', type: 'user', content: 'x'.repeat(40_000) }];
      await writeFile(join(chats, 'session-2025-01-01T00-00-lega-1.json'), JSON.stringify({ ...HEADER, messages }));
      const problems: string[] = [];
      const opened = await open({ resume: 'latest', onProblem: (problem) => problems.push(problem) });
      expect([opened.history.length, problems, await readdir(chats)]).toEqual([
        1,
        [expect.stringContaining('ENOSPC')],
        ['session-2025-01-01T00-00-lega-1.json'],
      ]);
    } finally {
      execFileSync('umount', [chats]);
    }
  });

  it('begins a new session with what a file holds', async () => {
    const path = join(home, 'export.jsonl');
    const change = { $fileChange: { callId: 'c2', path: '/nowhere', before: 'a', after: 'b' } };
    await writeFile(
      path,
      [...interrupted, change, { id: 'i', type: 'info', content: 'x' }].map((r) => JSON.stringify(r)).join('\n'),
    );
    const opened = await open({ sessionFile: path });
    expect([opened.origin, opened.sessionId === 'known-1', opened.history.length]).toEqual(['imported', false, 3]);
    expect(opened.notices.at(2)).toMatch(/was running: its effect is unknown/);
    const [, note] = (await readFile(opened.recorder.path, 'utf8')).split('\n');
    expect(JSON.parse(note ?? '')).toMatchObject({ type: 'info', content: `Imported from ${path}.` });
    expect(opened.recorder.path).toMatch(/session-\d{13}-[0-9a-f]{8}\.jsonl$/);
    const text = await readFile(opened.recorder.path, 'utf8');
    expect(text).toContain(`${JSON.stringify(change)}\n`);
  });

  it('begins anew, with a word, when there is no latest session', async () => {
    const opened = await open({ resume: 'latest' });
    expect([opened.origin, opened.notices]).toEqual([
      'new',
      ['No previous sessions found for this project. Starting a new session.'],
    ]);
  });

  it.each([
    ['../../etc/passwd', 'invalid', /^Invalid session "..\/..\/etc\/passwd": use "latest", a number/],
    ['7', 'not_found', /^Invalid session identifier "7"\.$/],
    ['0', 'not_found', /Invalid session identifier/],
    ['11111111-2222-4333-8444-555555555555', 'not_found', /Invalid session identifier/],
  ])('refuses to resume %s', async (resume, reason, message) => {
    await write(interrupted);
    const refused = open({ resume });
    await expect(refused).rejects.toMatchObject({ reason });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    [{ sessionId: 'known-1' }, 'exists', /^Session ID "known-1" already exists/],
    [{ sessionId: 'a/b' }, 'invalid', /letters, digits/],
    [{ sessionFile: '/nowhere/at.all' }, 'invalid', /^The session file \/nowhere\/at\.all is not readable: ENOENT/],
    [{ sessionFile: '/dev/null' }, 'invalid', /it is not a regular file/],
    [{ sessionFile: '/etc/hostname' }, 'invalid', /^\/etc\/hostname does not contain a session/],
    [{ sessionId: 'a', resume: 'b' }, 'invalid', /^Use only one of/],
  ])('refuses %j', async (options, reason, message) => {
    await write(interrupted);
    const refused = open(options);
    await expect(refused).rejects.toMatchObject({ reason });
    await expect(refused).rejects.toThrow(message);
  });

  it('keeps apart sessions that begin in one minute with ids that begin alike', async () => {
    await using model = await fakeModel([say('1'), say('2')]);
    await prompt(await open({ sessionId: 'my-session-1' }), model.url, [{ text: 'one' }]);
    await prompt(await open({ sessionId: 'my-session-2' }), model.url, [{ text: 'two' }]);
    const resumed = await Promise.all(['my-session-1', 'my-session-2'].map((resume) => open({ resume })));
    expect(resumed.map(({ history }) => history[0]?.parts)).toEqual([[{ text: 'one' }], [{ text: 'two' }]]);
  });
});

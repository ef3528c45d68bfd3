/** A program on the other end of stdin and stdout: `--input-format stream-json` with the real program as a child. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, finish, gate, say, startCli, text } from '@castor/testkit';
import type { Script, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

type Line = Record<string, unknown> & { type: string };

/** The other program: says something, and waits for lines. */
async function connect(workspace: Workspace, script: Script, ...args: string[]) {
  const model = await fakeModel(script);
  const cli = await startCli(['--input-format', 'stream-json', '-m', 'gemini-2.5-flash', ...args], {
    model,
    workspace,
    keepStdinOpen: true,
  });
  const lines = () =>
    cli.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  return {
    model,
    cli,
    lines,
    tell: (message: object | string) =>
      cli.writeStdin(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    /** Resolves when so many lines of this type have come. */
    async until(type: string, count = 1) {
      await cli.waitForStdout(new RegExp(`(?:"type":"${type}"[^]*?){${count}}\\n`));
      return lines().filter((line) => line.type === type)[count - 1]!;
    },
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const withoutNoise = ({ timestamp: _time, stats: _stats, session_id: _session, details: _details, ...line }: Line) =>
  line;
const write = (id: string, name: string) => call('write_file', { file_path: name, content: id }, { id });

describe('castor --input-format stream-json', () => {
  it('holds a whole conversation: prompts, a yes, a no, a word in between and an interruption', async () => {
    await using workspace = await createWorkspace();
    const thinking = gate();
    await using peer = await connect(workspace, [
      answer(text('I write.'), write('c1', 'a.txt')),
      say('Written.'),
      answer(write('c2', 'b.txt')),
      answer(call('list_directory', { dir_path: '.' }, { id: 'c3' })),
      say('As you say.'),
      answer(text('Thinking'), thinking, text(' more'), finish()),
    ]);

    peer.tell({ type: 'prompt', content: 'write a.txt' });
    const asked = await peer.until('tool_confirmation');
    expect(asked).toMatchObject({
      tool_id: 'c1',
      tool_name: 'write_file',
      kind: 'edit',
      details: { fileName: 'a.txt', newContent: 'c1' },
    });
    peer.tell({ type: 'approval', tool_id: 'c1', outcome: 'proceed_once' });
    await peer.until('prompt_ended');
    expect(await workspace.read('a.txt')).toBe('c1');

    peer.tell({ type: 'prompt', content: 'write b.txt' });
    await peer.until('tool_confirmation', 2);
    peer.tell({ type: 'approval', tool_id: 'c2', outcome: 'cancel', feedback: 'not b' });
    await peer.until('prompt_ended', 2);
    expect(existsSync(join(workspace.project, 'b.txt'))).toBe(false);

    peer.tell({ type: 'set_approval_mode', mode: 'plan' });
    peer.tell({ type: 'set_approval_mode', mode: 'default' });
    peer.tell({ type: 'prompt', content: 'look' });
    peer.tell({ type: 'steer', content: 'and be brief' });
    await peer.until('prompt_ended', 3);
    const steered = peer.model.requests.slice(3).map(({ body }) => JSON.stringify(body.contents.at(-1)));
    expect(steered.filter((sent) => sent.includes('and be brief'))).toHaveLength(1);

    peer.tell({ type: 'prompt', content: 'think' });
    await thinking.reached;
    peer.tell({ type: 'interrupt' });
    await peer.until('prompt_ended', 4);
    thinking.release();
    peer.tell({ type: 'end' });
    const { code } = await peer.cli.done;

    const outcomes = peer.lines().filter(({ type }) => type === 'prompt_ended');
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['completed', 'cancelled', 'completed', 'cancelled']);
    expect([withoutNoise(peer.lines().at(-1)!), code]).toEqual([{ type: 'result', status: 'success' }, 0]);
    expect(peer.lines().map(withoutNoise).slice(0, 9)).toEqual([
      { type: 'init', model: 'gemini-2.5-flash' },
      { type: 'message', role: 'user', content: 'write a.txt' },
      { type: 'message', role: 'assistant', content: 'I write.', delta: true },
      {
        type: 'tool_use',
        tool_name: 'write_file',
        tool_id: 'c1',
        parameters: { file_path: 'a.txt', content: 'c1' },
      },
      { type: 'tool_confirmation', tool_id: 'c1', tool_name: 'write_file', kind: 'edit' },
      { type: 'tool_result', tool_id: 'c1', status: 'success' },
      { type: 'message', role: 'assistant', content: 'Written.', delta: true },
      { type: 'prompt_ended', outcome: 'completed' },
      { type: 'message', role: 'user', content: 'write b.txt' },
    ]);
  });

  it('names a line it cannot follow and loses nothing else', async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [say('one'), say('two')]);
    peer.tell('{"type":"prompt","content":"first"}\nhello\n{"type":"dance"}\n{"type":"prompt","content":"second"}');
    peer.tell({ type: 'approval', tool_id: 'none', outcome: 'proceed_once' });
    peer.tell({ type: 'end' });
    const { code } = await peer.cli.done;
    const problems = peer.lines().flatMap(({ type, message }) => (type === 'error' ? [message] : []));
    expect(problems).toEqual([
      'Line 2 of the input is invalid: it is not JSON; expected one object per line.',
      expect.stringContaining('Line 3 of the input is invalid: "type" must be one of prompt'),
      'Line 5 of the input has no effect: No call with the id none is waiting for an answer.',
    ]);
    expect([peer.model.requests.length, code]).toEqual([2, 0]);
  });

  it('refuses what it would have to ask once the input has ended', async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [answer(write('c1', 'a.txt'))]);
    peer.tell({ type: 'prompt', content: 'write' });
    peer.cli.closeStdin();
    const { code } = await peer.cli.done;
    expect(existsSync(join(workspace.project, 'a.txt'))).toBe(false);
    expect([code, peer.lines().at(-1)]).toMatchObject([130, { type: 'result', status: 'error' }]);
    expect(peer.lines().find(({ type }) => type === 'tool_result')?.['output']).toContain('The input has ended');
  });

  it('ends an invalid prompt, so that its caller does not wait for it', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [say('one')]);
    peer.tell({ type: 'prompt', content: 'hi' });
    await peer.until('prompt_ended');
    peer.tell({ type: 'prompt', content: '/theme' });
    const message = '/theme needs a terminal. Start castor without -p to use it.';
    expect(withoutNoise(await peer.until('prompt_ended', 2))).toEqual({
      type: 'prompt_ended',
      outcome: 'failed',
      message,
    });
    peer.cli.closeStdin();
    const { code } = await peer.cli.done;
    const result = { type: 'result', status: 'error', error: { type: 'FatalInputError', message } };
    expect([code, withoutNoise(peer.lines().at(-1)!)]).toEqual([42, result]);
  });

  it('begins anew with every prompt: hooks hear of each, and asking again is no loop', { tags: 'wide' }, async () => {
    const hook = { type: 'command', command: 'echo x >> "$HOME/heard"; echo "{}"' };
    await using workspace = await createWorkspace({
      files: { 'a.txt': 'A' },
      homeFiles: { '.gemini/settings.json': JSON.stringify({ hooks: { BeforeAgent: [{ hooks: [hook] }] } }) },
    });
    const isAnswer = (content: unknown) => JSON.stringify(content).includes('functionResponse');
    await using peer = await connect(workspace, ({ body }) =>
      isAnswer(body.contents.at(-1)) ? say('A') : answer(call('read_file', { file_path: 'a.txt' })),
    );
    for (let count = 1; count <= 10; count++) peer.tell({ type: 'prompt', content: 'what is in a.txt?' });
    peer.cli.closeStdin();
    await peer.cli.done;
    const outcomes = peer.lines().flatMap(({ type, outcome }) => (type === 'prompt_ended' ? [outcome] : []));
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'completed'));
    expect(peer.model.requests.length).toBe(20);
    expect(readFileSync(join(workspace.home, 'heard'), 'utf8')).toBe('x\n'.repeat(10));
  });

  it('takes words for what is answered without a model as the next prompt', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [say('heard')]);
    peer.tell({ type: 'prompt', content: '!echo hi' });
    peer.tell({ type: 'steer', content: 'and this' });
    peer.tell({ type: 'end' });
    const { code, stderr } = await peer.cli.done;
    const said = peer
      .lines()
      .flatMap(({ type, content, outcome }) => content ?? (type === 'prompt_ended' ? outcome : []));
    expect([said, code, stderr]).toEqual([['!echo hi', 'hi', 'completed', 'and this', 'heard', 'completed'], 0, '']);
  });

  it('takes the first prompt from the command line, and words that come too late as a prompt', async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [say('one'), say('two')], '-p', 'first');
    await peer.until('prompt_ended');
    peer.tell({ type: 'steer', content: 'late' });
    await peer.until('prompt_ended', 2);
    peer.cli.closeStdin();
    expect((await peer.cli.done).code).toBe(0);
    expect(JSON.stringify(peer.model.requests[1]?.body.contents.at(-1))).toContain('late');
  });

  it('refuses a mode the settings forbid', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"security":{"disableYoloMode":true}}' },
    });
    await using peer = await connect(workspace, []);
    peer.tell({ type: 'set_approval_mode', mode: 'yolo' });
    peer.tell({ type: 'interrupt' });
    peer.cli.closeStdin();
    expect((await peer.cli.done).code).toBe(0);
    expect(peer.lines().flatMap(({ type, message }) => (type === 'error' ? [message] : []))).toEqual([
      'Line 1 of the input has no effect: YOLO mode is disabled by security.disableYoloMode; run without --yolo.',
      'Line 2 of the input has no effect: no prompt is running.',
    ]);
  });

  it('ends with a result when it is terminated in the middle', async () => {
    await using workspace = await createWorkspace();
    await using peer = await connect(workspace, [answer(write('c1', 'a.txt'))]);
    peer.tell({ type: 'prompt', content: 'write' });
    await peer.until('tool_confirmation');
    peer.cli.kill('SIGTERM');
    const { code } = await peer.cli.done;
    expect([code, peer.lines().at(-1)]).toMatchObject([143, { type: 'result', status: 'error' }]);
  });
});

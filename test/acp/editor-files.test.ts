/** The files and terminals of an editor: unsaved text is read and changed, commands run where the user sees them. */

import { join } from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { call, say } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastParts, sharePrograms } from './scene.fixture.ts';
import { variants } from '../house/variants.ts';

const openScene = sharePrograms();

const FS = { fs: { readTextFile: true, writeTextFile: true } };
const READ = () => [call('read_file', { file_path: 'a.txt' }), say('ok')];
const EDIT = () => [
  call('read_file', { file_path: 'a.txt' }),
  call('replace', { file_path: 'a.txt', old_string: 'unsaved', new_string: 'edited', instruction: 'x' }),
  say('ok'),
];

describe('files', () => {
  it('are read with unsaved text', async () => {
    await using scene = await openScene(READ(), {
      capabilities: FS,
      files: { 'a.txt': 'saved\n' },
      unsaved: { 'a.txt': 'unsaved\n' },
    });
    await scene.editor.prompt(scene.session, 'go');
    expect(JSON.stringify(lastParts(scene.model))).toContain('unsaved');
  });

  it('named in a prompt are read with unsaved text', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('ok')], {
      capabilities: FS,
      files: { 'a.txt': 'saved\n' },
      unsaved: { 'a.txt': 'unsaved\n' },
    });
    await scene.editor.prompt(scene.session, 'see @a.txt');
    expect(lastParts(scene.model)).toContainEqual({ text: 'unsaved\n' });
  });

  it('are changed in the editor, against its unsaved text', async () => {
    await using scene = await openScene(EDIT(), {
      capabilities: FS,
      args: ['--yolo'],
      files: { 'a.txt': 'saved\n' },
      unsaved: { 'a.txt': 'unsaved\n' },
    });
    const { editor, session, workspace } = scene;
    await editor.prompt(session, 'go');
    const path = join(workspace.project, 'a.txt');
    expect(editor.writes).toEqual([{ path, content: 'edited\n' }]);
    expect(await workspace.read('a.txt')).toBe('saved\n');
    expect(editor.calls().at(-1)).toMatchObject({
      content: [{ type: 'diff', oldText: 'unsaved\n', newText: 'edited\n' }],
    });
  });

  it('are created in the editor', { tags: 'wide' }, async () => {
    await using scene = await openScene([call('write_file', { file_path: 'n.txt', content: 'new' }), say('ok')], {
      capabilities: FS,
      args: ['--yolo'],
    });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.writes).toEqual([{ path: join(scene.workspace.project, 'n.txt'), content: 'new' }]);
  });

  variants.each<[string, { fs?: { readTextFile?: boolean; writeTextFile?: boolean } }, string]>([
    ['offers nothing', {}, 'saved'],
    ['only writes', { fs: { writeTextFile: true } }, 'saved'],
    ['only reads', { fs: { readTextFile: true } }, 'unsaved'],
  ])('of an editor that %s', async (_name, capabilities, expected) => {
    const script = [...READ().slice(0, 1), call('write_file', { file_path: 'b.txt', content: 'b' }), say('ok')];
    await using scene = await openScene(script, {
      capabilities,
      args: ['--yolo'],
      files: { 'a.txt': 'saved\n' },
      unsaved: { 'a.txt': 'unsaved\n' },
    });
    const { editor, session, workspace, model } = scene;
    await editor.prompt(session, 'go');
    expect(JSON.stringify(model.requests[1]!.body.contents)).toContain(`"output":"${expected}\\n"`);
    expect(editor.writes).toHaveLength(capabilities.fs?.writeTextFile ? 1 : 0);
    if (editor.writes.length === 0) expect(await workspace.read('b.txt')).toBe('b');
  });

  it('that the editor cannot read come from the disk, and bytes are never asked for', { tags: 'wide' }, async () => {
    const files = { 'a.txt': 'saved\n', 'p.png': Buffer.from('89504e470d0a1a0a0000000d', 'hex') };
    const script = [call('read_file', { file_path: 'a.txt' }), call('read_file', { file_path: 'p.png' }), say('ok')];
    await using scene = await openScene(script, { capabilities: FS, files });
    await scene.editor.prompt(scene.session, 'go');
    expect(JSON.stringify(scene.model.requests[1]!.body.contents)).toContain('saved');
    expect(scene.editor.reads).toEqual([join(scene.workspace.project, 'a.txt')]);
  });
});

describe('a file that only the editor has', () => {
  const replace = { file_path: 'new.txt', old_string: 'unsaved', new_string: 'edited', instruction: 'x' };

  variants.each<[string, string, Script, string]>([
    ['is read', 'read it', [call('read_file', { file_path: 'new.txt' }), say('ok')], 'unsaved words'],
    ['is changed', 'change it', [call('replace', replace), say('ok')], 'edited words'],
    ['is named in a prompt', 'see @new.txt', [say('ok')], 'unsaved words'],
  ])('%s', async (_name, prompt, script, told) => {
    await using scene = await openScene(script, {
      capabilities: FS,
      args: ['--yolo'],
      unsaved: { 'new.txt': 'unsaved words\n' },
    });
    const { editor, session, model } = scene;
    await editor.prompt(session, prompt);
    expect(JSON.stringify(model.requests.at(-1)!.body.contents)).toContain(told);
  });

  it('is shown as the old text when it is overwritten', { tags: 'wide' }, async () => {
    const script = [call('write_file', { file_path: 'new.txt', content: 'mine\n' }), say('ok')];
    await using scene = await openScene(script, { capabilities: FS, unsaved: { 'new.txt': 'unsaved\n' } });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.permissions).toMatchObject([
      { toolCall: { content: [{ type: 'diff', oldText: 'unsaved\n', newText: 'mine\n' }] } },
    ]);
  });
});

describe('an editor that cannot read a file', () => {
  const failing = { capabilities: FS, args: ['--yolo'], files: { 'a.txt': 'saved\n' } };

  it('is told of, and the file on disk is read', async () => {
    await using scene = await openScene(READ(), { ...failing, unsaved: { 'a.txt': new Error('buffer is locked') } });
    await scene.editor.prompt(scene.session, 'go');
    expect(JSON.stringify(lastParts(scene.model))).toContain('saved');
    expect(scene.editor.text('agent_thought_chunk')).toContain(
      `The editor could not read ${join(scene.workspace.project, 'a.txt')}: buffer is locked. Castor uses the file on disk`,
    );
  });

  it('keeps the file from being overwritten', { tags: 'wide' }, async () => {
    const script = [call('write_file', { file_path: 'a.txt', content: 'mine' }), say('ok')];
    await using scene = await openScene(script, { ...failing, unsaved: { 'a.txt': new Error('buffer is locked') } });
    await scene.editor.prompt(scene.session, 'go');
    expect(scene.editor.writes).toEqual([]);
    expect(JSON.stringify(lastParts(scene.model))).toContain('buffer is locked. It may have unsaved text');
  });
});

it(
  'an answer without a text is a failure of the editor: nothing is written, and no file is read in silence',
  { tags: 'wide' },
  async () => {
    const answers = [{}, { content: null }, { content: 5 }, null];
    const tools = answers.flatMap(() => [
      call('read_file', { file_path: 'a.txt' }),
      call('write_file', { file_path: 'a.txt', content: 'mine' }),
      say('ok'),
    ]);
    await using scene = await openScene(tools, { capabilities: FS, args: ['--yolo'], files: { 'a.txt': 'saved\n' } });
    const { editor, session, buffers, workspace, model } = scene;
    const path = join(workspace.project, 'a.txt');
    for (const raw of answers) {
      buffers.set(path, { raw });
      await editor.prompt(session, 'go');
      const said = `The editor could not read ${path}: its answer has no text.`;
      expect(JSON.stringify(lastParts(model))).toContain(`${said} It may have unsaved text`);
      expect(editor.text('agent_thought_chunk')).toContain(`${said} Castor uses the file on disk`);
    }
    expect(editor.writes).toEqual([]);
  },
);

describe('terminals', () => {
  const TERMINAL = { terminal: true };
  const RUN = () => [call('run_shell_command', { command: 'npm test' }, { id: 'c1' }), say('ok')];

  it('run commands where the user sees them', async () => {
    await using scene = await openScene(RUN(), {
      capabilities: TERMINAL,
      args: ['--yolo'],
      onTerminal: () => ({ output: 'all green', exitCode: 3 }),
    });
    const { editor, session, workspace, model } = scene;
    await editor.prompt(session, 'go');
    await editor.until(() => editor.terminals[0]?.released === true);
    const [terminal] = editor.terminals;
    expect(terminal).toMatchObject({ sessionId: session, cwd: workspace.project, released: true });
    expect([terminal!.command, ...terminal!.args!].slice(-3)).toEqual(['bash', '-c', 'npm test']);
    expect(editor.calls()).toMatchObject([
      { content: [{ type: 'terminal', terminalId: 't1' }], statuses: ['pending', 'in_progress', 'completed'] },
    ]);
    expect(JSON.stringify(lastParts(model))).toMatch(/all green.*Exit Code: 3/);
  });

  it('that cannot be opened are told in a sentence', { tags: 'wide' }, async () => {
    const runs = [new Error('no terminals left'), { raw: {} }, { raw: null }];
    const script = runs.flatMap(() => RUN());
    const onTerminal = () => runs.shift()!;
    await using scene = await openScene(script, { capabilities: TERMINAL, args: ['--yolo'], onTerminal });
    const { editor, session, model } = scene;
    for (const why of ['no terminals left', 'its answer has no id.', 'its answer has no id.']) {
      await editor.prompt(session, 'go');
      const said = `The editor could not open a terminal, so the command did not run: ${why}`;
      expect(JSON.stringify(lastParts(model))).toContain(said);
      expect(JSON.stringify(editor.calls().at(-1)!.content)).toContain(said);
    }
  });

  it('may tell the exit code only at the exit', { tags: 'wide' }, async () => {
    const onTerminal = () => ({ output: 'red', exitCode: 3, toldBy: 'exit' }) as const;
    await using scene = await openScene(RUN(), { capabilities: TERMINAL, args: ['--yolo'], onTerminal });
    await scene.editor.prompt(scene.session, 'go');
    expect(JSON.stringify(lastParts(scene.model))).toContain('Exit Code: 3');
  });

  it('do not receive our credentials', { tags: 'wide' }, async () => {
    await using scene = await openScene(RUN(), { capabilities: TERMINAL, args: ['--yolo'] });
    await scene.editor.prompt(scene.session, 'go');
    const { command, args = [], env = [] } = scene.editor.terminals[0]!;
    expect([command, ...args].join(' ')).toContain('env -u GEMINI_API_KEY');
    expect(env.map(({ name }) => name)).not.toContain('GEMINI_API_KEY');
    expect(env).toContainEqual({ name: 'PAGER', value: 'cat' });
  });

  it('are killed when the prompt is cancelled', { tags: 'wide' }, async () => {
    await using scene = await openScene(RUN(), { capabilities: TERMINAL, args: ['--yolo'], onTerminal: () => 'hang' });
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => editor.calls().some(({ content }) => content.length > 0));
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    await editor.until(() => editor.terminals[0]?.released === true);
    expect(editor.terminals).toMatchObject([{ killed: true }]);
  });

  it('that are opened after the prompt was cancelled are closed again', { tags: 'wide' }, async () => {
    const opened = Promise.withResolvers<'hang'>();
    const options = { capabilities: TERMINAL, args: ['--yolo'], onTerminal: () => opened.promise };
    await using scene = await openScene(RUN(), options);
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    await editor.until(() => editor.terminals.length === 1);
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    opened.resolve('hang');
    await editor.until(() => editor.terminals[0]?.released === true);
  });

  it('are read as text: what would move a cursor is taken away', { tags: 'wide' }, async () => {
    const output = '\u001b[31mred\u001b[0m\r\nprogress 1\rprogress 2\n';
    const options = { capabilities: TERMINAL, args: ['--yolo'], onTerminal: () => ({ output, exitCode: 0 }) };
    await using scene = await openScene(RUN(), options);
    await scene.editor.prompt(scene.session, 'go');
    const told = JSON.stringify(lastParts(scene.model));
    expect(told).toContain('red');
    expect(told).not.toMatch(/u001b|\\r/);
  });
});

describe('an editor that never answers', () => {
  variants.each<[string, ClientCapabilities, string, Record<string, unknown>]>([
    ['fs/read_text_file', { fs: { readTextFile: true } }, 'read_file', { file_path: 'a.txt' }],
    ['fs/write_text_file', { fs: { writeTextFile: true } }, 'write_file', { file_path: 'b.txt', content: 'b' }],
    ['terminal/create', { terminal: true }, 'run_shell_command', { command: 'true' }],
    ['terminal/kill', { terminal: true }, 'run_shell_command', { command: 'true' }],
  ])('%s: the prompt can be cancelled, and the next one runs', async (method, capabilities, tool, args) => {
    const script = [call(tool, args), say('next')];
    const options = { files: { 'a.txt': 'a' }, args: ['--yolo'], capabilities, unanswered: [method] };
    await using scene = await openScene(script, { ...options, onTerminal: () => 'hang' });
    const { editor, session } = scene;
    const prompt = editor.prompt(session, 'go');
    // A terminal is killed after it was opened.
    const isAsked = () => editor.ignored.length > 0 || editor.calls().some(({ content }) => content.length > 0);
    await editor.until(isAsked);
    await editor.notify('session/cancel', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(editor.calls()).toMatchObject([{ statuses: ['pending', 'in_progress', 'failed'] }]);
    expect(await editor.prompt(session, 'again')).toMatchObject({ stopReason: 'end_turn' });
  });
});

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, call, fakeModel, say } from '@castor/testkit';
import type { Workspace as Folder } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { openSession } from './open-session.ts';
import { listRewindPoints, revertEdits, rewindTo } from './rewind.ts';
import { createWorkspaceAgent } from '../agent/workspace-agent.ts';

let folder: Folder;

beforeEach(async () => {
  folder = await createWorkspace({ files: { 'notes.txt': 'one\r\ntwo\r\nthree\r\n' } });
});

afterEach(() => folder.dispose());

const write = (content: string) => call('write_file', { file_path: 'new.txt', content });
const edit = (from: string, to: string) =>
  call('replace', { file_path: 'notes.txt', old_string: from, new_string: to, instruction: 'change it' });

/** An agent that was asked "First", which edited twice, and "Second", which edited once more. */
async function openAgent(options: { resume?: string } = {}) {
  const { home, project: root } = folder;
  await using model = await fakeModel([edit('two', 'TWO'), write('new\n'), say('ok'), edit('TWO', '2'), say('ok')]);
  const session = await openSession({ home, root, ...options });
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    model: 'gemini-2.5-pro',
    sessionId: session.sessionId,
    session,
    root,
    home,
    environment: {},
    approvalMode: 'yolo',
  });
  if (session.origin === 'new') {
    for (const text of ['First', 'Second']) {
      for await (const _event of agent.session.prompt(text, new AbortController().signal)) continue;
    }
  }
  return { agent, recorder: session.recorder };
}

const editsOf = ({ edits }: { edits: readonly { path: string }[] }) =>
  edits.map(({ path }) => path.slice(folder.project.length + 1));

describe('going back', () => {
  it('knows the messages of the person and the edits since each of them', async () => {
    const { agent, recorder } = await openAgent();
    const points = listRewindPoints({ chat: agent.chat, recorder });
    expect(points.map((point) => [point.text, editsOf(point)])).toEqual([
      ['First', ['notes.txt', 'new.txt', 'notes.txt']],
      ['Second', ['notes.txt']],
    ]);
    await agent.dispose();
  });

  it('reaches every prompt of a session that runs of one prompt went on with, also of an older one', async () => {
    const { home, project: root } = folder;
    const created = await openSession({ home, root });
    const { sessionId } = created;
    const turn = (id: string, prompt_id: string) => [
      { id: `u-${id}`, type: 'user', content: [{ text: id }], prompt_id },
      { id: `g-${id}`, type: 'gemini', content: [{ text: 'ok' }], prompt_id },
    ];
    const old = [...turn('One', sessionId), ...turn('Two', sessionId)];
    const isNew = [...turn('Three', `${sessionId}########7`), ...turn('added', `${sessionId}########7`)];
    for (const message of [...old, ...isNew]) created.recorder.kept(message);
    created.recorder.close();
    const { agent, recorder } = await openAgent({ resume: sessionId });
    expect(listRewindPoints({ chat: agent.chat, recorder }).map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
    await agent.dispose();
  });

  it('gives every file back as it was, line ends included, and removes those that were new', async () => {
    const { agent, recorder } = await openAgent();
    const [first] = listRewindPoints({ chat: agent.chat, recorder });
    const result = await revertEdits(first!.edits, agent.workspace);
    expect([result.problems, await folder.read('notes.txt'), await readdir(folder.project)]).toEqual([
      [],
      'one\r\ntwo\r\nthree\r\n',
      ['notes.txt'],
    ]);
    await agent.dispose();
  });

  it('gives back bytes that are no text, which no diff could', { tags: 'wide' }, async () => {
    const bytes = Buffer.from('caf\xe9\r\n', 'latin1');
    await writeFile(join(folder.project, 'new.txt'), bytes);
    const { agent, recorder } = await openAgent();
    const [first] = listRewindPoints({ chat: agent.chat, recorder });
    const result = await revertEdits(first!.edits, agent.workspace);
    expect([result.problems, await readFile(join(folder.project, 'new.txt'))]).toEqual([[], bytes]);
    await agent.dispose();
  });

  it('takes back an edit whose program was killed before it could say so', async () => {
    const { agent, recorder } = await openAgent();
    await agent.dispose();
    // The last result, and all after it, was never written.
    const lines = (await readFile(recorder.path, 'utf8')).split('\n');
    const last = lines.findLastIndex((line) => line.includes('$fileChange'));
    await writeFile(recorder.path, `${lines.slice(0, last + 1).join('\n')}\n`);
    const again = await openAgent({ resume: 'latest' });
    const [, second] = listRewindPoints({ chat: again.agent.chat, recorder: again.recorder });
    expect(await revertEdits(second!.edits, again.agent.workspace)).toMatchObject({ problems: [] });
    expect(await folder.read('notes.txt')).toBe('one\r\nTWO\r\nthree\r\n');
    await again.agent.dispose();
  });

  it('goes by the diffs where nothing else was kept', { tags: 'wide' }, async () => {
    const { agent, recorder } = await openAgent();
    await rm(recorder.path.replace(/[^/]*$/, agent.session.sessionId), { recursive: true });
    const [first] = listRewindPoints({ chat: agent.chat, recorder });
    const result = await revertEdits(first!.edits, agent.workspace);
    expect([result.problems, await folder.read('notes.txt')]).toEqual([[], 'one\r\ntwo\r\nthree\r\n']);
    await agent.dispose();
  });

  it('leaves a file alone that another program has changed since', { tags: 'wide' }, async () => {
    const { agent, recorder } = await openAgent();
    await folder.write('notes.txt', 'one\r\nmine\r\nthree\r\n');
    const [, second] = listRewindPoints({ chat: agent.chat, recorder });
    const result = await revertEdits(second!.edits, agent.workspace);
    expect([result.reverted, result.problems, await folder.read('notes.txt')]).toEqual([
      [],
      [expect.stringContaining('was changed by another program')],
      'one\r\nmine\r\nthree\r\n',
    ]);
    await agent.dispose();
  });

  it('is remembered by the session, with the edits before it', { tags: 'wide' }, async () => {
    const { agent, recorder } = await openAgent();
    const [, second] = listRewindPoints({ chat: agent.chat, recorder });
    expect(rewindTo(second!, { chat: agent.chat, recorder })).toBe(true);
    await agent.dispose();
    const again = await openAgent({ resume: 'latest' });
    const points = listRewindPoints({ chat: again.agent.chat, recorder: again.recorder });
    expect(points.map((point) => [point.text, editsOf(point)])).toEqual([['First', ['notes.txt', 'new.txt']]]);
    expect(rewindTo(second!, { chat: again.agent.chat, recorder: again.recorder })).toBe(false);
    await again.agent.dispose();
  });
});

import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { computeSources } from '../config/sources.ts';
import { GeminiChat } from '../chat/gemini-chat.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { Workspace } from '../tools/files/workspace.ts';
import { WorkspaceContext } from './context-workspace.ts';
import type { WorkspaceContextOptions } from './context-workspace.ts';

interface Given extends Partial<WorkspaceContextOptions> {
  trustedFolder?: boolean | undefined;
}

async function open(given: Given = {}) {
  const { trustedFolder, ...options } = { trustedFolder: true, ...given };
  const files = await createWorkspace({
    files: { 'GEMINI.md': 'old', 'a/GEMINI.md': 'in a', 'a/x': '' },
    homeFiles: { '.gemini/GEMINI.md': 'mine' },
  });
  onTestFinished(files.dispose);
  const { home, project: root } = files;
  const workspace = new Workspace({ root, tempDirectory: join(home, 't'), ignore: await IgnoreRules.load(root) });
  const context = await WorkspaceContext.load({
    workspace,
    home,
    sources: computeSources({ home, root, trustedFolder, platform: process.platform }),
    interactive: false,
    isGitRepository: false,
    now: () => new Date(0),
    ...options,
  });
  const chat = new GeminiChat({ generator: {} as ContentGenerator, model: 'm', history: [context.firstMessage] });
  return { ...files, context, chat, touch: async () => context.resultContext?.([join(root, 'a', 'x')]) };
}

describe('what the model is told of a workspace', () => {
  it('is read again, into the first message while it is ours', async () => {
    await using env = await open();
    env.chat.addHistory({ role: 'user', parts: [{ text: 'hi' }] });
    await env.write('GEMINI.md', 'new');
    await env.context.reload(env.chat);
    const [first, ...rest] = env.chat.getHistory();
    expect(first?.parts?.[0]?.text).toContain('\nnew\n');
    expect(rest).toEqual([{ role: 'user', parts: [{ text: 'hi' }] }]);
    expect(env.context.systemInstruction).toContain('\nmine\n');
  });

  it('of a sub-directory is told again once the results that said it are gone', async () => {
    await using env = await open();
    const told = [await env.touch(), await env.touch()];
    env.context.forgetNearby();
    told.push(await env.touch());
    expect(told.map((text) => text?.includes('in a'))).toEqual([true, undefined, true]);
    expect(env.context.loaded.files.map(({ path }) => path.replace(`${env.root}/`, ''))).toEqual([
      'home/.gemini/GEMINI.md',
      'project/GEMINI.md',
      'project/a/GEMINI.md',
    ]);
  });

  it.each([undefined, false])('is nothing of a sub-directory with trust %j', async (trustedFolder) => {
    await using env = await open({ trustedFolder });
    expect(env.context.resultContext).toBeUndefined();
  });

  it('can be a system prompt of the user’s own, and ours is written out', async () => {
    await using files = await createWorkspace({ files: { 'own.md': '\uFEFFYou are a cook.\n' } });
    const written = join(files.project, 'out', 'system.md');
    await using env = await open({ systemPrompt: { file: join(files.project, 'own.md'), writeTo: written } });
    expect(env.context.systemInstruction).toMatch(/^You are a cook\.\n/);
    expect(await files.read('out/system.md')).toMatch(/^You are Castor/);
  });

  it.each([undefined, false])('is no system prompt of the folder with trust %j', async (trustedFolder) => {
    await using files = await createWorkspace({ files: { '.gemini/system.md': 'Obey the repository.' } });
    const workspace = new Workspace({ root: files.project, tempDirectory: files.home });
    const file = join(files.project, '.gemini', 'system.md');
    await expect(open({ workspace, trustedFolder, systemPrompt: { file } })).rejects.toThrow(
      /system\.md was ignored, because this folder is not trusted/,
    );
  });

  it.each([
    ['is not there', 'no.md', /no\.md is invalid: no such file/],
    ['is a directory', 'd', /is not a regular file/],
    ['is empty', 'd/empty.md', /is empty/],
  ])('must not be a system prompt that %s', async (_, name, message) => {
    await using files = await createWorkspace({ files: { 'd/empty.md': '\n' } });
    await expect(open({ systemPrompt: { file: join(files.project, name) } })).rejects.toThrow(message);
  });
});

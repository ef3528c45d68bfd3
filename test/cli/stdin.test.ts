import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/castor.cjs', import.meta.url));

/** What the model was sent last. */
async function sentWith(args: string[], stdin: string | Uint8Array) {
  await using model = await fakeModel([say('ok')]);
  const { code } = await runCli(args, { model, stdin });
  return { code, sent: model.requests[0]?.body.contents.at(-1).parts.at(-1).text as string | undefined };
}

describe('stdin', () => {
  variants.each<[string, string[], string | Uint8Array, string]>([
    ['comes before the prompt', ['-p', 'ask'], 'data', 'data\n\nask'],
    ['is the prompt when there is no other', [], 'ask', 'ask'],
    ['is the prompt beside an empty -p', ['-p'], 'ask', 'ask'],
    ['may hold NUL', ['-p', 'ask'], 'a\0b', 'a\ufffdb\n\nask'],
    [
      'may hold bytes that are no text',
      ['-p', 'ask'],
      new Uint8Array([0x61, 0xff, 0xfe, 0x62]),
      'a\ufffd\ufffdb\n\nask',
    ],
    ['may begin with what looks like a command', ['-p', 'ask'], '/quit', '/quit\n\nask'],
    ['may hold @ that means nothing', ['-p', 'ask'], 'me@example.com', 'me@example.com\n\nask'],
  ])('%s', async (_, args, stdin, sent) => {
    expect(await sentWith(args, stdin)).toEqual({ code: 0, sent });
  });

  it('that is empty, with no prompt, is nothing to answer', async () => {
    await using model = await fakeModel([]);
    expect(await runCli([], { model, stdin: ' \n' })).toMatchObject({ code: 42, stdout: '' });
  });

  it('that never says anything is nothing to answer, after a moment', async () => {
    await using model = await fakeModel([]);
    expect(await runCli([], { model, keepStdinOpen: true })).toMatchObject({ code: 42, stdout: '' });
  });

  variants.each<[string, 'ignore' | 'closed' | 'folder']>([
    ['the null device', 'ignore'],
    ['no descriptor at all', 'closed'],
    ['a folder', 'folder'],
  ])('that is %s does not keep a prompt from being answered', async (_, kind) => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('ok')]);
    const folder = openSync('/', 'r');
    const command = kind === 'closed' ? ['sh', '-c', 'exec "$0" "$@" <&-'] : [];
    const child = spawn('env', [...command, process.execPath, PROGRAM, '-p', 'hi'], {
      cwd: workspace.project,
      env: { PATH: process.env['PATH'], HOME: workspace.home, GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: model.url },
      stdio: [kind === 'folder' ? folder : 'ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    const [code] = (await once(child, 'close')) as [number];
    closeSync(folder);
    expect([stdout, code]).toEqual(['ok\n', 0]);
  });
});

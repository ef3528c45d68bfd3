import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

interface Given {
  files?: Record<string, string>;
  homeFiles?: Record<string, string>;
  stdin?: string | Uint8Array;
}

async function castor(args: string[], { files = {}, homeFiles = {}, stdin }: Given = {}) {
  await using workspace = await createWorkspace({ files, homeFiles });
  await using model = await fakeModel([say('asked')]);
  const { code, stdout, stderr } = await runCli([...args, '--skip-trust'], {
    model,
    workspace,
    ...(stdin !== undefined && { stdin }),
  });
  const bodies = model.requests.map(({ body }) => body as { contents: { parts: { text: string }[] }[] });
  const sent = bodies[0]?.contents
    .at(-1)
    ?.parts.map(({ text }) => text)
    .filter((text) => !text.startsWith('<session_context>'));
  return { code, stdout, stderr, sent, hasRun: existsSync(join(workspace.project, 'ran')) };
}

describe('words in a prompt of castor -p', () => {
  it('@path adds the file', async () => {
    const { code, stdout, sent } = await castor(['-p', 'explain @a.txt'], { files: { 'a.txt': 'A\n' } });
    expect({ code, stdout, sent }).toEqual({
      code: 0,
      stdout: 'asked\n',
      sent: [
        'explain @a.txt',
        '\n--- Content from referenced files ---',
        '\nContent from @a.txt:\n',
        'A\n',
        '\n--- End of content ---',
      ],
    });
  });

  it('@path that is left out is said on stderr', { tags: 'wide' }, async () => {
    const { stderr, sent } = await castor(['-p', '@/etc/hosts']);
    expect(stderr).toBe('castor: @/etc/hosts was skipped: it is outside the workspace.\n');
    expect(sent?.at(-1)).toBe('@/etc/hosts');
  });

  it('!command answers with what it printed, and asks no model', async () => {
    expect(await castor(['-p', '!echo hello'])).toEqual({
      code: 0,
      stdout: 'hello\n',
      stderr: '',
      sent: undefined,
      hasRun: false,
    });
    expect(await castor(['-p', '!false'])).toMatchObject({ code: 1, sent: undefined });
    const { stdout } = await castor(['-p', '!false', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ error: { type: 'CommandFailedError', code: 1 } });
  });

  it('/policies list names the server of a rule', { tags: 'wide' }, async () => {
    const { stdout } = await castor(['-p', '/policies list'], {
      homeFiles: {
        '.gemini/settings.json': JSON.stringify({ mcp: { allowed: ['web'] } }),
        '.gemini/policies/mine.toml': '[[rule]]\nmcpName = "stub"\ntoolName = "*"\ndecision = "allow"\npriority = 5\n',
      },
    });
    expect(stdout).toMatch(/allow {5}mcp stub \* +\S*mine\.toml:\d+/);
    expect(stdout).toMatch(/allow {5}mcp web \* +settings: mcp\.allowed/);
    expect(stdout).not.toMatch(/allow {5}\* +(?:\S*mine\.toml|settings: mcp)/);
  });

  it('!command that changes things does not run without a user', { tags: 'wide' }, async () => {
    const { code, stderr, hasRun } = await castor(['-p', '!touch ran']);
    expect({ code, hasRun }).toEqual({ code: 42, hasRun: false });
    expect(stderr).toContain('!touch ran was not run: without a terminal');
    expect(await castor(['-y', '-p', '!touch ran'])).toMatchObject({ code: 0, hasRun: true, sent: undefined });
  });

  it('!command is known to the model when the session goes on', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('You ran echo.')]);
    await runCli(['-p', '!echo hello'], { model, workspace });
    const { code, stderr } = await runCli(['-r', 'latest', '-p', 'What did I run?'], { model, workspace });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.stringify(model.requests[0]?.body)).toContain(
      'I ran the following shell command:\\n```sh\\necho hello\\n```\\n\\nThis produced the following result:\\n```\\nhello\\n```',
    );
  });

  it('piped data holds no commands', async () => {
    const { sent } = await castor(['-p', 'explain'], { files: { a: '1' }, stdin: '!touch ran\n@a\n/help\n' });
    expect(sent?.at(-1)).toBe('!touch ran\n@a\n/help\n\n\nexplain');
  });

  it('bytes that are no text are sent as such', { tags: 'wide' }, async () => {
    const { code, sent } = await castor([], { stdin: Buffer.from([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x62]) });
    expect(code).toBe(0);
    expect(sent?.at(-1)).toMatch(/^a\uFFFD+b$/);
  });
});

describe('slash commands of castor -p', () => {
  variants.each<[string, Given, RegExp]>([
    ['/help', {}, /^Commands:\n/],
    ['/memory show', { files: { 'GEMINI.md': 'Use tabs.' } }, /--- Context from: GEMINI\.md ---\nUse tabs\.\n/],
    ['/stats', {}, /^Session {2}.* 0 requests · \$0\n/],
  ])('%s answers and asks no model', async (text, given, expected) => {
    const { code, stdout, stderr, sent } = await castor(['-p', text], given);
    expect({ code, stderr, sent }).toEqual({ code: 0, stderr: '', sent: undefined });
    expect(stdout).toMatch(expected);
  });

  variants.each(['/theme', '/quit', '/permissions trust', '/clear'])('%s needs a screen: exit 42', async (text) => {
    expect(await castor(['-p', text])).toMatchObject({
      code: 42,
      stdout: '',
      stderr: expect.stringMatching(/^castor: \/[a-z ]+ needs a terminal\. /),
      sent: undefined,
    });
  });

  variants.each(['/home/me/x is broken', '/nope', '// why?'])('%s is words for the model', async (text) => {
    expect(await castor(['-p', text])).toMatchObject({ code: 0, stdout: 'asked\n', sent: [text] });
  });

  it('of the user’s own send their prompt', async () => {
    const homeFiles = {
      '.gemini/commands/git/review.toml': 'prompt = """Review {{args}}: !{echo 3 files} @{rules.md}"""',
      '.gemini/commands/bad.toml': 'prompt = ',
    };
    const given = { homeFiles, files: { 'rules.md': 'Be kind.' } };
    const { code, sent } = await castor(['-p', '/git:review the diff'], given);
    expect({ code, sent }).toEqual({ code: 0, sent: ['Review the diff: 3 files Be kind.'] });
    const list = await castor(['-p', '/commands'], given);
    expect(list.stdout).toMatch(/\/git:review[^]*bad\.toml: line 1: the command was skipped/);
  });

  it('of a project run nothing that was not allowed', async () => {
    const files = { '.gemini/commands/x.toml': 'prompt = "!{touch ran}"' };
    const { code, stderr, hasRun, sent } = await castor(['-p', '/x'], { files });
    expect({ code, hasRun, sent }).toEqual({ code: 42, hasRun: false, sent: undefined });
    expect(stderr).toContain('/x was not sent: it wants to run "touch ran", and a headless run cannot ask.');
  });
});

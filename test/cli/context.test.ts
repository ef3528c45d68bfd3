import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

interface Sent {
  systemInstruction?: { parts: { text: string }[] };
  contents: { role: string; parts: { text?: string }[] }[];
  tools?: unknown[];
}

type Files = Record<string, string>;

async function firstRequest(files: Files, homeFiles: Files, args: string[] = ['--skip-trust'], env = {}) {
  await using workspace = await createWorkspace({ files, homeFiles });
  await using model = await fakeModel([say('ok')]);
  const { code, stderr } = await runCli(['-p', 'hi', ...args], { model, workspace, env });
  const sent = model.requests.map(({ body }) => body as unknown as Sent);
  return {
    code,
    stderr,
    requests: sent.length,
    system: sent[0]?.systemInstruction?.parts.map(({ text }) => text).join('') ?? '',
    first: sent[0]?.contents[0]?.parts[0]?.text ?? '',
    bytes: Buffer.byteLength(JSON.stringify(sent[0] ?? {})),
  };
}

describe('the first request', () => {
  variants.each([[[]], [['--yolo']]])(
    'of a run with %j in an empty folder is small, and the only one',
    async (flags) => {
      const { code, requests, bytes } = await firstRequest({}, {}, flags);
      expect({ code, requests }).toEqual({ code: 0, requests: 1 });
      // All tools, the system instruction and the first message: every request pays for them.
      expect(bytes).toBeLessThan(12_000);
    },
  );

  it('carries the user’s instructions in the system instruction and the project’s in the first message', async () => {
    const { system, first, stderr } = await firstRequest(
      { 'GEMINI.md': 'Use tabs.\n@./more.md\n@../out.md', 'more.md': 'And CRLF.\n' },
      { '.gemini/GEMINI.md': 'Be brief.' },
    );
    expect(system).toContain('<global_context>\n--- Context from: ~/.gemini/GEMINI.md ---\nBe brief.\n');
    expect(first).toContain(
      '<project_context>\n--- Context from: GEMINI.md ---\nUse tabs.\n<!-- Imported from: ./more.md -->\nAnd CRLF.\n<!-- End of import from: ./more.md -->\n<!-- Import failed: ../out.md - no such file -->\n--- End of Context from: GEMINI.md ---\n</project_context>\n</loaded_context>\n</session_context>',
    );
    expect(stderr).toBe('castor: warning: GEMINI.md, line 3: ../out.md was not imported: no such file.\n');
  });

  it('carries exactly what /memory show says', async () => {
    const files = {
      'GEMINI.md': 'one\n@./a.md\n',
      'AGENTS.md': 'not read',
      'a.md': 'two @./b.md @GEMINI.md',
      'b.md': '@./a.md three',
    };
    const homeFiles = { '.gemini/AGENTS.md': 'four' };
    const { system, first } = await firstRequest(files, homeFiles);
    await using workspace = await createWorkspace({ files, homeFiles });
    await using model = await fakeModel([]);
    const { stdout } = await runCli(['--skip-trust', '-p', '/memory show'], { workspace, model });
    const [, ...shown] = stdout.split(/(?=<loaded_context>)/).map((text) => text.trim());
    expect(shown).toHaveLength(2);
    expect([system, first].map((text, index) => text.includes(shown[index]!))).toEqual([true, true]);
    expect(first).not.toContain('not read');
  });

  it('carries nothing of an untrusted folder, and says so', async () => {
    const { first, stderr, code } = await firstRequest({ 'AGENTS.md': 'Obey me.' }, {}, []);
    expect(first).not.toContain('Obey me.');
    expect(stderr).toBe(
      'castor: warning: AGENTS.md was skipped, because this folder is not trusted. Trust it, or use --skip-trust for one run.\n',
    );
    expect(code).toBe(0);
  });
});

describe('GEMINI_SYSTEM_MD', () => {
  const files = { '.gemini/system.md': 'You are a poet.', 'own.md': 'You are a cook.' };

  variants.each([
    ['true', /^You are a poet\./],
    ['own.md', /^You are a cook\./],
    ['0', /^You are Castor/],
  ])('of %s gives the system prompt', async (value, expected) => {
    const home = { '.gemini/GEMINI.md': 'mine' };
    const { system } = await firstRequest(files, home, ['--skip-trust'], { GEMINI_SYSTEM_MD: value });
    expect(system).toMatch(expected);
    expect(system).toContain('\nmine\n');
  });

  variants.each(['true', 'own.md'])(
    'of %s is refused in an untrusted folder: it would be the folder’s',
    async (value) => {
      const { code, stderr, requests } = await firstRequest(files, {}, [], { GEMINI_SYSTEM_MD: value });
      expect({ code, requests }).toEqual({ code: 52, requests: 0 });
      expect(stderr).toMatch(/The system prompt .*\.md was ignored, because this folder is not trusted\./);
    },
  );

  it('of a file that is not there is an error that names it', async () => {
    const { code, stderr, requests } = await firstRequest({}, {}, ['--skip-trust'], { GEMINI_SYSTEM_MD: 'no.md' });
    expect({ code, requests }).toEqual({ code: 52, requests: 0 });
    expect(stderr).toMatch(/The system prompt .*no\.md is invalid: no such file\. Create it, or unset/);
  });
});

describe('context of a sub-directory', () => {
  variants.each([
    [['--skip-trust'], 1],
    [[], 0],
  ])('comes with the first result that touches it (%j)', async (flags, expected) => {
    await using workspace = await createWorkspace({ files: { 'a/GEMINI.md': 'Only ASCII here.', 'a/x.txt': 'x' } });
    await using model = await fakeModel([
      answer(call('read_file', { file_path: 'a/x.txt' }, { id: '1' })),
      answer(call('list_directory', { dir_path: 'a' }, { id: '2' })),
      say('done'),
    ]);
    await runCli(['-p', 'hi', ...flags], { model, workspace });
    const last = JSON.stringify(model.requests.at(-1)?.body);
    expect(last.split('Only ASCII here.').length - 1).toBe(expected);
  });
});

describe('a file the person keeps from the model', () => {
  it('is no context file either', async () => {
    const { first } = await firstRequest({ 'GEMINI.md': 'secret', '.geminiignore': 'GEMINI.md' }, {});
    expect(first).not.toContain('secret');
    const { first: kept } = await firstRequest({ 'GEMINI.md': 'mine', '.gitignore': 'GEMINI.md' }, {});
    expect(kept).toContain('\nmine\n');
  });
});

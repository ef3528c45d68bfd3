/**
 * The library as an engineer gets it: the published files in another project's node_modules, plain node, and the
 * compiler with nothing skipped. It runs README's example and every example of docs/library.md.
 */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answer, call, createWorkspace, fakeModel, jsonAnswer, say } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { variants } from './variants.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/.bin/tsc');

const PROGRAM = `
import { createAgent, createGeminiGenerator, createTranscript, defineTool, reduce, ToolRegistry } from '@castor/core';
import type { AgentEvent, ContentGenerator, ToolCallRequestInfo } from '@castor/core';

const generator: ContentGenerator = createGeminiGenerator({ apiKey: 'k', baseUrl: process.argv[2] });
const shout = defineTool({
  name: 'shout',
  kind: 'read',
  description: 'Makes a text loud.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => text.toUpperCase(),
});
const { session } = createAgent({
  generator,
  model: 'gemini-2.5-flash',
  tools: new ToolRegistry([shout]),
});
let transcript = createTranscript();
const calls: ToolCallRequestInfo[] = [];
for await (const event of session.prompt('hi', new AbortController().signal)) {
  const seen: AgentEvent = event;
  transcript = reduce(transcript, seen);
  if (event.type === 'tool_call_request') calls.push(event.value);
  if (event.type === 'content') process.stdout.write(event.value);
  // @ts-expect-error A content event holds a string: the union tells its members apart.
  if (event.type === 'content') event.value.callId;
}
process.stdout.write(\` after \${calls.length} call\`);
`;

/** What the model answers to an example of docs/library.md, and what the example then prints. */
const EXAMPLES: Record<string, { script: Step[]; prints: string | RegExp; files?: Record<string, string> }> = {
  'workspace.ts': {
    script: [answer(call('read_file', { file_path: 'notes.txt' }, { id: 'c' })), say('Milk.')],
    prints: 'calls read_file\nMilk.',
  },
  'tool.ts': {
    script: [answer(call('count_words', { texts: ['to be', 'or not to be'] }, { id: 'c' })), say('Six.')],
    prints: '2 so far\n6 so far\nSix.',
  },
  'structured.ts': {
    script: [say('Paris.'), say('{"capital":"Paris","people":2100000}')],
    prints: "completed { capital: 'Paris', people: 2100000 }\n",
  },
  'approvals.ts': {
    script: [
      answer(call('write_file', { file_path: 'hello.txt', content: 'hello' }, { id: 'a' })),
      answer(call('run_shell_command', { command: 'rm hello.txt' }, { id: 'b' })),
    ],
    prints: 'write_file: approved\nrun_shell_command: declined\ncancelled\n',
    files: { 'hello.txt': 'hello' },
  },
  'policy.ts': {
    script: [answer(call('deploy', { target: 'staging' }, { id: 'c' })), say('Done.')],
    prints: 'deployed to staging\n',
  },
  'cancelling.ts': { script: [say('Once upon a time'), say('The end.')], prints: 'cancelled\ncompleted\n' },
  'errors.ts': {
    script: [
      jsonAnswer(400, { error: { code: 400, message: 'Too odd.', status: 'INVALID_ARGUMENT' } }),
      jsonAnswer(401, { error: { code: 401, message: 'No.', status: 'UNAUTHENTICATED' } }),
    ],
    prints: /^First\? failed with status 400: .*Too odd\..*\n(?:.*\n)*The key was rejected\.\n$/,
  },
  'budgets.ts': {
    script: [answer(call('now', {}, { id: 'c' }))],
    prints: /^budget_exceeded turns 1\n\d+ tokens\n$/,
  },
  'events.ts': {
    script: [answer(call('research', { question: 'Why?' }, { id: 'c' })), say('Scattering.'), say('It scatters.')],
    prints: 'c: Scattering.\nanswer: It scatters.\n{"type":"mode_changed","mode":"plan"}\n',
  },
  'sessions.ts': {
    script: [say('Hello Ada.'), say('Ada.')],
    prints: 'My name is Ada.\nAda.\n',
  },
  'builtin-tools.ts': {
    script: [answer(call('write_file', { file_path: 'notes.txt', content: '' }, { id: 'c' })), say('I may not.')],
    prints: /it may read and search only\.\n0 42\n$/,
    files: { 'notes.txt': 'milk\n' },
  },
};

/** The blocks of a page that begin with their file's name, by it. */
function toPrograms(page: string): Record<string, string> {
  const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block ?? '');
  return Object.fromEntries(blocks.map((block) => [/^\/\/ (\S+\.ts)\n/.exec(block)?.[1] ?? 'unnamed', block]));
}

describe('the library in a project of its own', () => {
  let project: string;
  let programs: Record<string, string>;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'castor-library-'));
    const installed = join(project, 'node_modules/@castor/core');
    await mkdir(installed, { recursive: true });
    const manifest = join(ROOT, 'packages/core/package.json');
    await cp(manifest, join(installed, 'package.json'));
    // Same files as with the check, which `npm run check` makes of the same sources and which costs most of the build.
    const emit = [
      '-p',
      join(ROOT, 'packages/core/tsconfig.build.json'),
      '--noCheck',
      '--outDir',
      join(installed, 'dist'),
    ];
    await run(TSC, emit);
    const { dependencies } = JSON.parse(await readFile(manifest, 'utf8')) as { dependencies: Record<string, string> };
    for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
      const target = join(project, 'node_modules', name);
      await mkdir(dirname(target), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), target);
    }
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project, 'program.ts'), PROGRAM);
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    await writeFile(join(project, 'readme.ts'), /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '');
    programs = toPrograms(await readFile(join(ROOT, 'docs/library.md'), 'utf8'));
    for (const [name, text] of Object.entries(programs)) await writeFile(join(project, name), text);
    // A compiler on a busy machine.
  }, 300_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  /** Every example loads the same modules: Node compiles them once. */
  const environment = () => ({ PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(project, 'compiled') });

  it('compiles against the declarations, theirs checked too', async () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable'],
      strict: true,
      exactOptionalPropertyTypes: false,
      skipLibCheck: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ['node'],
    };
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts', 'readme.ts', ...Object.keys(programs)] }),
    );
    const { stdout } = await run(TSC, ['-p', project]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('runs with plain node', async () => {
    await using model = await fakeModel([answer(call('shout', { text: 'hi' }, { id: 'c' })), say('HI')]);
    const { stdout, stderr } = await run(process.execPath, [join(project, 'program.ts'), model.url], {
      cwd: project,
      env: environment(),
    });
    expect([stdout, stderr]).toEqual(['HI after 1 call', '']);
    model.assertDone();
  });

  it('gives the program its own entry', async () => {
    const text = "console.log(typeof (await import('@castor/core/program')).loadConfiguration)";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], {
      cwd: project,
      env: environment(),
    });
    expect(stdout).toBe('function\n');
  });

  it('docs/library.md has no example without a name, and none that is not run', () => {
    expect(Object.keys(programs).toSorted()).toEqual(['generator.ts', ...Object.keys(EXAMPLES)].toSorted());
  });

  variants.each(Object.entries(EXAMPLES))('docs/library.md: %s', async (name, { script, prints, files = {} }) => {
    await using model = await fakeModel(script);
    await using folder = await createWorkspace({ files: { 'notes.txt': 'milk\n' } });
    const { stdout, stderr } = await run(process.execPath, [join(project, name)], {
      cwd: folder.project,
      env: {
        ...environment(),
        HOME: folder.home,
        GEMINI_API_KEY: 'k',
        GOOGLE_GEMINI_BASE_URL: model.url,
      },
    });
    expect(stderr).toBe('');
    if (typeof prints === 'string') expect(stdout).toBe(prints);
    else expect(stdout).toMatch(prints);
    for (const [path, content] of Object.entries(files)) expect(await folder.read(path)).toBe(content);
    model.assertDone();
  });

  const runReadme = (url: string) =>
    run(process.execPath, [join(project, 'readme.ts')], {
      cwd: project,
      env: { ...environment(), GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url },
    });

  it("README's example prints the answer", async () => {
    await using model = await fakeModel([say('Hello back.')]);
    const { stdout, stderr } = await runReadme(model.url);
    expect([stdout, stderr]).toEqual(['Hello back.', '']);
  });

  it("README's example reports a rejected key in one line and exits with 1", async () => {
    await using model = await fakeModel([
      jsonAnswer(400, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }),
    ]);
    const failure: { code?: number; stderr?: string } = await runReadme(model.url).catch((error: object) => error);
    expect([failure.code, failure.stderr]).toEqual([
      1,
      expect.stringMatching(/^The prompt ended with failed: .*API key not valid\..*\n$/),
    ]);
  });
});

import { createFakeClock, createWorkspace, toolContractCases } from '@castor/testkit';
import type { ContractSubject } from '@castor/testkit';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContentGenerator } from '../../provider/content-generator.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { FileStore } from '../files/file-store.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { ReadLedger } from '../files/read-ledger.ts';
import { BackgroundProcesses } from '../shell/background.ts';
import { createChildEnvironment } from '../shell/child-environment.ts';
import { ShellRunner } from '../shell/shell-runner.ts';
import { Workspace } from '../files/workspace.ts';
import { createBuiltinTools } from './index.ts';
import { createReadManyFilesTool } from './read-many-files.ts';

type Extras = Pick<ContractSubject, 'args' | 'path' | 'hugeArgs' | 'growingArgs'>;
type Files = Awaited<ReturnType<typeof createWorkspace>>;

/** What each tool is called with; a tool without an entry fails the suite. */
const CALLS: Readonly<Record<string, (files: Files, backgroundPid: number) => Extras>> = {
  list_directory: (files) => ({
    args: { dir_path: 'src' },
    path: { parameter: 'dir_path', kind: 'directory' },
    hugeArgs: async () => {
      // One by one and at once: three thousand promises of the thread pool take seconds.
      const folder = join(files.project, 'many');
      mkdirSync(folder);
      for (let index = 0; index < 3_000; index++) writeFileSync(join(folder, `${'n'.repeat(200)}${index}`), '');
      return { dir_path: 'many' };
    },
  }),
  read_file: (files) => ({
    args: { file_path: 'src/a.ts' },
    path: { parameter: 'file_path', kind: 'file' },
    hugeArgs: async () => {
      await files.write('huge.txt', `${'x'.repeat(3_000)}\n`.repeat(5_000));
      return { file_path: 'huge.txt' };
    },
  }),
  grep_search: (files) => ({
    args: { pattern: 'needle' },
    path: { parameter: 'dir_path', kind: 'directory' },
    hugeArgs: async () => {
      await files.write('huge.txt', `needle ${'x'.repeat(5_000_000)}\n`.repeat(3));
      return { pattern: 'needle', total_max_matches: 1_000_000 };
    },
  }),
  glob: () => ({ args: { pattern: '**/*.ts' }, path: { parameter: 'dir_path', kind: 'directory' } }),
  replace: () => ({
    args: { file_path: 'src/a.ts', instruction: 'rename', old_string: 'needle', new_string: 'pin' },
    path: { parameter: 'file_path', kind: 'file' },
    growingArgs: (path) => ({
      file_path: path,
      instruction: 'grow',
      old_string: 'old text',
      new_string: 'new text\n'.repeat(20_000),
    }),
  }),
  write_file: (files) => ({
    args: { file_path: 'src/new.ts', content: 'export {};\n' },
    path: { parameter: 'file_path', kind: 'file' },
    hugeArgs: async () => ({ file_path: join(files.project, 'big.txt'), content: 'line\n'.repeat(400_000) }),
    growingArgs: (path) => ({ file_path: path, content: 'new text\n'.repeat(20_000) }),
  }),
  web_fetch: () => ({ args: { prompt: 'Summarise https://example.com/page' } }),
  run_shell_command: () => ({
    args: { command: 'echo hello' },
    path: { parameter: 'dir_path', kind: 'directory' },
    hugeArgs: async () => ({ command: 'head -c 20000000 /dev/zero | tr "\\0" x' }),
  }),
  list_background_processes: () => ({ args: {} }),
  read_background_output: (_files, pid) => ({ args: { pid } }),
  google_web_search: () => ({ args: { query: 'beavers' } }),
  ask_user: () => ({ args: { questions: [{ question: 'Which?', header: 'Which', type: 'text' }] } }),
  write_todos: () => ({ args: { todos: [{ description: 'Look', status: 'in_progress' }] } }),
  exit_plan_mode: () => ({ args: { plan_filename: 'plan.md' } }),
  enter_plan_mode: () => ({ args: { reason: 'It is complex.' } }),
  read_many_files: () => ({ args: { include: ['src/**'] } }),
};

/** Gives no answer that is worth an assertion; a call may fail, but in the right way. */
const generator: ContentGenerator = {
  generateContent: async ({ config }) => {
    if (config?.abortSignal?.aborted) throw new DOMException('Aborted', 'AbortError');
    return { candidates: [{ content: { role: 'model', parts: [{ text: 'An answer.' }] } }] };
  },
  generateContentStream: () => Promise.reject(new Error('not used')),
  countTokens: () => Promise.reject(new Error('not used')),
  embedContent: () => Promise.reject(new Error('not used')),
};

async function openSubject(name: string): Promise<ContractSubject> {
  const files = await createWorkspace({ files: { 'src/a.ts': 'const needle = 1;\n', 'src/b.ts': 'export {};\n' } });
  const { tools, startBackground, dispose } = await openTools(files);
  const tool = tools.find((each) => each.name === name);
  const extras = CALLS[name]?.(files, name === 'read_background_output' ? await startBackground() : 0);
  if (!tool || !extras) throw new Error(`No call is written down for ${name}.`);
  return { tool, project: files.project, ...extras, [Symbol.asyncDispose]: dispose };
}

interface OpenedTools {
  tools: DefinedTool[];
  startBackground: () => Promise<number>;
  dispose: () => Promise<void>;
}

async function openTools(files: Files): Promise<OpenedTools> {
  const { project: root, home } = files;
  const tempDirectory = join(home, 'tmp');
  const plansDirectory = join(tempDirectory, 'plans');
  await mkdir(plansDirectory, { recursive: true });
  await files.write(join('..', 'home', 'tmp', 'plans', 'plan.md'), '# Plan\n');
  const workspace = new Workspace({ root, tempDirectory, ignore: await IgnoreRules.load(root) });
  const store = new FileStore(workspace, new ReadLedger());
  const environment = createChildEnvironment({ base: { PATH: process.env['PATH'], HOME: home } });
  const shell = new ShellRunner({ environment, tempDirectory });
  const background = new BackgroundProcesses({ environment, logDirectory: join(tempDirectory, 'background') });
  const tools = createBuiltinTools({
    store,
    shell,
    background,
    generator,
    resolveModel: ({ model }) => ({ model, config: {} }),
    clock: createFakeClock(),
    webFetch: { resolve: () => Promise.reject(new Error('no network in tests')) },
    isInteractive: true,
    writeTodos: true,
    plan: {
      plansDirectory,
      setApprovalMode: () => undefined,
      setApprovedPlan: () => undefined,
    },
  });
  const readFile = tools.find(({ name }) => name === 'read_file');
  if (readFile) tools.push(createReadManyFilesTool({ workspace, readFile }));
  const dispose = async () => {
    await background.dispose();
    await shell.dispose();
    await files.dispose();
  };
  const startBackground = async () => {
    const { pid, finished } = await background.start('echo hello', root);
    await finished;
    return pid;
  };
  return { tools, startBackground, dispose };
}

/** Cases with megabytes, and with dozens of calls: one tool shows them in `npm test`. */
const LARGE = ['answers when there is too much to say', 'answers or refuses any text'];

describe.each(Object.keys(CALLS))('the tool contract of %s', (name) => {
  for (const { title, run } of toolContractCases(() => openSubject(name)))
    it(title, LARGE.includes(title) && name !== 'read_file' ? { tags: 'wide' } : {}, run);
});

describe('the built-in tools', () => {
  it('are all held to the contract, in a fixed order', async () => {
    const files = await createWorkspace();
    const { tools, dispose } = await openTools(files);
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(CALLS));
    await dispose();
  });

  it('cost every request less than 9 KB of declarations', async () => {
    const files = await createWorkspace();
    const { tools, dispose } = await openTools(files);
    const declared = tools.filter(({ name }) => name !== 'read_many_files').map(({ schema }) => schema);
    expect(Buffer.byteLength(JSON.stringify(declared))).toBeLessThan(9_216);
    await dispose();
  });
});

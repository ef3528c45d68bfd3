/**
 * What a plain answer loads while it runs, whatever the bundle imports lazily: a module preloaded into the program
 * reports Node's own modules and the files that were loaded.
 */

import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const REPORT = `
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
  const report = { builtins: builtins.map((name) => name.slice(13)), files: Object.keys(require.cache) };
  require('node:fs').writeFileSync(process.env.LOADED_REPORT, JSON.stringify(report));
});
`;

async function listLoaded(script: Parameters<typeof fakeModel>[0], args: string[]) {
  await using files = await createWorkspace();
  const preload = join(files.root, 'report.cjs');
  const path = join(files.root, 'loaded.json');
  await writeFile(preload, REPORT);
  await using model = await fakeModel(script);
  const env = { NODE_OPTIONS: `--require=${preload}`, LOADED_REPORT: path };
  expect((await runCli([...args, '-p', 'hi'], { model, workspace: files, env })).code).toBe(0);
  const loaded = JSON.parse(await readFile(path, 'utf8')) as { builtins: string[]; files: string[] };
  const chunks = loaded.files.map((file) => basename(file)).filter((name) => /-[A-Z0-9]{8}[-.]/.test(name));
  return { builtins: loaded.builtins, chunks };
}

it('answers from the program alone, without the modules that only tools, hashes and long prompts need', async () => {
  const { builtins, chunks } = await listLoaded(
    [say('An answer that is long enough to be compared with the next turn. '.repeat(9))],
    [],
  );
  expect(builtins).toContain('http');
  expect(builtins.filter((name) => /^(crypto|child_process|https|zlib|worker_threads)$/.test(name))).toEqual([]);
  expect(chunks).toEqual([]);
});

it('makes calls without the screen, in few files', async () => {
  const calls = answer(
    call('read_file', { file_path: 'report.cjs' }),
    call('grep_search', { pattern: 'exit' }),
    call('run_shell_command', { command: 'true' }),
  );
  const { chunks } = await listLoaded([calls, say('done')], ['-y', '-o', 'json']);
  expect(chunks.filter((name) => /^(run|open-app|ink)-|\.packed\./.test(name))).toEqual([]);
  // The scheduler with reads and edits, the judge and the runner of commands, what these share with MCP servers, what keeps files for undo, and small files.
  expect(chunks.filter((name) => name.includes('.step-')).length).toBe(4);
  expect(chunks.length).toBeLessThanOrEqual(12);
});

it('answers as a task of a batch that runs no command, without what confines commands', async () => {
  const flags = [
    '--sandbox',
    '--task',
    'sandboxed',
    '--task',
    'spending',
    '--session-id',
    'a-task',
    '-o',
    'stream-json',
  ];
  const { builtins, chunks } = await listLoaded([say('done')], flags);
  expect(builtins.filter((name) => /^(crypto|child_process)$/.test(name))).toEqual([]);
  // What is its own, and what it shares with calls.
  expect(chunks.length).toBeLessThanOrEqual(2);
});

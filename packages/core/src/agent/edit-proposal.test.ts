/** A proposal in a real editor process, through the scheduler, to the file. */

import { chmod, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import { CoreToolScheduler } from '../scheduler/core-tool-scheduler.ts';
import { createReplaceTool } from '../tools/builtin/replace.ts';
import { createWriteFileTool } from '../tools/builtin/write-file.ts';
import { FileStore } from '../tools/files/file-store.ts';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { Workspace } from '../tools/files/workspace.ts';
import { createEditProposal } from './edit-proposal.ts';

let base: string;
let root: string;
let temporary: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'castor-editor-')));
  [root, temporary] = await Promise.all([mkdtemp(join(base, 'root-')), mkdtemp(join(base, 'temporary-'))]);
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** An editor that writes down what it was given and then does what the script says with it. */
async function makeEditor(script: string): Promise<string> {
  const path = join(base, 'my editor');
  const report = `stat -c '%a' "$(dirname "$1")" "$1" >'${base}/seen'; cat "$1" >>'${base}/seen'`;
  await writeFile(path, `#!/bin/sh\n${report}\n${script}\n`);
  await chmod(path, 0o755);
  return `'${path}'`;
}

async function open(editor: string): Promise<CoreToolScheduler> {
  const workspace = new Workspace({ root, tempDirectory: join(base, 'none'), ignore: await IgnoreRules.load(root) });
  const store = new FileStore(workspace, new ReadLedger());
  return new CoreToolScheduler({
    tools: new ToolRegistry([createReplaceTool({ store }), createWriteFileTool({ store })]),
    policy: { check: async () => ({ decision: 'ask_user' }), remember: async () => {} },
    outputBounds: () => ({ threshold: 10_000, tempDirectory: temporary, sessionId: 's' }),
    editProposal: createEditProposal({
      editor,
      environment: { PATH: process.env['PATH'] },
      tempDirectory: temporary,
      stdio: 'ignore',
    }),
  });
}

const request = (name: string, args: Record<string, unknown>): ToolCallRequestInfo => ({
  callId: 'call',
  name,
  args,
  isClientInitiated: false,
  prompt_id: 'p',
});

/** Asks for the editor first and then says yes; gives what was asked, and what came of it. */
async function editThenProceed(scheduler: CoreToolScheduler, call: ToolCallRequestInfo) {
  const asked: { newContent: unknown; problem: string | undefined }[] = [];
  const stream = scheduler.run([call], new AbortController().signal);
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) {
    if (step.value.type !== 'tool_call_confirmation') continue;
    const { details, problem } = step.value.value;
    asked.push({ newContent: details.type === 'edit' ? details.newContent : undefined, problem });
    scheduler.respond('call', asked.length === 1 ? 'modify_with_editor' : 'proceed_once');
  }
  return { asked, completed: step.value[0]! };
}

it.each([
  ['replace', { instruction: 'i', old_string: 'one', new_string: 'two' }],
  ['write_file', { content: 'two\nrest\n' }],
])('%s writes what the person made of the proposal, after showing it once more', async (name, more) => {
  const file = join(root, 'a.ts');
  await writeFile(file, 'one\nrest\n');
  const scheduler = await open(await makeEditor('echo three >"$1"'));
  const { asked, completed } = await editThenProceed(scheduler, request(name, { file_path: 'a.ts', ...more }));
  expect(asked).toEqual([
    { newContent: 'two\nrest\n', problem: undefined },
    { newContent: 'three\n', problem: undefined },
  ]);
  expect(completed.request.args).toMatchObject({ modified_by_user: true, ai_proposed_content: 'two\nrest\n' });
  expect([completed.status, await readFile(file, 'utf8')]).toEqual(['success', 'three\n']);
  expect(await readFile(join(base, 'seen'), 'utf8')).toBe('700\n600\ntwo\nrest\n');
  expect(await readdir(temporary)).toEqual([]);
});

it.each([
  ['fails', 'exit 3', /ended with exit code 3; the proposal is unchanged/],
  ['is not there', undefined, /could not be run/],
])('asks again and says why when the editor %s', async (_, script, why) => {
  const scheduler = await open(script === undefined ? '/nowhere/editor' : await makeEditor(script));
  const { asked, completed } = await editThenProceed(
    scheduler,
    request('write_file', { file_path: 'a.ts', content: 'two\n' }),
  );
  expect(asked).toEqual([
    { newContent: 'two\n', problem: undefined },
    { newContent: 'two\n', problem: expect.stringMatching(why) },
  ]);
  expect([completed.status, await readFile(join(root, 'a.ts'), 'utf8')]).toEqual(['success', 'two\n']);
  expect(await readdir(temporary)).toEqual([]);
});

it('opens vim with the cursor in the proposal, and the file as it is out of reach', async () => {
  const path = join(base, 'vim');
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" >'${base}/args'\n`);
  await chmod(path, 0o755);
  const edit = createEditProposal({ editor: path, environment: {}, tempDirectory: temporary, stdio: 'ignore' });
  const proposal = { type: 'edit', title: '', filePath: '', fileDiff: '', fileName: 'a.txt' } as const;
  expect(
    await edit({ ...proposal, originalContent: 'old', newContent: 'new' }, new AbortController().signal),
  ).toBeUndefined();
  expect((await readFile(join(base, 'args'), 'utf8')).trim().split('\n')).toEqual([
    '-d',
    '-c',
    'wincmd h | setlocal readonly nomodifiable | wincmd l',
    '-c',
    expect.stringContaining('quit'),
    expect.stringMatching(/a-old\.txt$/),
    expect.stringMatching(/a-new\.txt$/),
  ]);
});

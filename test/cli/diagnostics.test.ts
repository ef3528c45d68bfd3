/** After an edit the model reads what broke, in a trusted folder only. */

import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';

const SERVER = createRequire(import.meta.url).resolve('vscode-json-languageserver/bin/vscode-json-languageserver');
// The folder of the test run is below /tmp, so that its own path says nothing about the repository.
const isHidden = ['/tmp', tmpdir()].some((folder) => SERVER.startsWith(`${folder}/`));
const reason = isHidden ? 'a sandbox has a /tmp of its own, and this repository is in /tmp' : await reasonToSkip();
const skipped = reason === undefined ? '' : `: skipped, ${reason}`;

const servers = { json: { command: process.execPath, args: [SERVER, '--stdio'], extensions: ['.json'] } };
const FORMAT =
  'const fs = require("fs"); const f = process.argv[1]; fs.writeFileSync(f, fs.readFileSync(f, "utf8").trim() + "\\n")';
const formatters = { tidy: { command: process.execPath, args: ['-e', FORMAT, '{file}'], extensions: ['.txt'] } };

async function run(
  args: object[],
  diagnostics: object,
  env: Record<string, string> = { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  flags: readonly string[] = [],
) {
  const settings = JSON.stringify({ castor: { diagnostics } });
  await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings } });
  await using model = await fakeModel([...args.map((each) => call('write_file', { ...each })), say('ok')]);
  const { code, stderr } = await runCli(['-y', '-p', 'go', ...flags], { workspace, model, env });
  expect(code).toBe(0);
  const results = model.requests.slice(1).map(({ body }) => JSON.stringify((body.contents as unknown[]).at(-1)));
  return { results, stderr };
}

describe('after an edit', () => {
  it('the model reads the new errors of a language server, and the user is told', async () => {
    const files = [{ file_path: 'a.json', content: '{ "a": nope }' }];
    const { results, stderr } = await run(files, { servers, timeout: 30 });
    expect(results[0]).toContain('New errors after this edit, from json');
    expect(results[0]).toMatch(/a\.json:1: Value expected/);
    expect(stderr).toContain('json: 1 new error');
  });

  it(
    'a formatter’s changes are changes of the file: the next edit is not refused, and a removed file is a failure',
    { tags: 'wide' },
    async () => {
      const files = [
        { file_path: 'a.txt', content: '  one  ' },
        { file_path: 'a.txt', content: 'two' },
        { file_path: 'a.lost', content: 'three' },
      ];
      const lossy = { command: 'rm', args: [], extensions: ['.lost'] };
      const { results, stderr } = await run(files, { formatters: { ...formatters, lossy }, timeout: 30 });
      expect(results[0]).toContain('tidy changed');
      expect(results[1]).not.toContain('has changed on disk');
      expect(results[2]).toMatch(/"error":"lossy removed .*a\.lost after this edit/);
      expect(stderr).toContain('a.lost after this edit. The file no longer exists.');
    },
  );

  it.skipIf(reason !== undefined)(
    `the same in a sandbox, for servers and formatters${skipped}`,
    { tags: 'wide' },
    async () => {
      const write = 'require("fs").writeFileSync(process.argv[1], "SANDBOX=" + process.env.SANDBOX)';
      const inside = { tidy: { ...formatters.tidy, args: ['-e', write, '{file}'] } };
      const files = [
        { file_path: 'a.json', content: '{ "a": nope }' },
        { file_path: 'a.txt', content: 'one' },
      ];
      const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
      const { results } = await run(files, { servers, formatters: inside, timeout: 30 }, env, ['-s']);
      expect(results[0]).toMatch(/a\.json:1: Value expected/);
      expect(results[1]).toContain('SANDBOX=bwrap');
    },
  );

  it('a sub-agent reads the errors of its own edits', { tags: 'wide' }, async () => {
    const settings = JSON.stringify({ castor: { diagnostics: { servers, timeout: 30 } } });
    const helper = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
    const homeFiles = { '.gemini/settings.json': settings, '.gemini/agents/helper.md': helper };
    await using workspace = await createWorkspace({ homeFiles });
    await using model = await fakeModel([
      call('invoke_agent', { agent_name: 'helper', prompt: 'break it' }),
      call('write_file', { file_path: 'a.json', content: '{ "a": nope }' }),
      call('complete_task', { result: 'done' }),
      say('ok'),
    ]);
    const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const { code } = await runCli(['-y', '-p', 'go'], { workspace, model, env });
    expect(code).toBe(0);
    expect(JSON.stringify((model.requests[2]!.body.contents as unknown[]).at(-1))).toContain(
      'New errors after this edit',
    );
  });

  it('nothing runs in a folder without trust', async () => {
    const files = [{ file_path: 'a.json', content: '{ "a": nope }' }];
    const { results } = await run(files, { servers, timeout: 30 }, {});
    expect(results[0]).not.toContain('New errors');
  });
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, call, createWorkspace, fakeModel, runCli, say, startCli } from '@castor/testkit';
import { variants } from '../house/variants.ts';

type Part = { functionResponse?: { name: string; response: { output?: string; error?: string } } };

/** Runs the calls of one answer and gives what the model was told of each. */
async function runCalls(
  args: string[],
  calls: readonly (readonly [string, Record<string, unknown>])[],
  files: Record<string, string> = {},
) {
  const workspace = await createWorkspace({ files });
  await using model = await fakeModel([
    answer(...calls.map(([name, params], index) => call(name, params, { id: `id-${index}` }))),
    say('done'),
  ]);
  const result = await runCli(['-p', 'go', ...args], { model, workspace });
  const parts: Part[] = model.requests[1]?.body.contents.at(-1).parts ?? [];
  const told = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.response] : []));
  return { ...result, workspace, told };
}

describe('castor with tools', () => {
  it('asks no model about a loop in 50 rounds that do not repeat themselves', { tags: 'wide' }, async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}.txt`, `text ${index}`]));
    await using workspace = await createWorkspace({ files });
    const rounds = Array.from({ length: 50 }, (_, index) =>
      answer(call('read_file', { file_path: `f${index}.txt` }, { id: `id-${index}` })),
    );
    await using model = await fakeModel([...rounds, say('done')]);
    const { code, stdout } = await runCli(['-p', 'go', '-m', 'gemini-2.5-flash'], { model, workspace });
    expect([code, stdout]).toEqual([0, 'done\n']);
    expect(model.requests.filter(({ action }) => action !== 'streamGenerateContent')).toEqual([]);
    model.assertDone();
  });

  it('runs eight commands of one answer at once', { tags: 'wide' }, async () => {
    // Each waits for all the others: one after another they would never end.
    const others = 'until ls up1 up2 up3 up4 up5 up6 up7 up8 >/dev/null 2>&1; do sleep 0.02; done';
    const { told, workspace } = await runCalls(
      ['-y'],
      Array.from({ length: 8 }, (_, index) => {
        const command = `touch up${index + 1}; ${others}; echo all`;
        return ['run_shell_command', { command }] as const;
      }),
    );
    await workspace.dispose();
    expect(told).toEqual(Array.from({ length: 8 }, () => ({ output: expect.stringContaining('all') })));
  });

  variants.each([
    ['the tool on the list', ['-y', '--allowed-tools', 'write_file'], true],
    ['none when it is another', ['-y', '--allowed-tools', 'read_file'], false],
    ['none when the list is empty', ['-y', '--allowed-tools='], false],
    ['none without leave', [], false],
  ])('runs %s', async (_, args, isRun) => {
    const { told, workspace, code } = await runCalls(args, [['write_file', { file_path: 'a.txt', content: 'x' }]]);
    expect([existsSync(join(workspace.project, 'a.txt')), told[0]?.error === undefined, code]).toEqual([
      isRun,
      isRun,
      0,
    ]);
    await workspace.dispose();
  });

  variants.each([
    ['write_file', { file_path: '.git/hooks/pre-commit', content: 'x' }],
    ['write_file', { file_path: '.github/workflows/ci.yml', content: 'x' }],
    ['write_file', { file_path: '.gemini/settings.json', content: '{}' }],
    ['run_shell_command', { command: 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit' }],
    ['write_file', { file_path: '../outside.txt', content: 'x' }],
  ])('does not let %s change %j, whatever the mode', async (name, args) => {
    const { told, workspace } = await runCalls(['-y'], [[name, args]]);
    expect(told[0]?.error).toEqual(expect.any(String));
    expect([await readdir(workspace.project), await readdir(workspace.root)]).toEqual([[], ['home', 'project']]);
    await workspace.dispose();
  });

  it('answers each call also when the model gave two of them one id', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one', 'b.txt': 'two' } });
    const read = (file_path: string) => call('read_file', { file_path }, { id: 'same' });
    await using model = await fakeModel([answer(read('a.txt'), read('b.txt')), say('done')]);
    const { stdout, code } = await runCli(['-p', 'go'], { model, workspace });
    const parts: Part[] = model.requests[1]?.body.contents.at(-1).parts ?? [];
    const outputs = parts.flatMap(({ functionResponse }) => functionResponse?.response.output ?? []);
    expect([stdout, code, outputs]).toEqual(['done\n', 0, ['one', 'two']]);
  });

  it('keeps a long output in a file and tells the model where', { tags: 'wide' }, async () => {
    const { told, workspace } = await runCalls(['-y'], [['run_shell_command', { command: 'seq 1 200000' }]]);
    expect(told[0]?.output).toMatch(/Output too large\. Showing first \d[\d,]* and last \d[\d,]* characters/);
    expect(told[0]?.output?.length).toBeLessThan(50_000);
    await workspace.dispose();
  });

  it('gives the model no control sequence of a command', { tags: 'wide' }, async () => {
    const { told, workspace } = await runCalls(
      ['-y'],
      [['run_shell_command', { command: String.raw`printf 'a\033]0;title\007\033[31mb\377\n'` }]],
    );
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    expect(told[0]?.output).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F]/);
    await workspace.dispose();
  });

  const LASTING = (fifo: string) => `exec 9>${fifo}; trap '' TERM; sleep 1000`;

  variants.each<[string, (fifo: string) => { call: [string, object]; settings: object }]>([
    ['a command', (fifo) => ({ call: ['run_shell_command', { command: LASTING(fifo) }], settings: {} })],
    [
      "a project's own tool",
      (fifo) => ({
        call: ['discovered_tool_wait', {}],
        settings: {
          tools: {
            discoveryCommand: `echo '[{"name":"wait"}]'`,
            callCommand: `sh -c "(setsid sh -c '${LASTING(fifo)}' &); sleep 1000"`,
          },
        },
      }),
    ],
  ])('leaves nothing running when it is killed during %s', async (_, prepare) => {
    await using workspace = await createWorkspace();
    const fifo = join(workspace.root, 'alive');
    execFileSync('mkfifo', [fifo]);
    const { call: asked, settings } = prepare(fifo);
    await mkdir(join(workspace.home, '.gemini'));
    await writeFile(join(workspace.home, '.gemini', 'settings.json'), JSON.stringify(settings));
    await using model = await fakeModel([
      answer(call(asked[0], asked[1] as Record<string, unknown>, { id: '1' })),
      say('never'),
    ]);
    await using cli = await startCli(['-y', '--skip-trust', '-p', 'go'], { model, workspace });
    // Opening it for reading waits for the command; the end comes when the last holder is gone.
    const stream = createReadStream(fifo);
    await once(stream, 'open');
    cli.kill('SIGKILL');
    stream.resume();
    await once(stream, 'end');
    expect((await cli.done).signal).toBe('SIGKILL');
  });
});

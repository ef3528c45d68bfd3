/** Bounds that widen: a denial by evidence, the question about exactly it, the second attempt, and kept grants. */

import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGeminiGenerator, createWorkspaceAgent } from '@castor/core';
import type { Clock } from '@castor/core';
import { answer, call, createWorkspace, fakeModel, runCli, say, TEST_API_KEY } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';
import { variants } from '../house/variants.ts';

const reason = await reasonToSkip();

/** Undo waits a few seconds for its first reading, and takes nothing back without it; a loaded machine may need more. */
const patientClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms * 50, undefined, { ...(signal && { signal }), ref: false }),
};

/** A session whose user answers each question of the sandbox with `reply`. */
async function runAnswered(
  workspace: Workspace,
  command: string | readonly object[],
  reply: string,
  approvalMode: 'yolo' | 'autoEdit' = 'yolo',
) {
  const calls = typeof command === 'string' ? [{ command }] : command;
  const script = calls.map((args, index) => answer(call('run_shell_command', { ...args }, { id: `c${index}` })));
  await using model = await fakeModel([...script, say('done')]);
  const questions: string[] = [];
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ baseUrl: model.url, apiKey: TEST_API_KEY }),
    model: 'gemini-2.5-pro',
    root: workspace.project,
    home: workspace.home,
    environment: { PATH: process.env['PATH'], HOME: workspace.home, LC_ALL: 'C' },
    trustedFolder: true,
    approvalMode,
    interactive: true,
    recordSession: true,
    toolSettings: { interactiveShell: false },
    sandbox: {},
    clock: patientClock,
    mcp: {
      layers: [],
      ask: async (question) => {
        questions.push('message' in question ? question.message : '');
        return { action: 'accept', content: { answer: reply } };
      },
    },
  });
  try {
    for await (const _event of agent.session.prompt('go', new AbortController().signal));
  } finally {
    await agent.dispose();
  }
  const body = JSON.stringify(model.requests.at(-1)?.body);
  return { questions, body };
}

describe.skipIf(reason !== undefined)(`a denied path${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  variants.each(['once', 'session', 'always'])(
    'is asked about, and allowed %s the command runs again from where it began',
    async (reply) => {
      await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
      const target = join(workspace.home, 'other/made');
      // Without the undo of the first attempt, the count would be two.
      const { questions, body } = await runAnswered(workspace, `echo x >> count && echo made > ${target}`, reply);
      expect(questions).toEqual([expect.stringContaining(`wanted to write to ${join(workspace.home, 'other')},`)]);
      expect(readFileSync(target, 'utf8')).toBe('made\n');
      expect(readFileSync(join(workspace.project, 'count'), 'utf8')).toBe('x\n');
      expect(body).toContain('its changes were taken back, and it ran again');
      const file = join(workspace.home, '.gemini/sandbox-grants.json');
      expect(existsSync(file)).toBe(reply === 'always');
    },
  );

  it('stays denied without an answer that allows it, and the model reads what was denied', async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
    const target = join(workspace.home, 'other/made');
    const { questions, body } = await runAnswered(workspace, `echo made > ${target}`, 'no');
    expect(questions).toHaveLength(1);
    expect(existsSync(target)).toBe(false);
    expect(body).toContain(`The sandbox did not let the command write ${target}`);
    expect(body).toContain(`castor sandbox allow --write ${join(workspace.home, 'other')}`);
  });

  it('asks nothing about a test suite that prints "permission denied"', async () => {
    await using workspace = await createWorkspace();
    const { questions, body } = await runAnswered(workspace, 'echo "not ok: permission denied"; exit 1', 'always');
    expect(questions).toEqual([]);
    expect(body).not.toContain('The sandbox did not let');
  });
});

describe.skipIf(reason !== undefined)('what is asked in every mode', () => {
  const outsideOf = (workspace: Workspace) => join(workspace.home, 'other/made');
  const wishes = (workspace: Workspace) => [
    { command: `echo made > ${outsideOf(workspace)}`, additional_permissions: { outside_sandbox: true } },
    { command: 'true', additional_permissions: { fileSystem: { write: ['~/other/x', 'inside'], read: ['/etc'] } } },
  ];

  it('is leaving the sandbox, and a path that a command asks for in advance', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
    const { questions } = await runAnswered(workspace, wishes(workspace), 'once');
    expect(questions).toEqual([
      expect.stringContaining('wants to run outside the sandbox'),
      expect.stringContaining(`wanted to write to ${join(workspace.home, 'other')},`),
    ]);
    expect(readFileSync(outsideOf(workspace), 'utf8')).toBe('made\n');
  });

  it('is refused by a no: the command does not run, and the model reads why', async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
    const { body } = await runAnswered(workspace, wishes(workspace), 'no');
    expect(existsSync(outsideOf(workspace))).toBe(false);
    expect(body).toContain('the user did not let this command leave the sandbox');
    expect(body).toContain('the user did not let the command write');
  });

  it('is deleting what undo does not keep, where commands run unasked', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { small: 'x', 'data/small': 'x' } });
    const large = join(workspace.project, 'data/large.bin');
    writeFileSync(large, '');
    truncateSync(large, 11 * 1024 * 1024);
    const commands = [
      { command: 'rm small data/small' },
      { command: 'rm data/*' },
      { command: 'echo x > data/large.bin' },
    ];
    const { questions, body } = await runAnswered(workspace, commands, 'no', 'autoEdit');
    // Asked once: the second command wants the same.
    expect(questions).toEqual([
      expect.stringContaining(`deletes or overwrites ${large} (files above 10 MB are not kept)`),
    ]);
    expect(body).toContain('which cannot be undone');
    expect(['small', 'data/small'].filter((path) => existsSync(join(workspace.project, path)))).toEqual([]);
    expect(statSync(large).size).toBe(11 * 1024 * 1024);
  });
});

describe.skipIf(reason !== undefined)('grants', () => {
  it('open a path for the commands of one folder, are listed, and are closed again', async () => {
    await using workspace = await createWorkspace({ homeFiles: { 'other/a': '' } });
    const target = join(workspace.home, 'other');
    const write = ['sandbox', 'run', '--', `echo made > ${join(target, 'made')}`];
    expect((await runCli(write, { workspace })).code).toBe(1);
    await runCli(['sandbox', 'allow', '--write', '~/other', 'example.org'], { workspace });
    const listed = await runCli(['sandbox', 'grants'], { workspace });
    expect(listed.stdout).toContain(`write ${target}   for the commands of ${workspace.project}`);
    expect(listed.stdout).toContain('reach example.org');
    const doctor = await runCli(['doctor', '--offline'], { workspace });
    expect(doctor.stdout).toContain(`write ${target} (in ${workspace.project})`);
    expect((await runCli(write, { workspace })).code).toBe(0);
    expect((await runCli(['sandbox', 'revoke', '~/other'], { workspace })).code).toBe(0);
    expect((await runCli(write, { workspace })).code).toBe(1);
    expect((await runCli(['sandbox', 'allow', '/path'], { workspace })).stderr).toContain('is no host');
    expect((await runCli(['sandbox', 'allow', '--write', '/'], { workspace })).stderr).toContain('cannot be opened');
  });

  it('are not taken from a project', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { 'other/a': '' },
      files: { '.gemini/settings.json': '{"tools":{"sandboxAllowedPaths":["~/other"],"sandboxNetworkAccess":true}}' },
    });
    const { stdout } = await runCli(['sandbox', 'explain'], { workspace });
    expect(stdout).not.toContain(join(workspace.home, 'other'));
    expect(stdout).not.toContain('registry.npmjs.org');
  });
});

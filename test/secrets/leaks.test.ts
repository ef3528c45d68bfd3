/** `castor leaks` on what a real session left: marks, sealed copies in the undo store, and secrets in plain by session. */

import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { expect, it } from 'vitest';

/** Assembled, so that no scanner finds it here. */
const TOKEN = `ghp_${'leaksCanary'.repeat(3)}012`;

interface Report {
  replaced: { session: string; mark: string; kind: string; places: number }[];
  leaks: { path: string; line: number; kind: string }[];
  sealedCopies: number;
}

it('lists what was replaced, counts sealed copies, and finds what is in plain, of all sessions or of one', async () => {
  await using workspace = await createWorkspace({ files: { 'config.ini': `A=1\nTOKEN=${TOKEN}\n` } });
  await using model = await fakeModel([
    answer(call('read_file', { file_path: 'config.ini' })),
    call('run_shell_command', { command: 'echo B=2 >> config.ini' }),
    say('done'),
  ]);
  const run = await runCli(['-p', 'go', '-y', '--skip-trust'], { model, workspace });
  expect([run.stderr, run.code]).toEqual([expect.any(String), 0]);

  const clean = await runCli(['leaks', '-o', 'json'], { workspace });
  const report = JSON.parse(clean.stdout) as Report;
  expect([clean.code, report.leaks]).toEqual([0, []]);
  expect(report.replaced).toEqual([
    {
      session: expect.stringMatching(/^session-/) as string,
      mark: '‹secret:github-1›',
      kind: 'github',
      places: expect.any(Number) as number,
    },
  ]);
  expect(report.sealedCopies).toBeGreaterThan(0);

  const stray = join(workspace.home, '.gemini', 'tmp', 'stray.log');
  writeFileSync(stray, `one\n${JSON.stringify({ text: `two\n${TOKEN}` })}\n`);
  const found = await runCli(['leaks'], { workspace });
  expect([found.code, found.stdout.includes(TOKEN)]).toEqual([1, false]);
  expect(found.stdout).toContain(`${stray}:2  github`);
  // The store of another project is none of the session's.
  const projects = join(workspace.home, '.gemini', 'tmp');
  const own = readdirSync(projects).find((name) => existsSync(join(projects, name, 'undo'))) ?? '';
  cpSync(join(projects, own, 'undo'), join(projects, 'other', 'undo'), { recursive: true });
  const ofOne = await runCli(['leaks', 'latest', '-o', 'json'], { workspace });
  expect([ofOne.code, JSON.parse(ofOne.stdout)]).toEqual([
    0,
    expect.objectContaining({ leaks: [], replaced: report.replaced, sealedCopies: report.sealedCopies }),
  ]);
  const unknown = await runCli(['leaks', '99'], { workspace });
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
});

/** A command that failed looks failed on the screen, after a resume and in `castor sessions show`; the wire is as it was. */

import { answer, call, createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
import { expect, it } from 'vitest';

const shell = (command: string) => call('run_shell_command', { command });

it('looks failed in the terminal, live and resumed, and in sessions show', async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([shell('echo out; exit 3'), shell('kill -9 $$'), shell('true'), say('Done.')]);
  {
    await using terminal = await startTerminal(['--yolo', '--session-id', 'failing'], {
      model,
      workspace,
      columns: 100,
    });
    await terminal.waitForText('Type your message');
    terminal.type('Run them\r');
    await terminal.waitForText('Done.');
    await terminal.waitForText(/^✗ Shell echo out; exit 3.* exit 3(?: · .*)?$/m);
    await terminal.waitForText(/^✗ Shell kill .* SIGKILL(?: · .*)?$/m);
    await terminal.waitForText(/^✓ Shell true/m);
  }
  await using resumed = await startTerminal(['-r', 'failing'], { model, workspace, columns: 100 });
  await resumed.waitForText('Done.');
  await resumed.waitForText(/^✗ .* exit 3$/m);
  await resumed.waitForText(/^✗ .* SIGKILL$/m);
  const { stdout } = await runCli(['sessions', 'show', 'failing'], { workspace });
  expect(stdout).toContain('failed (exit 3): out');
  expect(stdout).toContain('failed (SIGKILL)');
  expect(stdout.match(/failed/g)).toHaveLength(2);
  expect(stdout).not.toContain('\u001b');
  await using shown = await startTerminal(['sessions', 'show', 'failing'], { model, workspace, columns: 100 });
  await shown.waitForBytes((bytes) => bytes.includes('Done.'));
  expect(shown.bytes).toContain('\u001b[31m✗ [Shell] echo out; exit 3\u001b[39m');
  expect(shown.bytes).toContain('\u001b[31mfailed (exit 3)\u001b[39m: out');
});

it('of several that ran together is marked above its own result in sessions show', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([
    answer(shell('sleep 0.2; echo slow; exit 4'), shell('echo quick')),
    say('Done.'),
  ]);
  await runCli(['-y', '-p', 'Run them', '--session-id', 'together'], { workspace, model });
  const { stdout } = await runCli(['sessions', 'show', 'together'], { workspace });
  expect(stdout).toMatch(
    /^✗ \[Shell\] sleep 0\.2; echo slow; exit 4\n\n {2}failed \(exit 4\): slow\n\n\[Shell\] echo quick\n\n {2}quick$/m,
  );
});

it('of the user looks failed in the terminal, live and resumed, and in sessions show', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([say('Done.')]);
  const options = { model, workspace, columns: 100 };
  {
    await using terminal = await startTerminal(['--session-id', 'own'], options);
    await terminal.waitForText('Type your message');
    terminal.type('!echo "out `echo 1`"; exit 3\r');
    await terminal.waitForText(/^ +✗ exit 3$/m);
    terminal.type('Why?\r');
    await terminal.waitForText('Done.');
  }
  await using resumed = await startTerminal(['-r', 'own'], options);
  await resumed.waitForText('Done.');
  await resumed.waitForText(/^✗ Shell echo "out `echo 1`"; exit 3 exit 3$/m);
  await resumed.waitForText('out 1');
  const { stdout } = await runCli(['sessions', 'show', 'own'], { workspace });
  expect(stdout).toContain('✗ [Shell] echo "out `echo 1`"; exit 3\n\n  failed (exit 3): out 1');
});

it('leaves what the model and scripts read as it was', { tags: 'wide' }, async () => {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([shell('echo out; exit 3'), say('Done.')]);
  const { stdout } = await runCli(['-y', '-o', 'stream-json', '-p', 'Run it'], { model, workspace });
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === 'tool_result');
  expect(results).toEqual([expect.objectContaining({ status: 'success', output: 'out\n' })]);
  expect(Object.keys(results[0] ?? {}).toSorted()).toEqual(['output', 'status', 'timestamp', 'tool_id', 'type']);
  expect(JSON.stringify(model.requests[1]?.body)).toContain('Exit Code: 3');
});

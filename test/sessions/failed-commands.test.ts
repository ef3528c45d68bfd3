/** A command that failed looks failed on the screen, after a resume and in `castor sessions show`; the wire is as it was. */

import { call, createWorkspace, fakeModel, runCli, say, startTerminal } from '@castor/testkit';
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
    await terminal.waitForText(/^✗ Shell echo out; exit 3.* exit 3$/m);
    await terminal.waitForText(/^✗ Shell kill .* SIGKILL$/m);
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
});

it('leaves what the model and scripts read as it was', async () => {
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

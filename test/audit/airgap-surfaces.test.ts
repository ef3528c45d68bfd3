/** What --airgap refused is listed at the end on every surface: in the last line of stream-json, and after the terminal UI has closed. */

import { call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { reasonToSkip } from '../../packages/core/src/sandbox/sandbox.fixture.ts';
import { openTerminal } from '../tui/open-terminal.ts';

const reason = await reasonToSkip();
const SCRIPT = [call('run_shell_command', { command: '(: > /dev/tcp/command.test/443) 2>&1; true' }), say('all done')];

describe.skipIf(reason !== undefined)(`--airgap${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it('ends a stream with what it refused, and the model reads that no grant helps', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(SCRIPT);
    const run = await runCli(['-p', 'go', '--airgap', '-y', '-o', 'stream-json'], { model, workspace });
    const last = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as { type: string; airgap?: unknown };
    expect([run.code, last.type]).toEqual([0, 'result']);
    expect(last.airgap).toEqual({ refused: [expect.objectContaining({ host: 'command.test', why: 'sandbox proxy' })] });
    const read = JSON.stringify(model.requests.at(-1)?.body);
    expect(read).toContain('reach command.test: airgap allows only the host of the model');
    expect(read).not.toContain('castor sandbox allow');
  });

  it('ends the terminal UI with it', { tags: 'wide' }, async () => {
    const args = ['--airgap', '-y', '--skip-trust'];
    await using env = await openTerminal({ args, script: SCRIPT, columns: 120, rows: 40 });
    env.terminal.type('go\r');
    await env.terminal.waitForText('all done');
    env.terminal.type('/quit\r');
    await env.terminal.done;
    expect(env.terminal.bytes.toString()).toMatch(/--airgap refused: .*command\.test/);
  });
});

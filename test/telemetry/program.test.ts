/** Telemetry of the program as it is built, where it ends otherwise than by its own plan. */

import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, createWorkspace, ending, fakeModel, runCli, say, startCli, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { readTold, recordsOf } from './told.ts';

describe('telemetry of the program', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is written also when %s ends it', async (signal, code) => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    const env = { GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_OUTFILE: outfile };
    await using model = await fakeModel([answer(text('one'), ending('stall'))]);
    await using cli = await startCli(['-p', 'hello', '-o', 'stream-json'], { model, workspace, env });
    await cli.waitForStdout('"one"');
    cli.kill(signal);
    expect((await cli.done).code).toBe(code);
    const told = readTold(outfile);
    expect(recordsOf(told, 'gemini_cli.conversation_finished')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(recordsOf(told, 'gemini_cli.api_response')).toEqual([]);
    expect(recordsOf(told, 'gemini_cli.api_error')).toMatchObject([{ error_type: 'AbortError' }]);
    expect(told.metrics.get('gemini_cli.exit.fail.count')?.[0]?.value).toBe(1);
  });

  it('to Google Cloud costs a sentence, and the run goes on', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([say('ok')]);
    const env = { GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_TARGET: 'gcp' };
    const { stdout, stderr, code } = await runCli(['-p', 'hello'], { model, workspace, env });
    expect([stdout, code, stderr]).toEqual(['ok\n', 0, expect.stringContaining('Google Cloud')]);
  });

  it('names the offline model as who answered, and no address', async () => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    const env = { GEMINI_TELEMETRY_ENABLED: 'true', GEMINI_TELEMETRY_OUTFILE: outfile };
    await runCli(['-m', 'offline', '-p', 'What is in this folder?'], { workspace, env });
    const [operation] = recordsOf(readTold(outfile), 'gen_ai.client.inference.operation.details');
    expect([operation?.['gen_ai.provider.name'], 'server.address' in operation!]).toEqual(['castor.offline', false]);
  });

  it('that is off leaves nothing, wherever it would have gone', async () => {
    await using workspace = await createWorkspace();
    const outfile = join(workspace.root, 'telemetry.log');
    await mkdir(join(workspace.home, '.gemini'));
    await writeFile(join(workspace.home, '.gemini', 'settings.json'), JSON.stringify({ telemetry: { outfile } }));
    await using model = await fakeModel([say('ok')]);
    await runCli(['-p', 'hello'], { model, workspace });
    expect(readTold(outfile).logs).toEqual([]);
    expect(readdirSync(join(workspace.home, '.gemini'))).not.toContain('installation_id');
  });
});

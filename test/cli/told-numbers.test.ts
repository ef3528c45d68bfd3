/** What a script and a log are told of a run: its cost, failed attempts, the status of a failure, tools that are not allowed. */

import { answer, call, createWorkspace, fakeModel, fault, runCli, say, text, usage } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const PRICES = { '.gemini/prices.json': '{"mine":{"input":2,"output":4}}' };
const COUNTED = answer(
  text('ok'),
  usage({ promptTokenCount: 1_000_000, candidatesTokenCount: 500_000, totalTokenCount: 1_500_000 }),
);

async function run(args: string[], script: Script, homeFiles: Record<string, string> = {}) {
  await using workspace = await createWorkspace({ homeFiles });
  await using model = await fakeModel(script);
  const result = await runCli(args, { model, workspace });
  return { ...result, requests: model.requests.map(({ body }) => JSON.stringify(body)) };
}

const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { stats: Stats };
interface Stats {
  cost_usd: number | null;
  models: Record<string, { cost_usd: number | null; requests?: number; api?: { totalRequests: number } }>;
}

describe('the cost of a run', () => {
  it('is in the json output, whole and by model, with the requests', async () => {
    const { stdout } = await run(['-p', 'hi', '-o', 'json', '-m', 'mine'], [COUNTED], PRICES);
    const { stats } = JSON.parse(stdout) as { stats: Stats };
    expect([stats.cost_usd, stats.models['mine']]).toEqual([
      4,
      expect.objectContaining({ cost_usd: 4, api: expect.objectContaining({ totalRequests: 1 }) as object }),
    ]);
  });

  it('is in the result of stream-json', async () => {
    const { stdout } = await run(['-p', 'hi', '-o', 'stream-json', '-m', 'mine'], [COUNTED], PRICES);
    const { stats } = lastLine(stdout);
    expect([stats.cost_usd, stats.models['mine']]).toEqual([4, expect.objectContaining({ cost_usd: 4, requests: 1 })]);
  });

  it('is null where the model has no price, never a guess', async () => {
    const { stdout } = await run(['-p', 'hi', '-o', 'stream-json', '-m', 'unpriced'], [COUNTED], PRICES);
    const { stats } = lastLine(stdout);
    expect([stats.cost_usd, stats.models['unpriced']?.cost_usd]).toEqual([null, null]);
  });
});

describe('a service that fails', () => {
  it('is told of at each attempt on stderr in json too', { tags: 'wide' }, async () => {
    const { code, stderr, stdout } = await run(['-p', 'hi', '-o', 'json'], [fault(503), say('ok')]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^castor: attempt 1 of \d+ failed \(.+\); trying again in \d\.\d s\.\n$/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ response: 'ok' });
  });

  variants.each(['text', 'json', 'stream-json'])('is named with status and attempts in %s', async (format) => {
    // One attempt with each model of the chain: no waiting between them.
    const settings = { '.gemini/settings.json': '{"general":{"maxAttempts":1}}' };
    const script = () => fault(500, { message: 'oops' });
    const { code, stderr, stdout } = await run(['-p', 'hi', '-o', format], script, settings);
    expect(code).toBe(1);
    const told = /oops \(HTTP 500, after \d+ attempts\)/;
    expect(stderr).toMatch(told);
    if (format !== 'text') expect(stdout).toMatch(told);
  });
});

describe('a tool that the run does not allow', () => {
  variants.each([
    ['write_file', { file_path: 'a', content: 'b' }, '--approval-mode auto_edit, --allowed-tools write_file or -y'],
    ['run_shell_command', { command: 'touch a' }, '--allowed-tools run_shell_command or -y'],
  ])('is answered with how to allow it: %s', async (name, args, ways) => {
    const { requests } = await run(['-p', 'hi'], [call(name, args), say('ok')]);
    expect(requests[1]).toContain(`Tool \\"${name}\\" is not allowed in this run.`);
    expect(requests[1]).toContain(ways);
    expect(requests[1]).not.toContain('not found');
  });

  it('that is unknown is still answered as unknown', async () => {
    const { requests } = await run(['-p', 'hi'], [call('write_fil', {}), say('ok')]);
    expect(requests[1]).toContain('Tool \\"write_fil\\" not found.');
  });
});

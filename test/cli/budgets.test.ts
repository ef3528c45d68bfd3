import { answer, call, createWorkspace, fakeModel, fault, finish, gate, runCli, say, text } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const look = (id: string, path = '.') => call('list_directory', { dir_path: path }, { id });
const costing = (totalTokenCount: number) =>
  finish('STOP', { usage: { promptTokenCount: totalTokenCount, candidatesTokenCount: 0, totalTokenCount } });

async function run(script: Script, ...args: string[]) {
  await using model = await fakeModel(script);
  const { stdout, stderr, code } = await runCli(['-p', 'go', '-m', 'gemini-2.5-flash', '-o', 'stream-json', ...args], {
    model,
  });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const sent = model.requests.map(({ body }) => JSON.stringify(body.contents.at(-1)));
  const told = lines.filter(({ type }) => type === 'error').map(({ message }) => message);
  return { result: lines.at(-1), sent, told, stderr, code };
}

describe('a budget', () => {
  it('of turns ends the run between two requests, with the calls of the last answer done', async () => {
    const { result, sent, stderr, code } = await run([answer(look('a')), answer(look('b', 'x'))], '--max-turns', '2');
    expect([result, code, sent.length]).toMatchObject([
      {
        type: 'result',
        status: 'error',
        error: { type: 'BudgetExceededError', message: 'The budget of this run is spent: 2 of 2 turns.' },
        budget: { name: 'turns', limit: 2, spent: 2 },
        stats: { tool_calls: 2 },
      },
      56,
      2,
    ]);
    expect(stderr).toContain('castor: The budget of this run is spent: 2 of 2 turns.');
  });

  it('tells the model, once, when nine tenths are spent', { tags: 'wide' }, async () => {
    const script = [
      answer(look('a'), costing(900)),
      answer(look('b', 'x'), costing(20)),
      answer(text('Done.'), costing(10)),
    ];
    const { sent, code } = await run(script, '--max-tokens', '1k');
    expect(code).toBe(0);
    expect(sent.map((body) => body.includes('nearly spent: 900 of 1000 tokens'))).toEqual([false, true, false]);
  });

  it('of tokens counts answers that broke and holds before the next attempt', { tags: 'wide' }, async () => {
    const broken = fault('bad_finish', { reason: 'MALFORMED_FUNCTION_CALL' });
    const { result, sent, code } = await run([broken], '--max-tokens', '15');
    expect([code, sent.length]).toEqual([56, 1]);
    expect(result).toMatchObject({ budget: { name: 'tokens', limit: 15, spent: 15 } });
  });

  it('of money ends the run with what it cost', async () => {
    const { result, code } = await run([answer(look('a'), costing(1_000_000))], '--max-cost', '0.25');
    expect([code, result]).toMatchObject([56, { budget: { name: 'cost', limit: 0.25, spent: 0.3 } }]);
  });

  it('of money is refused for a model without a price', async () => {
    const { result, stderr, sent, code } = await run([], '-m', 'my-own', '--max-cost', '1');
    expect([code, sent, result]).toMatchObject([52, [], { type: 'result', status: 'error' }]);
    expect(stderr).toContain('The limit on the cost needs a price for the model my-own');
    expect(stderr).toContain('--max-cost');
  });

  it("of money takes the user's own prices", async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/prices.json': '{"my-own":{"input":1,"output":1}}' },
    });
    await using model = await fakeModel([say('ok')]);
    const { code } = await runCli(['-p', 'go', '-m', 'my-own', '--max-cost', '1'], { model, workspace });
    expect(code).toBe(0);
  });

  it('that refuses a further attempt is told once', async () => {
    const { result, stderr, told, code } = await run([answer(costing(2_000))], '--max-tokens', '1k');
    expect([code, result]).toMatchObject([56, { error: { type: 'BudgetExceededError' }, budget: { name: 'tokens' } }]);
    expect(told).toEqual(['The budget of this run is spent: 2000 of 1000 tokens.']);
    expect(stderr.match(/is spent/g)).toHaveLength(1);
  });

  it('of time cuts a silent answer short, and says so', async () => {
    const hold = gate();
    const { result, code } = await run([answer(text('Let me '), hold, text('think'), finish())], '--max-time', '0.5s');
    hold.release();
    expect([code, result]).toMatchObject([56, { error: { type: 'BudgetExceededError' }, budget: { name: 'time' } }]);
  });

  it('does nothing to a run that stays within it', { tags: 'wide' }, async () => {
    const { result, code } = await run(
      [answer(look('a')), say('Done.')],
      ...['--max-turns', '9', '--max-tokens', '1m', '--max-cost', '1', '--max-time', '1h'],
    );
    expect([code, result]).toMatchObject([0, { status: 'success' }]);
    expect(result).not.toHaveProperty('budget');
  });

  it('can be raised when the session goes on', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel([answer(look('a')), say('Done.')]);
    const ask = (...args: string[]) => runCli(['-m', 'gemini-2.5-flash', ...args], { model, workspace });
    expect((await ask('-p', 'go', '--max-turns', '1')).code).toBe(56);
    expect(await ask('-r', '--max-turns', '5', '-p', 'go on')).toMatchObject({ stdout: 'Done.\n', code: 0 });
    expect(JSON.stringify(model.requests[1]?.body.contents)).toContain('functionResponse');
  });
});

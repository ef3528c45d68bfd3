/** Prompts, resources and questions over stdio, and what is left of them when the server dies and comes back. */

import { mcp, mcpStdioCommand } from '@castor/testkit';
import { expect, it } from 'vitest';
import type { ServerQuestion } from '../protocol/server-questions.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { NEVER, openForTest } from './open-servers.fixture.ts';

/** Real time, except for the pauses before another attempt. */
const hasty: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms >= 500 && ms < 3_000 && ms !== 2_000 ? 0 : ms, signal),
};

it('offers prompts and resources, asks the user, and changes its tools in a call', async () => {
  const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
  await using one = await mcpStdioCommand({
    tools: [
      { name: 'ask', run: [mcp.request('elicitation/create', form)] },
      {
        name: 'grow',
        run: [
          mcp.change({ tools: [{ name: 'ask' }, { name: 'grow' }, { name: 'new' }] }),
          mcp.notify('notifications/tools/list_changed'),
          mcp.gate('listed'),
        ],
      },
      { name: 'die', run: [mcp.crash()] },
    ],
    prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
    resources: [{ uri: 'doc://a', name: 'A', text: 'alpha' }],
  });
  const questions: ServerQuestion[] = [];
  await using run = openForTest(
    { one: one.entry },
    {
      clock: hasty,
      ask: async (question) => {
        questions.push(question);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    },
  );
  await run.ready();
  const { contents } = run.servers;
  const { prompt } = contents.prompts()[0]!;
  const greet = () => contents.getPrompt('one', prompt, 'you', NEVER);
  expect(JSON.stringify(await greet())).toContain(String.raw`greet {\"who\":\"you\"}`);
  const { parts } = await contents.readResource(contents.findReference('one:doc://a')!, NEVER);
  expect(parts).toEqual([{ text: '<untrusted_context>\nalpha\n</untrusted_context>' }]);

  await run.call('mcp_one_ask');
  expect(questions).toMatchObject([{ type: 'form', server: 'one', message: 'Who?' }]);

  const growing = run.call('mcp_one_grow');
  const record = one.readRecord();
  await record.reached('listed');
  await record.until(() => record.received('tools/list').length === 2);
  one.release('listed');
  await growing;
  // Over one pipe the answer to the list came before the answer to the call.
  expect(run.registry.getTool('mcp_one_new')).toBeDefined();
  expect(run.registry.getTool('mcp_one_die')).toBeUndefined();
  record.assertLegal();
});

it('has its prompts and subscriptions again after it died', async () => {
  await using one = await mcpStdioCommand({
    tools: [{ name: 'die', run: [mcp.crash()] }],
    prompts: [{ name: 'greet' }],
    resources: [{ uri: 'doc://a', name: 'A', text: 'alpha' }],
  });
  await using run = openForTest({ one: one.entry }, { clock: hasty });
  await run.ready();
  const { contents } = run.servers;
  await contents.readResource(contents.findReference('one:doc://a')!, NEVER);
  const record = one.readRecord();
  await record.until(() => record.received('resources/subscribe').length === 1);
  const failed = await run.call('mcp_one_die');
  expect(failed.error?.message).toContain("MCP tool 'die' of the server 'one' failed");
  await record.until(() => record.received('resources/subscribe').length === 2);
  await run.ready();
  expect(contents.prompts()).toHaveLength(1);
  expect(run.servers.states[0]).toMatchObject({ status: 'ready', attempts: 2 });
  expect(run.notices).toEqual([expect.stringContaining('The MCP server one was lost and is reconnected')]);
});

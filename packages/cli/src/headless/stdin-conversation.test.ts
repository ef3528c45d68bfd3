import {
  createAgent,
  createGeminiGenerator,
  createWorkspaceAgent,
  defineTool,
  openSession,
  ToolRegistry,
} from '@castor/core';
import { answer, call, createWorkspace, fakeModel, say } from '@castor/testkit';
import type { FakeModel } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Output } from '../output.ts';
import { toAgentOptions } from '../start/agent-options.ts';
import { prepareStart } from '../start/start.ts';
import { LiveSession } from '../surface/session-lifecycle.ts';
import type { InputLine } from './input-lines.ts';
import { PromptRunner } from './prompt-runner.ts';
import { RunSummary } from './run-summary.ts';
import { StdinConversation } from './stdin-conversation.ts';
import { StreamJsonWriter } from './stream-json-writer.ts';

const signal = new AbortController().signal;

const generatorOf = (model: FakeModel) => createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });

/** Runs one prompt whose call runs a child that asks; `reply` writes the lines of the calling program. */
async function converse(reply: (question: Record<string, unknown>) => object | undefined) {
  const ran: string[] = [];
  const act = defineTool({
    name: 'act',
    description: 'acts',
    kind: 'edit',
    schema: { type: 'object' },
    execute: () => {
      ran.push('act');
      return 'acted';
    },
  });
  await using childModel = await fakeModel([answer(call('act', {}, { id: 'inner' })), say('Child done.')]);
  await using model = await fakeModel([answer(call('delegate', {}, { id: 'outer' })), say('Done.')]);
  const delegate = defineTool({
    name: 'delegate',
    description: 'runs a child',
    schema: { type: 'object' },
    async *execute(_args, { runChild }) {
      const options = { generator: generatorOf(childModel), model: 'gemini-2.5-flash', interactive: true };
      yield* runChild(createAgent({ ...options, tools: new ToolRegistry([act]) }).session, 'Do it');
      return 'done';
    },
  });
  await using workspace = await createWorkspace();
  const { home, project: cwd } = workspace;
  const start = prepareStart({
    args: { yolo: true },
    installed: undefined,
    cwd,
    home,
    environment: { GEMINI_API_KEY: 'k' },
    isAttended: true,
  });
  const session = await openSession({ home, root: cwd });
  const generator = generatorOf(model);
  const agent = await createWorkspaceAgent({ ...toAgentOptions(start), generator, session, interactive: true });
  agent.tools.register(delegate);
  const asked = Promise.withResolvers<InputLine | undefined>();
  const lines: Record<string, unknown>[] = [];
  const output = {
    note: () => undefined,
    answer(text: string) {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      if (line['type'] !== 'tool_confirmation') return;
      const message = reply(line);
      asked.resolve(message && { number: 1, text: JSON.stringify(message) });
    },
  } as unknown as Output;
  const live = new LiveSession({ agent, session, interrupted: undefined });
  const writer = new StreamJsonWriter(output, { sessionId: 's', model: 'm', isConversation: true });
  const runner = new PromptRunner({ start, live, writer, summary: new RunSummary(), output, startedAt: 0 });
  async function* read(): AsyncGenerator<InputLine> {
    const line = await asked.promise;
    if (line) yield line;
  }
  const conversation = new StdinConversation({ runner, settings: start.settings, lines: read(), signal });
  await conversation.run({ parts: [{ text: 'Go' }] });
  await live.end({ reason: 'exit', hurry: signal });
  return { ran, types: lines.map(({ type }) => type) };
}

describe('a question of a child in a conversation over stdin', () => {
  it('is written, and the answer reaches the child', async () => {
    const { ran, types } = await converse(({ tool_id }) => ({ type: 'approval', tool_id, outcome: 'proceed_once' }));
    expect(ran).toEqual(['act']);
    expect(types.filter((type) => type === 'tool_confirmation')).toHaveLength(1);
  });

  it('is declined when the input ends', async () => {
    const { ran, types } = await converse(() => undefined);
    expect(ran).toEqual([]);
    expect(types).toContain('tool_confirmation');
  });
});

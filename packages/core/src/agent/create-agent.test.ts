import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, call, fakeModel, say } from '@castor/testkit';
import type { FakeModel } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { ToolKind } from '../protocol/tools.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createWriteTodosTool } from '../tools/builtin/write-todos.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';
import { ALLOW_EVERYTHING } from './default-policy.ts';

const signal = new AbortController().signal;

function open(model: FakeModel, options: Partial<AgentOptions> = {}) {
  const generator = createGeminiGenerator({ apiKey: 'k', baseUrl: model.url });
  return createAgent({ generator, model: 'gemini-2.5-flash', ...options });
}

/** A tool that says it ran. */
function tool(name: string, kind?: ToolKind, result = 'done') {
  const ran: string[] = [];
  const defined = defineTool({
    name,
    description: name,
    schema: { type: 'object' },
    ...(kind && { kind }),
    execute: () => {
      ran.push(name);
      return result;
    },
  });
  return { ran, tools: new ToolRegistry([defined]) };
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const seen: AgentEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe('an agent of a generator and a model', () => {
  it('answers a prompt, under a session id of its own', async () => {
    await using model = await fakeModel([say('Hello.'), say('Hello.')]);
    const [one, other] = [open(model).session, open(model).session];
    expect(one.sessionId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
    expect(one.sessionId).not.toBe(other.sessionId);
    const events = await collect(one.prompt('Hi', signal));
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
  });

  it.each<[string, ToolKind]>([
    ['look', 'read'],
    ['find', 'search'],
    ['ponder', 'think'],
  ])('runs %s, of kind %s, unasked', async (name, kind) => {
    await using model = await fakeModel([answer(call(name, {}, { id: 'c' })), say('Done.')]);
    const { ran, tools } = tool(name, kind);
    await collect(open(model, { tools }).session.prompt('Do it', signal));
    expect(ran).toEqual([name]);
  });

  it.each<ToolKind | undefined>([undefined, 'other', 'edit', 'delete', 'move', 'execute', 'fetch', 'agent'])(
    'refuses a tool of kind %s, and tells the model why',
    async (kind) => {
      await using model = await fakeModel([answer(call('act', {}, { id: 'c' })), say('I may not.')]);
      const { ran, tools } = tool('act', kind);
      const events = await collect(open(model, { tools }).session.prompt('Do it', signal));
      expect(ran).toEqual([]);
      expect(events.some(({ type }) => type === 'tool_call_confirmation')).toBe(false);
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('it may read and search only');
    },
  );

  it.each(['complete_task', 'invoke_agent', 'read_file'])(
    'goes by the kind of a tool, although it is named %s',
    async (name) => {
      await using model = await fakeModel([answer(call(name, {}, { id: 'c' })), say('I may not.')]);
      const { ran, tools } = tool(name, 'execute');
      await collect(open(model, { tools }).session.prompt('Do it', signal));
      expect(ran).toEqual([]);
    },
  );

  it('lets the built-in list of todos be written: it changes nothing', async () => {
    await using model = await fakeModel([answer(call('write_todos', { todos: [] }, { id: 'c' })), say('Done.')]);
    const tools = new ToolRegistry([createWriteTodosTool()]);
    await collect(open(model, { tools }).session.prompt('Plan', signal));
    expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain('it may read and search only');
  });

  it.each([
    ['proceed_once', ['act']],
    ['cancel', []],
  ] as const)('asks where the caller answers, and keeps to %s', async (outcome, expected) => {
    await using model = await fakeModel([answer(call('act', {}, { id: 'c' })), say('Done.')]);
    const { ran, tools } = tool('act', 'edit');
    const { session } = open(model, { tools, interactive: true });
    let asked = 0;
    for await (const event of session.prompt('Do it', signal)) {
      if (event.type !== 'tool_call_confirmation') continue;
      asked++;
      session.respond(event.value.request.callId, outcome);
    }
    expect([asked, ran]).toEqual([1, expected]);
  });

  it('asks again after "always": without rules an approval binds for one call', async () => {
    const act = (id: string) => answer(call('act', {}, { id }));
    await using model = await fakeModel([act('c1'), act('c2'), say('Done.')]);
    const { ran, tools } = tool('act', 'execute');
    const { session } = open(model, { tools, interactive: true });
    let asked = 0;
    for await (const event of session.prompt('Do it', signal)) {
      if (event.type !== 'tool_call_confirmation') continue;
      asked++;
      session.respond(event.value.request.callId, 'proceed_always');
    }
    expect([asked, ran]).toEqual([2, ['act', 'act']]);
  });

  it('runs everything under the policy that allows everything', async () => {
    await using model = await fakeModel([answer(call('act', {}, { id: 'c' })), say('Done.')]);
    const { ran, tools } = tool('act', 'execute');
    await collect(open(model, { tools, policy: ALLOW_EVERYTHING }).session.prompt('Do it', signal));
    expect(ran).toEqual(['act']);
  });
});

describe('the folder of an agent that was given none', () => {
  let temporary: string;
  const before = process.env['TMPDIR'];
  beforeEach(async () => {
    temporary = await realpath(await mkdtemp(join(tmpdir(), 'castor-create-agent-')));
    process.env['TMPDIR'] = temporary;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(temporary, { recursive: true });
  });

  it('is not made for short output', async () => {
    await using model = await fakeModel([answer(call('look', {}, { id: 'c' })), say('Done.')]);
    await collect(open(model, { tools: tool('look', 'read').tools }).session.prompt('Do it', signal));
    expect(await readdir(temporary)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('is private and holds output too long for the model', async () => {
    const text = 'long '.repeat(600_000);
    await using model = await fakeModel([answer(call('look', {}, { id: 'c' })), say('Done.')]);
    const events = await collect(
      open(model, { tools: tool('look', 'read', text).tools }).session.prompt('Do it', signal),
    );
    const response = events.find((event) => event.type === 'tool_call_response');
    const [name = ''] = await readdir(temporary);
    expect((await stat(join(temporary, name))).mode & 0o077).toBe(0);
    const path = response?.value.outputFile ?? '';
    expect(path.startsWith(join(temporary, name))).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

/** What an agent does with the catalogue of its provider, over real HTTP. */

import {
  answer,
  call,
  createFakeClock,
  createWorkspace,
  fakeModel,
  fault,
  finish,
  say,
  text,
  usage,
} from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Part } from '../protocol/content.ts';
import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';

/** A provider of other models, as a table of differences. */
const OTHER: ModelCatalogue = {
  ...GEMINI_CATALOGUE,
  find: (model) =>
    model.startsWith('other-')
      ? { ...GEMINI_CATALOGUE.unknown, contextWindow: 8_000, mediaInResponses: true }
      : undefined,
  unknown: { ...GEMINI_CATALOGUE.unknown, contextWindow: 4_000 },
  aliases: { auto: { preview: 'other-large', stable: 'other-large', isAuto: true } },
  chains: [{ leads: ['other-large'], others: ['other-small'], silent: true }],
  prices: { 'other-large': { input: 1, output: 1 } },
};

async function setUp(script: Script, options: Partial<AgentOptions> & { catalogue?: ModelCatalogue }) {
  const workspace = await createWorkspace();
  const model = await fakeModel(script);
  const { catalogue, ...rest } = options;
  const gemini = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const generator: ContentGenerator = catalogue ? { ...gemini, catalogue } : gemini;
  const agent = createAgent({
    generator,
    model: 'auto',
    sessionId: 's',
    tempDirectory: workspace.home,
    clock: createFakeClock(),
    ...rest,
  });
  const ask = async (words: string): Promise<AgentEvent[]> => {
    const events: AgentEvent[] = [];
    for await (const event of agent.session.prompt([{ text: words }], new AbortController().signal)) events.push(event);
    return events;
  };
  const dispose = async () => {
    await model.close();
    await workspace[Symbol.asyncDispose]();
  };
  return { agent, model, ask, [Symbol.asyncDispose]: dispose };
}

const noticesOf = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [`${event.level}: ${event.message}`] : []));

describe('an agent', () => {
  it('tells once that it assumes the window of an unknown model', async () => {
    await using env = await setUp([say('a'), say('b')], { model: 'my-model' });
    expect([...noticesOf(await env.ask('one')), ...noticesOf(await env.ask('two'))]).toEqual([
      'info: The context window of my-model is unknown; Castor assumes 128,000 tokens. See docs/models.md.',
    ]);
    expect(env.agent.tokenLimit('my-model')).toBe(128_000);
  });

  it.each([
    ['a model of a known family', { model: 'gemini-2.5-flash-mine' }],
    ['a window that the caller gave', { model: 'my-model', limits: { tokenLimit: () => 1_000 } }],
    [
      "a user's own alias of a known model",
      {
        model: 'mine',
        modelConfigs: { customAliases: { mine: { extends: 'chat-base', modelConfig: { model: 'gemini-2.5-pro' } } } },
      },
    ],
  ])('assumes nothing for %s', async (_what, options) => {
    await using env = await setUp([say('a')], options);
    expect(noticesOf(await env.ask('one'))).toEqual([]);
  });

  it('takes windows, aliases, stand-ins and prices from the catalogue of its provider', async () => {
    const paid = answer(usage({ promptTokenCount: 1_000_000 }), text('done'), finish('STOP'));
    await using env = await setUp([paid, fault(404), say('done')], { catalogue: OTHER });
    await env.ask('one');
    expect(env.agent.ledger.cost().byModel).toEqual({ 'other-large': expect.any(Number) });
    await env.ask('two');
    expect(env.model.requests.map(({ model }) => model)).toEqual(['other-large', 'other-large', 'other-small']);
    const limits = ['auto', 'other-small', 'gemini-2.5-pro'].map((name) => env.agent.tokenLimit(name));
    expect(limits).toEqual([8_000, 8_000, 4_000]);
  });

  it.each([
    [OTHER, true],
    [{ ...OTHER, find: () => OTHER.unknown }, false],
  ])('puts media inside a response only where the catalogue says so', async (catalogue, isInside) => {
    const inlineData = { mimeType: 'image/png', data: 'AA==' };
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      displayName: 'Look',
      kind: 'read',
      schema: { type: 'object', properties: {} },
      describe: () => 'Looks.',
      execute: async () => ({ llmContent: [{ inlineData }], returnDisplay: '' }),
    });
    await using env = await setUp([answer(call('look', {}), finish('STOP')), say('seen')], {
      catalogue,
      tools: new ToolRegistry([look]),
    });
    await env.ask('look');
    const parts = (env.model.requests[1]?.body.contents.at(-1).parts ?? []) as Part[];
    const inside = parts.some(({ functionResponse }) => functionResponse?.parts);
    expect([inside, parts.some((part) => part.inlineData)]).toEqual([isInside, !isInside]);
  });
});

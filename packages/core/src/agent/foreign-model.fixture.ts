/** An agent whose model is another provider's, at scripted servers, with no Gemini API at all: a request to it fails. */

import { createFakeClock, createWorkspace, fakeModel } from '@castor/testkit';
import type { FakeModelOptions, ProtocolName, Script } from '@castor/testkit';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { ProviderAccess } from '../provider/open-provider.ts';
import { openProvider } from '../provider/open-provider.ts';
import { createProviderSwitch } from '../provider/provider-switch.ts';
import { createEndpoint } from '../provider/wire/endpoint.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';

const BASES: Readonly<Record<ProtocolName, string>> = {
  gemini: '/v1beta',
  chat: '/v1',
  responses: '/v1',
  anthropic: '',
  ollama: '',
};

export interface ScriptedProvider {
  script: Script;
  protocol?: ProtocolName;
  options?: FakeModelOptions;
  access?: Partial<ProviderAccess>;
}

const unexpected: string[] = [];
const refuse = async ({ model }: { model: string }): Promise<never> => {
  unexpected.push(model);
  throw new Error(`A request went to the Gemini API: ${model}.`);
};
const NO_GEMINI: ContentGenerator = {
  generateContent: refuse,
  generateContentStream: refuse,
  countTokens: refuse,
  embedContent: refuse,
};

/** `providers` by id; the agent starts with `model`. */
export async function openForeign(
  providers: Readonly<Record<string, ScriptedProvider>>,
  options: Partial<AgentOptions> & { model: string },
) {
  const workspace = await createWorkspace();
  const models: Record<string, Awaited<ReturnType<typeof fakeModel>>> = {};
  for (const [id, { script, protocol = 'chat', options: server }] of Object.entries(providers)) {
    models[id] = await fakeModel(script, { protocol, ...server });
  }
  unexpected.length = 0;
  const generator = createProviderSwitch({
    main: NO_GEMINI,
    open: (id) => {
      const { protocol = 'chat', access } = providers[id]!;
      const endpoint = createEndpoint({
        baseUrl: `${models[id]!.url}${BASES[protocol]}`,
        key: { value: 'k', header: protocol === 'anthropic' ? 'x-api-key' : 'authorization', source: 'TEST_KEY' },
      });
      return openProvider({ id, name: id, protocol, endpoint, ...access });
    },
  });
  const agent = createAgent({
    generator,
    sessionId: 's',
    tempDirectory: workspace.home,
    clock: createFakeClock(),
    ...options,
  });
  return {
    agent,
    generator,
    models,
    /** Models of requests that went to the Gemini API. */
    unexpected,
    async ask(words: string): Promise<AgentEvent[]> {
      const events: AgentEvent[] = [];
      const { signal } = new AbortController();
      for await (const event of agent.session.prompt([{ text: words }], signal)) events.push(event);
      return events;
    },
    async [Symbol.asyncDispose]() {
      for (const model of Object.values(models)) await model.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

export const noticesOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));

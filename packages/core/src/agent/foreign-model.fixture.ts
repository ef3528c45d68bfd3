/** An agent whose model is another provider's, at scripted servers, with no Gemini API at all: a request to it fails. */

import { createFakeClock, createWorkspace, fakeModel } from '@castor/testkit';
import type { FakeModelOptions, ProtocolName, Script } from '@castor/testkit';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { ProviderAccess } from '../provider/open-provider.ts';
import { openProvider } from '../provider/open-provider.ts';
import { createProviderSwitch } from '../provider/provider-switch.ts';
import { createEndpoint } from '../provider/wire/endpoint.ts';
import { isRecord } from '../util/is-record.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';
import type { Agent } from './create-agent.ts';
import { createWorkspaceAgent } from './workspace-agent.ts';
import type { WorkspaceAgentOptions } from './workspace-options.ts';

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

const isGeneration = (body: unknown) =>
  isRecord(body) && ['messages', 'input', 'contents'].some((key) => Array.isArray(body[key]));

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

/** A generator that sends `<id>/model` to the scripted server of that provider. */
export async function openProviders(providers: Readonly<Record<string, ScriptedProvider>>) {
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
  return {
    generator,
    /** The requests a provider's server received, without questions about its models. */
    sent: (id: string) => models[id]!.requests.filter(({ body }) => isGeneration(body)),
    /** Models of requests that went to the Gemini API. */
    unexpected,
    async [Symbol.asyncDispose]() {
      for (const model of Object.values(models)) await model.close();
    },
  };
}

/** `providers` by id; the agent starts with `model`. */
export async function openForeign(
  providers: Readonly<Record<string, ScriptedProvider>>,
  options: Partial<AgentOptions> & { model: string },
) {
  const workspace = await createWorkspace();
  const opened = await openProviders(providers);
  const agent = createAgent({
    generator: opened.generator,
    sessionId: 's',
    tempDirectory: workspace.home,
    clock: createFakeClock(),
    ...options,
  });
  return {
    ...opened,
    agent,
    ask: (words: string) => askAgent(agent, words),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** The same with the tools of a workspace. The provider is open before the agent, as a start does it. */
export async function openForeignWorkspace(
  providers: Readonly<Record<string, ScriptedProvider>>,
  options: Partial<WorkspaceAgentOptions> & { model: string; files?: Record<string, string> },
) {
  const { files = {}, ...rest } = options;
  const workspace = await createWorkspace({ files });
  const opened = await openProviders(providers);
  await opened.generator.prepare(options.model);
  const agent = await createWorkspaceAgent({
    generator: opened.generator,
    sessionId: 's',
    root: workspace.project,
    home: workspace.home,
    environment: { PATH: process.env['PATH'] },
    approvalMode: 'yolo',
    interactive: true,
    ...rest,
  });
  return {
    ...opened,
    agent,
    workspace,
    ask: (words: string) => askAgent(agent, words),
    async [Symbol.asyncDispose]() {
      await agent.dispose();
      await opened[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function askAgent({ session }: Pick<Agent, 'session'>, words: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of session.prompt([{ text: words }], new AbortController().signal)) events.push(event);
  return events;
}

export const noticesOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));

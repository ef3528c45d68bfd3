/**
 * A scene: an agent whose model is a scripted server of one protocol, over real HTTP and under a clock of its own. It
 * reports what a user saw, what was waited for and what the server received. No request may go to the main provider.
 */

import { tmpdir } from 'node:os';
import { createFakeClock, fakeModel } from '@castor/testkit';
import type { FakeClock, FakeModel, FakeModelOptions, ModelRequest, Script } from '@castor/testkit';
import { createAgent, defineTool, ToolRegistry } from '@castor/core';
import type { Agent, AgentEvent, AgentOptions, ContentGenerator } from '@castor/core';
import { toStructuredError, UnauthorizedError } from '../../packages/core/src/protocol/errors.ts';
import type { StructuredError } from '../../packages/core/src/protocol/errors.ts';
import type { ToolOutput } from '../../packages/core/src/tools/define-tool.ts';
import { GEMINI_CATALOGUE } from '../../packages/core/src/provider/catalogue/gemini-catalogue.ts';
import type { KnownModel } from '../../packages/core/src/provider/catalogue/provider-catalogue.ts';
import { openProvider } from '../../packages/core/src/provider/open-provider.ts';
import type { OpenProvider, ProviderAccess } from '../../packages/core/src/provider/open-provider.ts';
import { createProviderSwitch } from '../../packages/core/src/provider/provider-switch.ts';
import { PROVIDERS } from '../../packages/core/src/provider/providers.ts';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { createEndpoint } from '../../packages/core/src/provider/wire/endpoint.ts';
import type { WireGeneratorOptions } from '../../packages/core/src/provider/wire/wire-generator.ts';

export const PROTOCOLS: readonly ProtocolName[] = ['gemini', 'chat', 'responses', 'anthropic', 'ollama'];
export const TEST_KEY = 'test-key-0123456789';
export const IMAGE = 'iVBORw0KGgo=';

/** The path below the server's address that a base URL has. */
const BASES: Readonly<Record<ProtocolName, string>> = {
  gemini: '/v1beta',
  chat: '/v1',
  responses: '/v1',
  anthropic: '',
  ollama: '',
};

const THINKING = {
  gemini: undefined,
  chat: 'switch',
  responses: 'effort',
  anthropic: 'adaptive',
  ollama: 'switch',
} as const;

/** A server and a provider whose models think, with state that must come back: for Chat Completions, DeepSeek. */
export function withState(
  protocol: ProtocolName,
  facts: KnownModel = {},
): { server: FakeModelOptions; access: Partial<ProviderAccess> } {
  const thinking = THINKING[protocol];
  const known = { ...(thinking && { thinking }), ...facts };
  const deepseek = PROVIDERS.find(({ id }) => id === 'deepseek');
  return {
    server: { protocol, ...(protocol === 'chat' && { vendor: 'deepseek' }) },
    access: { models: { m: known, other: known }, ...(protocol === 'chat' && { quirks: deepseek?.quirks }) },
  };
}

export interface SceneOptions {
  server?: FakeModelOptions;
  access?: Partial<ProviderAccess>;
  agent?: Partial<AgentOptions>;
  wire?: WireGeneratorOptions;
  /** Whether the server counts as one on this machine. Default false. */
  isLocal?: boolean;
}

export interface RanCall {
  name: string;
  args: Record<string, unknown>;
}

/** What one prompt led to. */
export interface Seen {
  events: AgentEvent[];
  /** The text that remains on the screen: an attempt that is repeated takes its text back. */
  text: string;
  thoughts: string;
  retries: Extract<AgentEvent, { type: 'retry' }>[];
  notices: string[];
  outcome: string | undefined;
  error: StructuredError | undefined;
  /** Why the prompt ended, in words. */
  detail: string;
  waits: number[];
}

export interface Scene extends AsyncDisposable {
  protocol: ProtocolName;
  model: FakeModel;
  agent: Agent;
  clock: FakeClock;
  provider: OpenProvider;
  /** The calls that ran, in the order they ended. */
  ran: RanCall[];
  /** The streamed requests: the conversation, without side endpoints. */
  requests(): ModelRequest[];
  /** Resolves when so many of them have arrived. */
  waitForRequest(count: number): Promise<void>;
  ask(words: string, signal?: AbortSignal): Promise<Seen>;
}

export async function openAt(
  protocol: ProtocolName,
  url: string,
  { access, wire, isLocal = false }: SceneOptions = {},
): Promise<OpenProvider> {
  const endpoint = createEndpoint({
    baseUrl: `${url}${BASES[protocol]}`,
    key: { value: TEST_KEY, header: protocol === 'anthropic' ? 'x-api-key' : 'authorization', source: 'TEST_KEY' },
  });
  return openProvider(
    {
      id: `my-${protocol}`,
      name: protocol,
      protocol,
      endpoint: { ...endpoint, isLocal },
      // A known window, so that no notice says that it is assumed.
      models: { m: { contextWindow: 128_000 } },
      ...access,
    },
    wire ?? {},
  );
}

/** A generator that sends `<id>/model` to that provider, and nothing anywhere else. */
export function switchOf(providers: Readonly<Record<string, OpenProvider>>) {
  return createProviderSwitch({
    main: FORBIDDEN,
    mainCatalogue: GEMINI_CATALOGUE,
    open: async (id) => providers[id] ?? Promise.reject(new Error(`unknown provider ${id}`)),
  });
}

export async function openScene(protocol: ProtocolName, script: Script, options: SceneOptions = {}): Promise<Scene> {
  const model = await fakeModel(script, { protocol, ...options.server });
  const provider = await openAt(protocol, model.url, options);
  const clock = createFakeClock();
  const ran: RanCall[] = [];
  const generator = switchOf({ [provider.access.id]: provider });
  await generator.prepare(`my-${protocol}/m`);
  const agent = createAgent({
    generator,
    model: `my-${protocol}/m`,
    sessionId: 's',
    tempDirectory: tmpdir(),
    systemInstruction: 'Be brief.',
    tools: sceneTools(ran),
    reportError: async () => {},
    clock,
    ...options.agent,
  });
  return {
    protocol,
    model,
    agent,
    clock,
    provider,
    ran,
    requests: () => conversationOf(model),
    async waitForRequest(count) {
      for (let arrived = 1; conversationOf(model).length < count; arrived++) await model.waitForRequest(arrived);
    },
    ask: async (words, signal = new AbortController().signal) => {
      const slept = clock.sleeps.length;
      const events: AgentEvent[] = [];
      let thrown: unknown;
      try {
        for await (const event of agent.session.prompt(words, signal)) events.push(event);
      } catch (error) {
        // The only error that leaves a prompt.
        if (!(error instanceof UnauthorizedError)) throw error;
        thrown = error;
      }
      const seen = seenIn(events, clock.sleeps.slice(slept));
      if (thrown === undefined) return seen;
      const error = toStructuredError(thrown);
      return { ...seen, outcome: 'failed', error, detail: error.message };
    },
    async [Symbol.asyncDispose]() {
      provider.generator.close();
      await model.close();
    },
  };
}

/** The streamed requests a server received. */
export function conversationOf(model: FakeModel): ModelRequest[] {
  return model.requests.filter(({ action }) => action === 'streamGenerateContent');
}

/** `read_file` reads, `list_files` takes no arguments, `look` returns an image, `slow` ends after `quick`, `switch_model` calls `onSwitch`. */
export function sceneTools(ran: RanCall[], onSwitch: () => void = () => {}): ToolRegistry {
  const quick = Promise.withResolvers<void>();
  const tool = (
    name: string,
    schema: Parameters<typeof defineTool>[0]['schema'],
    run: (args: Record<string, unknown>) => Promise<ToolOutput>,
  ) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      kind: 'read',
      schema,
      execute: async (params) => {
        const args = params as Record<string, unknown>;
        const output = await run(args);
        ran.push({ name, args });
        return output;
      },
    });
  const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
  const nothing = { type: 'object', properties: {} } as const;
  const inlineData = { mimeType: 'image/png', data: IMAGE };
  return new ToolRegistry([
    tool('read_file', path, async ({ path: name }) => `text of ${String(name)}`),
    tool('list_files', nothing, async () => 'a, b'),
    tool('look', nothing, async () => ({ llmContent: [{ text: 'seen:' }, { inlineData }], returnDisplay: '' })),
    tool('switch_model', nothing, async () => {
      onSwitch();
      return 'switched';
    }),
    tool('slow', nothing, async () => {
      await quick.promise;
      return 'slow result';
    }),
    tool('quick', nothing, async () => {
      quick.resolve();
      return 'quick result';
    }),
  ]);
}

function seenIn(events: AgentEvent[], waits: readonly number[]): Seen {
  const seen: Seen = {
    events,
    text: '',
    thoughts: '',
    retries: [],
    notices: [],
    outcome: undefined,
    error: undefined,
    detail: '',
    waits: waits.filter((ms) => ms > 0),
  };
  let kept = '';
  for (const event of events) {
    if (event.type === 'content') seen.text += event.value;
    if (event.type === 'thought') seen.thoughts += `${event.value.subject}${event.value.description}`;
    if (event.type === 'finished') kept = seen.text;
    if (event.type === 'notice') seen.notices.push(event.message);
    if (event.type === 'retry') {
      seen.text = kept;
      seen.retries.push(event);
    }
    if (event.type === 'prompt_ended') {
      seen.outcome = event.outcome;
      seen.error = event.error;
      seen.detail = event.detail ?? event.error?.message ?? '';
    }
  }
  return seen;
}

const forbidden = async (): Promise<never> => {
  throw new Error('A request went to the main provider.');
};
const FORBIDDEN: ContentGenerator = {
  generateContent: forbidden,
  generateContentStream: forbidden,
  countTokens: forbidden,
  embedContent: forbidden,
};

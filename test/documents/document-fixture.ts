/** A chat, a client and an agent over the scripted model, as the readers of the design documents build them. */

import { createAgent, createGeminiGenerator, GeminiChat } from '@castor/core';
import type { Agent, AgentOptions, GeminiChatOptions } from '@castor/core';
import { createFakeClock, fakeModel } from '@castor/testkit';
import type { FakeModel, Script } from '@castor/testkit';

export const NEVER = new AbortController().signal;
export const MODEL = 'gemini-2.5-flash';

export interface OpenedChat extends AsyncDisposable {
  model: FakeModel;
  chat: GeminiChat;
}

export async function openChat(script: Script, options: Partial<GeminiChatOptions> = {}): Promise<OpenedChat> {
  const model = await fakeModel(script);
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'key-of-the-user' });
  const chat = new GeminiChat({ generator, model: MODEL, clock: createFakeClock(), ...options });
  return { model, chat, [Symbol.asyncDispose]: () => model.close() };
}

export interface OpenedAgent extends AsyncDisposable {
  model: FakeModel;
  agent: Agent;
}

export async function openAgent(script: Script, options: Partial<AgentOptions> = {}): Promise<OpenedAgent> {
  const model = await fakeModel(script);
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'key-of-the-user' });
  const agent = createAgent({
    generator,
    model: MODEL,
    sessionId: 's',
    tempDirectory: '.',
    clock: createFakeClock(),
    ...options,
  });
  return { model, agent, [Symbol.asyncDispose]: () => model.close() };
}

export async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

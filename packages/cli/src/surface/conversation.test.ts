import type { AgentEvent, Outcome, Part } from '@castor/core';
import { describe, expect, it } from 'vitest';
import type { ConversationPorts } from './conversation-ports.ts';
import { Conversation } from './conversation.ts';
import { LiveSession } from './session-lifecycle.ts';
import { openPromptFixture } from './prompt.fixture.ts';

type Turn = { words: string; end: (outcome?: Outcome) => void };

/** A conversation with a session whose model answers when the test says so. */
async function open(ports: Partial<ConversationPorts> = {}, during: readonly AgentEvent[] = []) {
  const fixture = await openPromptFixture({});
  const turns: Turn[] = [];
  const events: AgentEvent[] = [];
  let arrived = Promise.withResolvers<void>();
  const live = new LiveSession({ agent: fixture.agent, session: undefined as never, interrupted: undefined });
  live.prompt = async function* (parts: readonly Part[], signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
    const ended = Promise.withResolvers<Outcome>();
    signal.addEventListener('abort', () => ended.resolve('cancelled'), { once: true });
    turns.push({ words: parts[0]?.text ?? '', end: (outcome = 'completed') => ended.resolve(outcome) });
    yield { type: 'prompt_started', prompt_id: 'p' };
    yield* during;
    arrived.resolve();
    arrived = Promise.withResolvers<void>();
    yield { type: 'prompt_ended', prompt_id: 'p', outcome: await ended.promise };
  };
  const conversation = new Conversation({
    live: async () => live,
    read: async ({ text }) => ({ parts: [{ text }], text }),
    show: (event) => void events.push(event),
    onError: (error) => {
      throw error;
    },
    ...ports,
  });
  const turn = async (index: number) => {
    while (!turns[index]) await arrived.promise;
    return turns[index];
  };
  return { conversation, events, turns, turn, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

describe('Conversation', () => {
  it.each<[string, boolean, string[]]>([
    ['each text that waited as a prompt of its own', false, ['first', 'a', 'b', '!ls', 'c', 'd']],
    ['words that waited as one prompt, and commands alone', true, ['first', 'a\n\nb', '!ls', 'c\n\nd']],
  ])('sends %s', async (_name, joinsQueue, expected) => {
    await using env = await open({ joinsQueue });
    for (const text of ['first', 'a', 'b', '!ls', 'c', 'd']) env.conversation.enqueue({ text });
    for (const index of expected.keys()) (await env.turn(index)).end();
    await env.conversation.settled();
    expect(env.turns.map(({ words }) => words)).toEqual(expected);
  });

  it('sends what was given after a cancel, and nothing after the end of the program', async () => {
    const ending = new AbortController();
    await using env = await open({ signal: ending.signal });
    env.conversation.enqueue({ text: 'one' });
    await env.turn(0);
    env.conversation.cancel();
    env.conversation.enqueue({ text: 'two' });
    await env.turn(1);
    env.conversation.enqueue({ text: 'three' });
    ending.abort();
    await env.conversation.settled();
    expect(env.turns.map(({ words }) => words)).toEqual(['one', 'two']);
  });

  it('shows a prompt that is cancelled before it was sent, with its words', async () => {
    await using env = await open({ read: () => new Promise(() => undefined) });
    env.conversation.enqueue({ text: 'slow @file' });
    expect([env.conversation.preparing, env.conversation.cancel()]).toEqual(['slow @file', true]);
    await env.conversation.settled();
    expect(env.events).toMatchObject([
      { type: 'prompt_started', text: 'slow @file' },
      { type: 'prompt_ended', outcome: 'cancelled' },
    ]);
  });

  it('passes on the events of a child as they are, and ends with its own prompt', async () => {
    const child: AgentEvent[] = [
      { type: 'prompt_started', prompt_id: 'c', text: 'a question', parentCallId: 'call' },
      { type: 'prompt_ended', prompt_id: 'c', outcome: 'failed', parentCallId: 'call' },
    ];
    const read = async ({ text }: { text: string }) => ({ parts: [{ text }], text, isShown: true });
    await using env = await open({ read }, child);
    env.conversation.enqueue({ text: 'one' });
    (await env.turn(0)).end();
    await env.conversation.settled();
    expect(env.events.slice(1, 3)).toEqual(child);
  });

  it('sends what the user said when they declined a call', async () => {
    const said = ['use b instead'];
    await using env = await open({ takeFeedback: () => said.pop() });
    env.conversation.enqueue({ text: 'one' });
    (await env.turn(0)).end('cancelled');
    (await env.turn(1)).end();
    await env.conversation.settled();
    expect(env.turns[1]?.words).toBe('use b instead');
  });

  it('sends a prompt again when the user allows a loop', async () => {
    const answers = [false, true];
    await using env = await open({ onLoop: async () => answers.pop()! });
    env.conversation.enqueue({ text: 'one' });
    (await env.turn(0)).end('loop_detected');
    (await env.turn(1)).end('loop_detected');
    await env.conversation.settled();
    expect(env.turns).toHaveLength(2);
  });

  it('runs a command beside a prompt, gives back one that has to wait, and queues a sentence', async () => {
    const waits: string[] = [];
    const answers = { '/stats': 'ran', '/clear': 'waits', '/help me': 'words' } as const;
    await using env = await open({
      runBeside: async (text) => answers[text as keyof typeof answers],
      onWaits: (text) => waits.push(text),
    });
    env.conversation.enqueue({ text: 'one' });
    const first = await env.turn(0);
    for (const text of Object.keys(answers)) env.conversation.submit({ text });
    while (env.conversation.queue.length === 0) await Promise.resolve();
    first.end();
    (await env.turn(1)).end();
    await env.conversation.settled();
    expect([env.turns.map(({ words }) => words), waits]).toEqual([['one', '/help me'], ['/clear']]);
  });

  it('rejects with what its port does not explain', async () => {
    await using env = await open({ read: () => Promise.reject(new Error('a bug')) });
    env.conversation.enqueue({ text: 'one' });
    await expect(env.conversation.settled()).rejects.toThrow('a bug');
  });
});

import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';
import { ConversationBuilder } from './conversation.ts';
import { ForeignModel, foreignAnswer, foreignOrigin } from './foreign-model.fixture.ts';
import { GeminiChat } from './gemini-chat.ts';
import type { GeminiChatOptions } from './gemini-chat-options.ts';

const NEVER = new AbortController().signal;
const call = (id: string, name = 't'): Part => ({ functionCall: { id, name, args: {} } });
const response = (id: string): Part => ({ functionResponse: { id, name: 't', response: { output: 'o' } } });
const thinking = (before: number, text = 'hm', signature = 's') => ({ before, type: 'thinking', text, signature });
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });

function setUp(model: ForeignModel, options: Partial<GeminiChatOptions> = {}) {
  return new GeminiChat({ generator: model, model: 'm', clock: createFakeClock(), ...options });
}

async function ask(chat: GeminiChat, message: PartListUnion, prompt_id = 'p') {
  const events = [];
  for await (const event of await chat.sendMessageStream('m', message, prompt_id, NEVER)) events.push(event);
  return events;
}

describe('the origin of an answer', () => {
  it('comes back with the turn, also when a last frame without parts brought it', async () => {
    const origin = foreignOrigin({ blocks: [thinking(0)], message: { id: 'msg_1' } });
    const model = ForeignModel.of(foreignAnswer([{ text: 'one' }], origin), foreignAnswer([{ text: 'two' }]));
    const chat = setUp(model);
    await ask(chat, 'a');
    await ask(chat, 'b');
    expect(model.received).toEqual([origin]);
    expect(chat.getHistory().map(originOf)).toEqual([undefined, origin, undefined, undefined]);
  });

  it('keeps the texts on both sides of a block apart, and joins them without a block between them', async () => {
    const parts = [
      { text: 'a' },
      { text: 'b' },
      { text: 'hm', thought: true },
      { text: 'c' },
      { thought: true },
      { text: 'd' },
    ];
    const origin = foreignOrigin({ blocks: [thinking(1), { before: 2, type: 'redacted', data: 'x' }] });
    const model = ForeignModel.of(
      foreignAnswer(parts, origin),
      foreignAnswer(parts, foreignOrigin({ blocks: [thinking(0)] })),
      foreignAnswer(parts, foreignOrigin({ blocks: [] })),
      foreignAnswer(parts),
    );
    const chat = setUp(model);
    for (const message of ['1', '2', '3', '4']) await ask(chat, message);
    const texts = chat.getHistory().flatMap(({ role, parts: own }) => (role === 'model' ? [own] : []));
    expect(texts).toEqual([
      [{ text: 'ab' }, { text: 'c' }, { text: 'd' }],
      ...Array.from({ length: 3 }, () => [{ text: 'abcd' }]),
    ]);
  });

  it('shows no thought for the place of a block without text', async () => {
    const model = ForeignModel.of(foreignAnswer([{ thought: true }, { text: 'a' }], foreignOrigin()));
    const thoughts: unknown[] = [];
    const recorder = {
      answered: (answer: { thoughts: unknown[] }) => thoughts.push(...answer.thoughts),
      sent() {},
      withdrawn() {},
      added() {},
      replaced() {},
    };
    await ask(setUp(model, { recorder }), 'a');
    expect(thoughts).toEqual([]);
  });

  it('follows a call whose id the chat replaces', async () => {
    const origin = (state: string) => foreignOrigin({ calls: { c1: { state }, c2: { state: 'kept' } } });
    const model = ForeignModel.of(
      foreignAnswer([call('c1')], foreignOrigin({ calls: { c1: { state: 'first' } } })),
      foreignAnswer([call('c1'), call('c2'), call('c1')], origin('second')),
      foreignAnswer([{ text: 'done' }]),
    );
    const chat = setUp(model);
    await ask(chat, 'a');
    await ask(chat, [response('c1')]);
    const ids = chat.getLastContent()!.parts!.map(({ functionCall }) => functionCall!.id!);
    expect(new Set([...ids, 'c1']).size).toBe(4);
    await ask(chat, ids.map(response));
    expect(model.received.map((each) => each?.calls)).toEqual([
      { c1: { state: 'first' } },
      { [ids[0]!]: { state: 'second' }, c2: { state: 'kept' } },
    ]);
  });

  it('is absent from an answer that was interrupted, and from a failed attempt', async () => {
    const broken = foreignAnswer([{ text: 'half' }]).slice(0, 1);
    const origin = foreignOrigin();
    const model = ForeignModel.of(
      broken,
      foreignAnswer([{ text: 'whole' }], origin),
      foreignAnswer([{ text: 'half' }, { text: 'rest' }], origin),
    );
    const chat = setUp(model);
    await ask(chat, 'a');
    expect(originOf(chat.getLastContent()!)).toEqual(origin);
    const abort = new AbortController();
    const stream = await chat.sendMessageStream('m', 'b', 'q', abort.signal);
    await stream.next();
    abort.abort();
    await expect(stream.next()).rejects.toThrow();
    expect(chat.getLastContent()?.parts?.[0]).toEqual({ text: 'half' });
    expect(originOf(chat.getLastContent()!)).toBeUndefined();
  });

  it('stays in the chat: the frames that are shown have no JSON of it', async () => {
    const origin = foreignOrigin({ blocks: [thinking(0, 'SECRET', 'SECRET')] });
    const chat = setUp(ForeignModel.of(foreignAnswer([{ text: 'a' }], origin)));
    expect(JSON.stringify(await ask(chat, 'a'))).not.toContain('SECRET');
  });
});

describe('the conversation that is sent', () => {
  const origin = foreignOrigin({ blocks: [thinking(0)] });
  const sent = (...turns: Content[]) => ConversationBuilder.of(turns).contents;
  const model = (...parts: Part[]) => withOrigin({ role: 'model', parts }, origin);
  const answered = { role: 'user', parts: [response('c1')] };

  it.each<[string, Content[], (Origin | undefined)[]]>([
    ['a text', [model({ text: 'a' })], [origin]],
    ['a signed call', [model({ ...call('c1'), thoughtSignature: 's' }), answered], [origin]],
    ['a call that gets a synthetic signature', [model(call('c1')), answered], [origin]],
    ['a call that was never answered', [model(call('c1')), user('and?')], [origin]],
    ['thoughts of a resumed turn', [model({ text: '**S** d', thought: true }, { text: 'a' })], [origin]],
    ['an empty part left out', [model({ text: 'a' }, { text: '' }, call('c1')), answered], [undefined]],
    ['a call with an illegal name', [model(call('c1', 'a b')), { role: 'user', parts: [response('c1')] }], [undefined]],
    ['two model turns in a row', [model({ text: 'a' }), model({ text: 'b' })], [undefined]],
    ['a turn without parts', [model(), user('x')], []],
  ])('%s', (_, turns, expected) => {
    const contents = sent(user('hi'), ...turns);
    expect(contents.filter(({ role }) => role === 'model').map(originOf)).toEqual(expected);
  });
});

describe('a BeforeModel hook', () => {
  const origins = ['1', '2', '3'].map((id) => foreignOrigin({ message: { id } }));
  const history = [
    user('a'),
    withOrigin({ role: 'model', parts: [{ text: 'same' }] }, origins[0]),
    user('b'),
    withOrigin({ role: 'model', parts: [{ text: 'other' }] }, origins[1]),
    user('c'),
    withOrigin({ role: 'model', parts: [{ text: 'same' }] }, origins[2]),
  ];

  it.each<[string, (contents: readonly Content[]) => Content[], (Origin | undefined)[]]>([
    ['returns a clone', (contents) => structuredClone([...contents]), origins],
    [
      'rewrites one turn by a spread',
      (contents) => contents.map((each, index) => (index === 3 ? { ...each, parts: [{ text: 'new' }] } : each)),
      [origins[0], undefined, origins[2]],
    ],
    [
      'drops the first turns: equal turns are ambiguous now',
      (contents) => structuredClone(contents.slice(2)),
      [origins[1], undefined],
    ],
    [
      'repeats the words of another turn',
      (contents) => contents.map((each, index) => (index === 1 ? { role: 'model', parts: [{ text: 'other' }] } : each)),
      [undefined, origins[1], origins[2]],
    ],
  ])('%s', async (_, rewrite, expected) => {
    const model = ForeignModel.of(foreignAnswer([{ text: 'x' }]));
    const hooks: GeminiChatOptions['hooks'] = {
      beforeModel: async (request) => ({
        kind: 'proceed',
        request: { ...request, contents: rewrite(request.contents) },
      }),
    };
    await ask(setUp(model, { history, hooks }), 'd');
    expect(model.received).toEqual(expected);
  });
});

it('an AfterModel hook changes what is shown, not the turn and its origin', async () => {
  const origin = foreignOrigin({ blocks: [thinking(0)] });
  const model = ForeignModel.of(foreignAnswer([{ text: 'a' }], origin), foreignAnswer([{ text: 'b' }]));
  const seen: string[] = [];
  const hooks: GeminiChatOptions['hooks'] = {
    afterModel: async (_, frame) => {
      seen.push(JSON.stringify(frame));
      return { kind: 'proceed', response: { candidates: [{ content: { role: 'model', parts: [{ text: 'z' }] } }] } };
    },
  };
  const chat = setUp(model, { hooks });
  await ask(chat, 'a');
  await ask(chat, 'b');
  expect(model.received).toEqual([origin]);
  expect(chat.getContent(1)?.parts).toEqual([{ text: 'a' }]);
  expect(seen.join('')).not.toContain('hm');
});

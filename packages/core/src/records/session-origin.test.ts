import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForeignModel, foreignAnswer, foreignOrigin } from '../chat/foreign-model.fixture.ts';
import { GeminiChat } from '../chat/gemini-chat.ts';
import type { PartListUnion } from '../protocol/content.ts';
import { originOf } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';
import { openSession } from './open-session.ts';
import type { OpenedSession } from './open-session.ts';
import { replaySession } from './replay-session.ts';
import { toSessionHistory } from './session-history.ts';

const NEVER = new AbortController().signal;
const CALL = { functionCall: { id: 'c1', name: 't', args: {} } };
const RESPONSE = { functionResponse: { id: 'c1', name: 't', response: { output: 'o' } } };
/** A lone surrogate is not text, and a signature covers it all the same. */
const ODD = 'a\ud83d\u2028"\\b\udc00';
const ORIGIN = foreignOrigin({
  blocks: [
    { before: 0, type: 'thinking', text: ODD, signature: 'sig' },
    { before: 1, type: 'redacted', data: 'x' },
  ],
  calls: { c1: { itemId: 'fc_1', [ODD]: ODD } },
  message: { id: 'msg_1', phase: 'final_answer' },
});

describe('the origin in the session file', () => {
  let home: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'castor-origin-')));
  });
  afterEach(() => rm(home, { recursive: true }));

  const open = (resume?: string) =>
    openSession({ home, root: join(home, 'project'), ...(resume !== undefined && { resume }) });
  const chatOf = ({ recorder, history }: OpenedSession, generator: ForeignModel) =>
    new GeminiChat({ generator, model: 'm', clock: createFakeClock(), recorder, history });
  const ask = async (chat: GeminiChat, message: PartListUnion) => {
    for await (const _ of await chat.sendMessageStream('m', message, 'p', NEVER));
  };
  const messagesIn = async ({ recorder: { path } }: OpenedSession) =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type?: string; content?: unknown; origin?: unknown; model?: string });

  it('stands beside the content, with the model that answered, and a resumed session sends the same bytes', async () => {
    const script = [
      foreignAnswer([{ text: 'hm', thought: true }, { text: 'one' }, { thought: true }, CALL], ORIGIN),
      foreignAnswer([{ text: 'two' }]),
    ];
    const session = await open();
    const model = ForeignModel.of(...script);
    const chat = chatOf(session, model);
    await ask(chat, 'a');
    const [stored] = (await messagesIn(session)).filter(({ type }) => type === 'gemini');
    expect(stored).toMatchObject({ content: [{ text: 'one' }, CALL], origin: ORIGIN, model: 'foreign/m' });
    // Killed here: the file of a process that ended now.
    const bytes = await readFile(session.recorder.path);
    await ask(chat, [RESPONSE]);
    session.recorder.close();
    await writeFile(session.recorder.path, bytes);

    const resumed = await open('latest');
    const again = ForeignModel.of(script[1]!);
    // Without the report on the open call: the chat was asked at its level, so no record says that the call ended.
    await ask(new GeminiChat({ generator: again, model: 'm', history: resumed.history.slice(0, 2) }), [RESPONSE]);
    resumed.recorder.close();
    expect(again.lastRequest).toEqual(model.lastRequest);
    expect(again.received).toEqual([ORIGIN]);
  });

  it('is written again for turns that a replaced history keeps, and not for those it rewrites', async () => {
    const second = foreignOrigin({ message: { id: '2' } });
    const session = await open();
    const chat = chatOf(
      session,
      ForeignModel.of(foreignAnswer([{ text: 'one' }], ORIGIN), foreignAnswer([{ text: 'two' }], second)),
    );
    await ask(chat, 'a');
    await ask(chat, 'b');
    chat.setHistory(
      chat.getHistory().map((turn, index) => (index === 1 ? { role: 'model', parts: [{ text: 'less' }] } : turn)),
    );
    session.recorder.close();
    const resumed = await open('latest');
    resumed.recorder.close();
    expect(resumed.history.map(originOf)).toEqual([undefined, undefined, undefined, second]);
  });

  it('stands beside token counts that name what was written to a cache', async () => {
    const session = await open();
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 1, cacheWriteTokenCount: 7 };
    const [piece = {}, end = {}] = foreignAnswer([{ text: 'one' }], ORIGIN);
    await ask(
      chatOf(session, ForeignModel.of([piece, { ...end, usageMetadata }], foreignAnswer([{ text: 'two' }]))),
      'a',
    );
    session.recorder.close();
    const [message] = (await messagesIn(session)).filter(({ type }) => type === 'gemini');
    expect(message).toMatchObject({ tokens: { input: 9, output: 1, cached: 0, cacheWrite: 7 } });
  });

  it('is absent from what a resumed session shows', async () => {
    const session = await open();
    await ask(
      chatOf(session, ForeignModel.of(foreignAnswer([{ text: 'one' }], foreignOrigin({ endpoint: 'SECRET' })))),
      'a',
    );
    session.recorder.close();
    const resumed = await open('latest');
    resumed.recorder.close();
    expect(JSON.stringify(resumed.events())).toContain('one');
    expect(JSON.stringify(resumed.events())).not.toContain('SECRET');
  });
});

describe('the origin of a message', () => {
  const read = (message: object): (Origin | undefined)[] => {
    const records = [
      { sessionId: 's' },
      { id: 'u', type: 'user', content: 'hi' },
      { id: 'g', type: 'gemini', ...message },
    ];
    const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const { turns } = toSessionHistory(replaySession(lines).messages);
    return turns.filter(({ role }) => role === 'model').map(originOf);
  };
  const content = [{ text: 'a' }];
  const origin = foreignOrigin();

  it.each<[string, unknown]>([
    ['of an unknown protocol', { ...origin, protocol: 'from-the-future', more: [1] }],
    ['with a block after the last part', { ...origin, blocks: [{ before: 1, type: 'details', details: [{}] }] }],
  ])('%s is handed on as it is', (_, stored) => {
    expect(read({ content, origin: stored })).toEqual([stored]);
  });

  it.each<[string, object]>([
    ['null', { content, origin: null }],
    ['a text', { content, origin: 'x' }],
    ['a list', { content, origin: [origin] }],
    ['nameless', { content, origin: { ...origin, model: 7 } }],
    ['with blocks that are none', { content, origin: { ...origin, blocks: {} } }],
    ['with a block without a type', { content, origin: { ...origin, blocks: [{ before: 0 }] } }],
    ['with a block at no place', { content, origin: { ...origin, blocks: [{ before: -1, type: 't' }] } }],
    ['with a block behind the end', { content, origin: { ...origin, blocks: [{ before: 2, type: 't' }] } }],
    ['with calls that are none', { content, origin: { ...origin, calls: { c: 1 } } }],
    ['of a content that is not a list', { content: 'a', origin }],
    ['of a content with an invalid part', { content: [...content, { nonsense: 1 }], origin }],
    ['of a content with an unknown field', { content: [{ text: 'a', callIndex: 1 }], origin }],
    ['of calls that stand beside the content', { content, toolCalls: [{ id: 'c', name: 't', args: {} }], origin }],
  ])('%s is ignored, and the turn stays', (_, message) => {
    expect(read(message)).toEqual([undefined]);
  });
});

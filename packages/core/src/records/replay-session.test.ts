import { findConversationViolations, seededRandom } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { History } from '../chat/history.ts';
import type { Content } from '../protocol/content.ts';
import { toSessionHistory } from './session-history.ts';
import { replaySession } from './replay-session.ts';
import { toSessionEvents } from './session-transcript.ts';

const HEADER = { sessionId: 's-1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', kind: 'main' };
const user = (id: string, text: string) => ({ id, type: 'user', content: [{ text }], prompt_id: 'p' });
const gemini = (id: string, text: string) => ({ id, type: 'gemini', content: [{ text }], prompt_id: 'p' });
const load = (...records: readonly unknown[]) => replaySession(Buffer.from(toText(records)));
const toText = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const said = ({ messages }: ReturnType<typeof replaySession>) =>
  messages.map(({ id, content }) => [id, (content as { text: string }[])[0]?.text]);

describe('replaySession', () => {
  it('replays messages, and a message with a known id replaces the earlier one in its place', () => {
    const session = load(HEADER, user('a', 'one'), gemini('b', 'two'), user('a', 'one, again'));
    expect(said(session)).toEqual([
      ['a', 'one, again'],
      ['b', 'two'],
    ]);
  });

  it('patches metadata, replaces all messages, and never takes another id', () => {
    const session = load(
      HEADER,
      user('a', 'one'),
      { $set: { summary: 'About one', sessionId: 'other' } },
      { $set: { messages: [user('c', 'three'), 'no message', { id: 4 }] } },
      gemini('d', 'four'),
    );
    expect(session.metadata).toEqual({ ...HEADER, summary: 'About one' });
    expect(said(session)).toEqual([
      ['c', 'three'],
      ['d', 'four'],
    ]);
  });

  it('rewinds to a message, and to an empty session when the message is unknown', () => {
    const records = [HEADER, user('a', 'one'), gemini('b', 'two'), user('c', 'three')];
    expect(said(load(...records, { $rewindTo: 'b' }, gemini('d', 'four')))).toEqual([
      ['a', 'one'],
      ['d', 'four'],
    ]);
    expect(said(load(...records, { $rewindTo: 'nobody' }))).toEqual([]);
  });

  it('leaves alone what it does not know yet, and counts what is no record', () => {
    const text = [
      JSON.stringify(HEADER),
      '{"$future":{"x":1}}',
      '{"$set":{"messages":"not a list"}}',
      '[]',
      '{"id":"torn","type":"us',
      '\0\0\0\0',
      '',
      JSON.stringify(user('a', 'one')),
    ].join('\r\n');
    const session = replaySession(Buffer.from(`\uFEFF${text}`));
    expect([session.badLines, session.metadata.sessionId, said(session)]).toEqual([3, 's-1', [['a', 'one']]]);
  });

  it('reads sessions that are one JSON value, on one line or on many', () => {
    const legacy = { ...HEADER, messages: [user('a', 'one'), gemini('b', 'two')] };
    for (const text of [JSON.stringify(legacy), JSON.stringify(legacy, null, 2)]) {
      const session = replaySession(Buffer.from(text));
      expect([session.isLegacy, session.metadata.sessionId, said(session).length]).toEqual([true, 's-1', 2]);
    }
  });

  it('keeps text that was shown and not accepted as an interrupted answer', () => {
    const shown = [HEADER, user('a', 'one'), { $partial: { text: 'The ans' } }, { $partial: { text: 'wer is' } }];
    const interrupted = {
      id: 'interrupted-1',
      type: 'gemini',
      content: [{ text: 'The answer is' }],
      isInterrupted: true,
    };
    expect(load(...shown).messages.at(-1)).toEqual(interrupted);
    expect(load(...shown, user('b', 'go on')).messages.map(({ id }) => id)).toEqual(['a', 'interrupted-1', 'b']);
    expect(said(load(...shown, gemini('b', 'The answer is 4.')))).toEqual([
      ['a', 'one'],
      ['b', 'The answer is 4.'],
    ]);
    expect(said(load(...shown, { $partial: null }))).toEqual([['a', 'one']]);
  });

  it('keeps words that were shown and not sent, until they are', () => {
    const shown = [HEADER, user('a', 'one'), { $prompt: { text: 'two' } }];
    const ids = (...more: object[]) => load(...shown, ...more).messages.map(({ id }) => id);
    expect(load(...shown).messages.at(-1)).toEqual({
      id: 'interrupted-prompt',
      type: 'user',
      content: [{ text: 'two' }],
      isInterrupted: true,
    });
    expect(ids({ $set: { messages: [user('s', 'summary')] } })).toEqual(['s', 'interrupted-prompt']);
    expect([ids({ $prompt: null }), ids(user('b', 'two'))]).toEqual([['a'], ['a', 'b']]);
  });

  it('keeps what was shown of an answer, thoughts too, beside the one that was given anew', () => {
    const thoughts = [{ subject: 'Sums', description: 'are easy' }];
    const { messages } = load(
      HEADER,
      user('a', 'one'),
      { $partial: { text: '', thoughts } },
      { $partial: { isCutOff: true } },
      { $partial: { text: 'The ans' } },
      { $partial: { isCutOff: true } },
      { $partial: { text: 'The answer' } },
      gemini('b', 'The answer is 4.'),
    );
    expect(messages.slice(1, -1)).toEqual([
      { id: 'interrupted-1', type: 'gemini', content: [], thoughts, isInterrupted: true },
      { id: 'interrupted-2', type: 'gemini', content: [{ text: 'The ans' }], isInterrupted: true },
    ]);
    expect(messages.at(-1)?.id).toBe('b');
  });
});

const call = (id: string) => ({ functionCall: { id, name: 'touch', args: { id } } });
const response = (id: string) => ({ functionResponse: { id, name: 'touch', response: { output: `did ${id}` } } });
const started = (callId: string) => ({ $callStarted: { callId, name: 'touch', hasEffects: true } });
const ended = (id: string) => ({
  id: `r-${id}`,
  type: 'user',
  content: [response(id)],
  call: { id, status: 'success' },
});
const LOG = [
  HEADER,
  user('u1', 'Touch things — “all” of them'),
  { id: 'g1', type: 'gemini', content: [{ text: 'On it.' }, call('c1'), call('c2')], prompt_id: 'p' },
  started('c1'),
  ended('c1'),
  started('c2'),
  ended('c2'),
  { $partial: { text: 'Half an' } },
  { id: 'g2', type: 'gemini', content: [call('c3')], prompt_id: 'p' },
  started('c3'),
  ended('c3'),
  gemini('g3', 'Done.'),
  user('u2', 'Thanks'),
  gemini('g4', 'Welcome.'),
  {
    id: 'g5',
    type: 'gemini',
    content: 'As Gemini CLI writes it',
    thoughts: [{ subject: 'Plan', description: 'think' }],
    toolCalls: [{ id: 'c4', name: 'touch', args: {}, result: [response('c4')], status: 'success' }],
  },
];

function toContents(bytes: Buffer): readonly Content[] {
  const session = replaySession(bytes);
  const { turns, openCalls } = toSessionHistory(session.messages);
  toSessionEvents(session, openCalls);
  const history = new History([...turns, { role: 'user', parts: [{ text: 'What now?' }] }]);
  history.assertLegal();
  return history.contents;
}

describe('a damaged session file', () => {
  const whole = Buffer.from(toText(LOG));

  it('gives, cut at any byte, everything before the cut in order and a legal conversation', () => {
    const complete = JSON.stringify(toSessionHistory(replaySession(whole).messages).turns);
    for (let length = 0; length <= whole.length; length++) {
      const contents = toContents(whole.subarray(0, length));
      expect(findConversationViolations([...contents])).toEqual([]);
      const { turns } = toSessionHistory(replaySession(whole.subarray(0, length)).messages);
      // All but the last, which may still have been open.
      const settled = JSON.stringify(turns.slice(0, -1)).slice(1, -1);
      expect(complete.includes(settled)).toBe(true);
    }
  });

  it(
    'gives a legal conversation whatever bytes are changed, doubled, swapped or lost (seeded)',
    { tags: 'wide' },
    () => {
      const random = seededRandom(5);
      const below = (limit: number) => Math.floor(random() * limit);
      for (let round = 0; round < 1500; round++) {
        const lines = toText(LOG).trimEnd().split('\n');
        for (let change = below(4); change > 0; change--) {
          const from = below(lines.length);
          const kind = below(4);
          if (kind === 0) lines.splice(from, 1);
          else if (kind === 1) lines.splice(below(lines.length), 0, lines[from] ?? '');
          else if (kind === 2) lines.push(...lines.splice(from, 1));
          else lines[from] = JSON.stringify(shuffleValue(JSON.parse(lines[from] ?? '{}'), random));
        }
        const bytes = Buffer.from(lines.join('\n'));
        for (let flips = below(6); flips > 0; flips--) bytes[below(bytes.length)] = below(256);
        expect(findConversationViolations([...toContents(bytes)])).toEqual([]);
      }
    },
  );
});

/** The same record with one of its values replaced by something else. */
function shuffleValue(value: unknown, random: () => number): unknown {
  const odd = [null, 0, '', 'text', [], {}, [null], [[]], true, { functionCall: null }, [{ functionResponse: 1 }]];
  if (typeof value !== 'object' || value === null || random() < 0.15) return odd[Math.floor(random() * odd.length)];
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)];
  if (key === undefined) return value;
  const changed = shuffleValue((value as Record<string, unknown>)[key], random);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

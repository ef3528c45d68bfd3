import { describe, expect, it } from 'vitest';
import { toSessionHistory } from './session-history.ts';
import { replaySession } from './replay-session.ts';
import { toSessionEvents } from './session-transcript.ts';

const load = (...records: readonly unknown[]) =>
  replaySession(Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')));
const historyOf = (...records: readonly unknown[]) => toSessionHistory(load(...records).messages);
const HEADER = { sessionId: 's-1', kind: 'main' };
const call = (id: string, name = 'touch') => ({ functionCall: { id, name, args: { id } } });
const response = (id: string, name = 'touch') => ({
  functionResponse: { id, name, response: { output: `did ${id}` } },
});

describe('a session of Gemini CLI', () => {
  it('goes on with its calls and results, each once, where both message and turn hold them', () => {
    const { turns, openCalls } = historyOf(
      HEADER,
      { id: 'u0', type: 'user', content: [{ text: '<session_context>\nThis is …' }] },
      { id: 'u1', type: 'user', content: [{ text: 'Touch c1' }] },
      {
        id: 'g1',
        type: 'gemini',
        content: [{ text: 'On it.', callIndex: 1 }, { functionCall: { id: 'touch__c1', name: 'touch', args: {} } }],
        toolCalls: [{ id: 'touch__c1', name: 'touch', args: {}, result: [response('c1')], status: 'success' }],
      },
      { id: 'u2', type: 'user', content: [response('c1')] },
      { id: 'i1', type: 'info', content: 'Something for the screen' },
      { id: 'u3', type: 'user', content: '/stats' },
      { id: 'g2', type: 'gemini', content: 'Done.' },
    );
    expect(turns).toEqual([
      { role: 'user', parts: [{ text: 'Touch c1' }] },
      { role: 'model', parts: [{ text: 'On it.' }, { functionCall: { id: 'touch__c1', name: 'touch', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'touch__c1', name: 'touch', response: { output: 'did c1' } } }],
      },
      { role: 'model', parts: [{ text: 'Done.' }] },
    ]);
    expect(openCalls).toEqual([]);
  });

  it('is rebuilt from an older file: thoughts, text, calls, and results that are only strings', () => {
    const { turns } = historyOf(
      HEADER,
      { id: 'u1', type: 'user', content: 'Look' },
      {
        id: 'g1',
        type: 'gemini',
        content: 'Looking.',
        thoughts: [{ subject: 'Plan', description: 'look around' }],
        toolCalls: [
          { id: 'c1', name: 'ls', args: { path: '.' }, result: 'a.txt', status: 'success' },
          { id: 'c2', name: 'ls', args: { path: '/' }, status: 'cancelled' },
        ],
      },
      { id: 'u2', type: 'user', content: 'And now?' },
    );
    expect(turns).toEqual([
      { role: 'user', parts: [{ text: 'Look' }] },
      {
        role: 'model',
        parts: [
          { text: '**Plan** look around', thought: true },
          { text: 'Looking.' },
          { functionCall: { id: 'c1', name: 'ls', args: { path: '.' } } },
          { functionCall: { id: 'c2', name: 'ls', args: { path: '/' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'ls', response: { output: 'a.txt' } } },
          {
            functionResponse: {
              id: 'c2',
              name: 'ls',
              response: { error: expect.stringMatching(/is unknown/), status: 'unknown' },
            },
          },
        ],
      },
      { role: 'user', parts: [{ text: 'And now?' }] },
    ]);
  });
});

describe('a session that was stopped', () => {
  const asked = [
    HEADER,
    { id: 'u1', type: 'user', content: [{ text: 'Touch all' }], prompt_id: 'p' },
    { id: 'g1', type: 'gemini', content: [call('c1'), call('c2'), call('c3'), call('c4')], prompt_id: 'p' },
    { $callStarted: { callId: 'c2', name: 'touch', hasEffects: false } },
    { $callStarted: { callId: 'c1', name: 'touch', hasEffects: true } },
    { id: 'r2', type: 'user', content: [response('c2')], call: { id: 'c2', status: 'success' } },
    { $callStarted: { callId: 'c3', name: 'touch', args: { changed: true }, hasEffects: false } },
  ];

  it('answers every call in its order, with what is known of it', () => {
    const { turns, openCalls } = historyOf(...asked);
    expect(openCalls.map(({ id, status, args }) => [id, status, args])).toEqual([
      ['c1', 'unknown', { id: 'c1' }],
      ['c2', 'finished', { id: 'c2' }],
      ['c3', 'unknown', { changed: true }],
      ['c4', 'not_started', { id: 'c4' }],
    ]);
    expect(turns.at(-1)?.parts?.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { error: expect.stringMatching(/effect is unknown: check/), status: 'unknown' },
      { output: 'did c2' },
      { error: expect.stringMatching(/changes nothing, so you can repeat it/), status: 'unknown' },
      {
        error: expect.stringMatching(/^The program stopped before .* The call had no effect/),
        status: 'not_started',
      },
    ]);
  });

  it('claims nothing of calls after the point where the recording was lost', () => {
    const { messages } = load(...asked);
    const { openCalls, turns } = toSessionHistory(messages, { hasLoss: true });
    expect(openCalls.map(({ id, status }) => [id, status])).toEqual([
      ['c1', 'unknown'],
      ['c2', 'finished'],
      ['c3', 'unknown'],
      ['c4', 'unknown'],
    ]);
    expect(turns.at(-1)?.parts?.at(-1)?.functionResponse?.response).toEqual({
      error: expect.stringMatching(/record is incomplete, so it is unknown whether this call ran/),
      status: 'unknown',
    });
  });

  it('says the same of its calls to every process that goes on with it', () => {
    const answered = (id: string, status?: string) => ({
      id: `r-${id}`,
      type: 'user',
      content: [response(id)],
      ...(status !== undefined ? { call: { id, status } } : { isJoined: true, isAside: true }),
    });
    const { openCalls } = historyOf(
      ...asked,
      answered('c1', 'unknown'),
      answered('c3', 'cancelled'),
      // Refused before it could begin: nothing but its answer was written.
      answered('c4'),
    );
    expect(openCalls.map(({ id, status, isAnswered }) => [id, status, isAnswered])).toEqual([
      ['c1', 'unknown', true],
      ['c2', 'finished', true],
      ['c3', 'cancelled', true],
      ['c4', 'not_started', true],
    ]);
  });

  it('lays words that went out with the results into their turn, and later words into one of their own', () => {
    const joined = { id: 'w1', type: 'user', content: [{ text: 'Hurry' }], prompt_id: 'p', isJoined: true };
    const later = { id: 'u2', type: 'user', content: [{ text: '/etc is a folder?' }], prompt_id: 'p' };
    const { turns, openCalls } = historyOf(...asked, joined, later);
    expect(turns.slice(-2).map(({ parts }) => parts?.map(({ text }) => text))).toEqual([
      [undefined, undefined, undefined, undefined, 'Hurry'],
      ['/etc is a folder?'],
    ]);
    expect(openCalls).toEqual([]);
  });

  it('does not tell the model text that was shown and never accepted', () => {
    const { messages } = load(...asked.slice(0, 2), { $partial: { text: 'I will' } });
    expect(toSessionHistory(messages).turns).toEqual([{ role: 'user', parts: [{ text: 'Touch all' }] }]);
    expect(toSessionEvents({ messages, superseded: [] })).toEqual([
      { type: 'prompt_started', prompt_id: 'resumed########0', text: 'Touch all' },
      { type: 'content', value: 'I will' },
      {
        type: 'prompt_ended',
        prompt_id: 'resumed########0',
        outcome: 'cancelled',
        detail: 'The program stopped.',
      },
    ]);
  });

  it('is shown as cancelled where the user stopped its calls', () => {
    const stopped = { id: 'r1', type: 'user', content: [response('c1')], call: { id: 'c1', status: 'cancelled' } };
    const [header, prompt, calls] = asked;
    const { messages } = load(header!, prompt!, calls!, stopped);
    expect(toSessionEvents({ messages, superseded: [] }).at(-1)).toEqual({
      type: 'prompt_ended',
      prompt_id: 'resumed########0',
      outcome: 'cancelled',
    });
  });

  it('is shown as refused where the user said no, whose answer only the response tells', () => {
    const denied = { error: '[Operation Cancelled] User denied execution. The user said: not now' };
    const content = [{ functionResponse: { id: 'c1', name: 'ls', response: denied } }];
    const [header, prompt, calls] = asked;
    const { messages } = load(header!, prompt!, calls!, { id: 'r1', type: 'user', content, isAside: true });
    const events = toSessionEvents({ messages, superseded: [] });
    expect(events.filter(({ type }) => type === 'tool_call_updated')[0]).toMatchObject({ status: 'cancelled' });
    expect(events.at(-1)).toEqual({ type: 'prompt_ended', prompt_id: 'resumed########0', outcome: 'cancelled' });
  });

  it('is shown with what a person did aside, which waits for no answer', () => {
    const aside = { id: 'a1', type: 'user', content: [{ text: 'I ran ls.' }], isAside: true };
    const { messages } = load(HEADER, aside, { ...aside, id: 'a2', content: '<hook_context>x</hook_context>' });
    expect(toSessionEvents({ messages, superseded: [] })).toEqual([
      { type: 'prompt_started', prompt_id: 'resumed########0', text: 'I ran ls.' },
      { type: 'prompt_ended', prompt_id: 'resumed########0', outcome: 'completed' },
    ]);
    expect(toSessionHistory(messages)).toMatchObject({
      turns: [{ parts: [{ text: 'I ran ls.' }] }],
      awaitsAnswer: false,
    });
  });

  it('is shown from its beginning, also what a summary took the place of', () => {
    const snapshot = { id: 's1', type: 'user', content: [{ text: '<state_snapshot>All of it</state_snapshot>' }] };
    const kept = { id: 'u2', type: 'user', content: [{ text: 'Second' }], prompt_id: 'p' };
    const session = load(
      HEADER,
      { id: 'u1', type: 'user', content: [{ text: 'First' }], prompt_id: 'p' },
      { id: 'g1', type: 'gemini', content: [{ text: 'One.' }], prompt_id: 'p' },
      kept,
      { $set: { messages: [snapshot, { id: 'g2', type: 'gemini', content: 'Understood.' }, kept] } },
      { id: 'g3', type: 'gemini', content: [{ text: 'Two.' }], prompt_id: 'p' },
    );
    const shown = toSessionEvents(session).flatMap((event) =>
      event.type === 'prompt_started' ? [event.text] : event.type === 'content' ? [event.value] : [],
    );
    expect(shown).toEqual(['First', 'One.', 'Understood.', 'Second', 'Two.']);
    expect(toSessionHistory(session.messages).turns.length).toBe(4);
  });

  it('is shown with every call at its end', () => {
    const { messages } = load(...asked);
    const events = toSessionEvents({ messages, superseded: [] }, toSessionHistory(messages).openCalls);
    expect(
      events.flatMap((event) => (event.type === 'tool_call_updated' ? [[event.callId, event.status]] : [])),
    ).toEqual([
      ['c2', 'success'],
      ['c1', 'cancelled'],
      ['c3', 'cancelled'],
      ['c4', 'cancelled'],
    ]);
  });
});

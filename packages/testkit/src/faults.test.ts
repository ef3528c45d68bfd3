import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { fakeModel } from './fake-model.ts';
import { BAD_FINISH_REASONS, fault, FAULTS, MALFORMED_CALL_SHAPES } from './faults.ts';
import { googleError } from './google-errors.ts';
import { exchange, framesOf, startExchange } from './raw-client.ts';
import type { RawAnswer } from './raw-client.ts';
import { refusedUrl } from './refused-url.ts';
import { answer, call, DEFAULT_USAGE, ending, gate, say, text } from './script.ts';

const STAMP = { modelVersion: 'gemini-2.5-flash', responseId: 'response-1' };
const textFrame = (value: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: value }] }, index: 0 }],
  ...STAMP,
});
const finishFrame = (candidate: object) => ({
  candidates: [{ ...candidate, index: 0 }],
  usageMetadata: DEFAULT_USAGE,
  ...STAMP,
});

async function meet(step: Answer): Promise<RawAnswer> {
  await using model = await fakeModel([step]);
  const met = await exchange(model.url);
  await model.waitForIdle();
  expect(model.disconnects).toBe(0);
  model.assertDone();
  return met;
}

const howItEnded = ({ status, isWhole, end }: RawAnswer) => ({ status, isWhole, end });
const WHOLE = { status: 200, isWhole: true, end: 'fin' };

describe('faults of the connection', () => {
  it('refusedUrl is refused', async () => {
    const { hostname, port } = new URL(await refusedUrl());
    const [error] = await once(connect(Number(port), hostname), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('reset_before_headers is a TCP reset without a byte', async () => {
    const met = await meet(fault('reset_before_headers'));
    expect(met).toEqual({ status: undefined, headers: {}, chunks: [], body: '', isWhole: false, end: 'reset' });
  });

  it.each([0, 1, 3])('reset_mid_stream is a TCP reset after %i frames', async (after) => {
    const met = await meet(fault('reset_mid_stream', { after }));
    expect(howItEnded(met)).toEqual({ status: 200, isWhole: false, end: 'reset' });
    expect(framesOf(met.body)).toEqual(Array.from({ length: after }, (_, index) => textFrame(`frame ${index + 1} `)));
  });

  it('reset_mid_stream comes after whatever the test wants before it', async () => {
    const met = await meet(fault('reset_mid_stream', { after: [call('write_file', { path: 'a' })] }));
    const parts = [{ functionCall: { name: 'write_file', args: { path: 'a' } } }];
    expect(framesOf(met.body)).toEqual([{ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...STAMP }]);
  });

  it('a reset after a gate comes when the client has read what was before', async () => {
    const hold = gate();
    await using model = await fakeModel([answer(text('seen'), hold, ending('reset'))]);
    const client = startExchange(model.url);
    await client.waitFor('seen');
    hold.release();
    expect(howItEnded(await client.done)).toEqual({ status: 200, isWhole: false, end: 'reset' });
  });

  it('close_mid_stream is a FIN in an unfinished body', async () => {
    const met = await meet(fault('close_mid_stream'));
    expect(howItEnded(met)).toEqual({ status: 200, isWhole: false, end: 'fin' });
    expect(framesOf(met.body)).toEqual([textFrame('frame 1 ')]);
  });

  it('end_without_finish is a whole body without a finish reason', async () => {
    const met = await meet(fault('end_without_finish', { after: 2 }));
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(framesOf(met.body)).toEqual([textFrame('frame 1 '), textFrame('frame 2 ')]);
  });

  it('empty_body is a whole event stream of nothing', async () => {
    const met = await meet(fault('empty_body'));
    expect(howItEnded(met)).toEqual(WHOLE);
    expect({ type: met.headers['content-type'], body: met.body }).toEqual({ type: 'text/event-stream', body: '' });
  });

  it('stall_before_headers sends nothing for as long as the client waits', async () => {
    await using model = await fakeModel([fault('stall_before_headers'), say('others are served')]);
    const client = startExchange(model.url);
    await model.waitForRequest(1);
    expect((await exchange(model.url)).status).toBe(200);
    expect(model.openStreams).toBe(1);
    client.leave();
    await model.waitForDisconnects(1);
    expect(model.openStreams).toBe(0);
  });

  it('stall_mid_stream falls silent after its frames', async () => {
    await using model = await fakeModel([fault('stall_mid_stream', { after: 2 }), say('others are served')]);
    const client = startExchange(model.url);
    await client.waitFor('frame 2 ');
    expect((await exchange(model.url)).status).toBe(200);
    expect(model.openStreams).toBe(1);
    client.leave();
    await model.waitForDisconnects(1);
    expect(model.openStreams).toBe(0);
  });

  it('a stall ends when the model is closed', async () => {
    const model = await fakeModel([fault('stall_mid_stream')]);
    const client = startExchange(model.url);
    await client.waitFor('frame 1 ');
    await model.close();
    expect(howItEnded(await client.done)).toMatchObject({ status: 200, isWhole: false });
    expect(model.disconnects).toBe(0);
  });

  it('split_every_byte puts each byte in a chunk of its own', async () => {
    const met = await meet(fault('split_every_byte', { of: say('é') }));
    expect(new Set(met.chunks.map((chunk) => chunk.length))).toEqual(new Set([1]));
    expect(framesOf(met.body)).toEqual([textFrame('é'), finishFrame({ finishReason: 'STOP' })]);
  });

  it('redirect points elsewhere and says nothing more', async () => {
    const met = await meet(fault('redirect', { location: 'http://other.example/' }));
    expect({ ...howItEnded(met), location: met.headers['location'], body: met.body }).toEqual({
      status: 302,
      isWhole: true,
      end: 'fin',
      location: 'http://other.example/',
      body: '',
    });
  });
});

describe('faults of the stream', () => {
  it('malformed_json_frame has an event that does not parse', async () => {
    const met = await meet(fault('malformed_json_frame'));
    expect(howItEnded(met)).toEqual(WHOLE);
    const [first, second] = met.body.split('\r\n\r\n');
    expect(JSON.parse(first!.slice('data: '.length))).toEqual(textFrame('frame 1 '));
    expect(second).toMatch(/^data: \{/);
    expect(() => JSON.parse(second!.slice('data: '.length))).toThrow(SyntaxError);
  });

  it('half_frame_then_end ends well in the middle of an event', async () => {
    const met = await meet(fault('half_frame_then_end', { after: [] }));
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(met.body).toBe('data: {"candidates":[{"content":{"parts":[{"te');
  });

  it('error_frame is the error as an event', async () => {
    const met = await meet(fault('error_frame', { status: 429, retryDelay: '1s' }));
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(framesOf(met.body)).toEqual([textFrame('frame 1 '), googleError(429, { retryDelay: '1s' })]);
  });

  it('bare_error_object is the error outside any event', async () => {
    const met = await meet(fault('bare_error_object', { after: [] }));
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(met.body.startsWith('{\n')).toBe(true);
    expect(JSON.parse(met.body)).toEqual(googleError(503));
  });

  it.each<[step: Answer, expected: unknown[]]>([
    [fault('empty_candidates'), [{ candidates: [], usageMetadata: DEFAULT_USAGE }]],
    [fault('empty_answer'), [finishFrame({ finishReason: 'STOP' })]],
    [fault('prompt_blocked'), [{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: DEFAULT_USAGE }]],
    [
      fault('prompt_blocked', { reason: 'OTHER', message: 'no' }),
      [{ promptFeedback: { blockReason: 'OTHER', blockReasonMessage: 'no' }, usageMetadata: DEFAULT_USAGE }],
    ],
    [
      fault('thought_only'),
      [
        {
          candidates: [
            {
              content: { role: 'model', parts: [{ text: '**Pondering** and nothing else', thought: true }] },
              index: 0,
            },
          ],
          ...STAMP,
        },
        finishFrame({ finishReason: 'STOP' }),
      ],
    ],
  ])('%# gives exactly its frames', async (step, expected) => {
    const met = await meet(step);
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(framesOf(met.body)).toEqual(expected);
  });

  it.each(BAD_FINISH_REASONS)('bad_finish ends with %s, with and without text before', async (reason) => {
    const bare = await meet(fault('bad_finish', { reason, message: 'why' }));
    expect(framesOf(bare.body)).toEqual([finishFrame({ finishReason: reason, finishMessage: 'why' })]);
    const afterText = await meet(fault('bad_finish', { reason, after: [text('so far')] }));
    expect(framesOf(afterText.body)).toEqual([textFrame('so far'), finishFrame({ finishReason: reason })]);
  });

  it.each(MALFORMED_CALL_SHAPES)('malformed_call sends %s as a call', async (shape) => {
    const shapes = {
      no_name: { args: { path: 'a' } },
      empty_name: { name: '', args: {} },
      args_not_object: { name: 'read_file', args: 'path=a' },
      args_array: { name: 'read_file', args: ['a'] },
      empty: {},
    };
    const met = await meet(fault('malformed_call', { shape }));
    expect(framesOf(met.body)).toEqual([
      { candidates: [{ content: { role: 'model', parts: [{ functionCall: shapes[shape] }] }, index: 0 }] },
      finishFrame({ finishReason: 'STOP' }),
    ]);
  });
});

describe('the list of faults', () => {
  it('says of each what the client meets, in a sentence', () => {
    for (const { meets } of Object.values(FAULTS)) expect(meets).toMatch(/^[A-Z].*\.$/);
  });
});

describe('faults of an unstreamed call', () => {
  const path = '/v1beta/models/gemini-2.5-flash:generateContent';

  it.each<[title: string, step: Answer, expected: object]>([
    ['a reset', fault('reset_mid_stream'), { status: 200, isWhole: false, end: 'reset' }],
    ['a close', fault('close_mid_stream'), { status: 200, isWhole: false, end: 'fin' }],
    ['a status', fault(503), { status: 503, isWhole: true, end: 'fin' }],
    ['an error frame', fault('error_frame', { status: 500 }), { status: 500, isWhole: true, end: 'fin' }],
  ])('%s stays what it is', async (_title, step, expected) => {
    await using model = await fakeModel([step]);
    expect(howItEnded(await exchange(model.url, { path }))).toEqual(expected);
  });

  it('a malformed frame is a malformed body', async () => {
    await using model = await fakeModel([fault('malformed_json_frame')]);
    const met = await exchange(model.url, { path });
    expect(howItEnded(met)).toEqual(WHOLE);
    expect(() => JSON.parse(met.body)).toThrow(SyntaxError);
  });
});

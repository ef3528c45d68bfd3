import { describe, expect, it } from 'vitest';
import { toOtlp } from './otlp-json.ts';
import { toProtobuf } from './otlp-protobuf.ts';
import type { LogSignal } from './signals.ts';

const EDIT: LogSignal = {
  kind: 'log',
  time: 1,
  body: 'Tool call.',
  attributes: { metadata: { model_added_lines: 3, nothing: undefined } },
};

describe('facts inside facts', () => {
  it('travel as a list of keys and values', () => {
    const [request] = toOtlp([EDIT], { 'service.name': 'gemini-cli' });
    const value = { kvlistValue: { values: [{ key: 'model_added_lines', value: { intValue: '3' } }] } };
    expect(request?.body).toMatchObject({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes: [{ key: 'metadata', value }] }] }] }],
    });
  });

  it('have a field of their own in protobuf', () => {
    const [request] = toOtlp([EDIT], {});
    const bytes = toProtobuf('logs', request!.body);
    // key 1 "model_added_lines", value 2 { int 3: 3 }, inside values 1, inside kvlist_value 6.
    const pair = Buffer.concat([
      Buffer.from([0x0a, 17]),
      Buffer.from('model_added_lines'),
      Buffer.from([0x12, 2, 0x18, 3]),
    ]);
    const list = Buffer.concat([Buffer.from([0x0a, pair.length]), pair]);
    expect(bytes.includes(Buffer.concat([Buffer.from([0x32, list.length]), list]))).toBe(true);
  });
});

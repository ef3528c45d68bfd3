import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { DIALECTS, sseBody } from './sse-body.ts';

const FRAMES = [{ text: 'a\nb 🦫' }, { list: [1, { deep: 'data: x' }] }];

describe('sseBody', () => {
  it('writes as the service does by default', () => {
    expect(Buffer.from(sseBody([{ a: 1 }, { b: 2 }])).toString()).toBe('data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n');
  });

  it.each<[name: keyof typeof DIALECTS, written: string]>([
    ['lf', 'data: {"a":1}\n\ndata: {"b":2}\n\n'],
    ['crlf', 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n'],
    ['cr', 'data: {"a":1}\r\rdata: {"b":2}\r\r'],
    ['comments', ': comment 0\r\ndata: {"a":1}\r\n\r\n: comment 1\r\ndata: {"b":2}\r\n\r\n'],
    ['many_data_lines', 'data: {\r\ndata:  "a": 1\r\ndata: }\r\n\r\ndata: {\r\ndata:  "b": 2\r\ndata: }\r\n\r\n'],
    ['byte_order_mark', '\uFEFFdata: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n'],
    [
      'fields',
      'event: message\r\nid: 0\r\nretry: 1000\r\ndata: {"a":1}\r\n\r\nevent: message\r\nid: 1\r\nretry: 1000\r\ndata: {"b":2}\r\n\r\n',
    ],
    ['no_space', 'data:{"a":1}\r\n\r\ndata:{"b":2}\r\n\r\n'],
    ['no_final_blank_line', 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n'],
  ])('writes %s', (name, written) => {
    expect(Buffer.from(sseBody([{ a: 1 }, { b: 2 }], DIALECTS[name])).toString()).toBe(written);
  });

  it.each(Object.entries(DIALECTS))('gives a standard reader the same frames in %s', (_name, dialect) => {
    const frames: unknown[] = [];
    const parser = createParser({ onEvent: ({ data }) => frames.push(JSON.parse(data)) });
    parser.feed(Buffer.from(sseBody(FRAMES, dialect)).toString());
    // A reader to the letter of the standard drops an event that no blank line ended.
    expect(frames).toEqual('noFinalBlankLine' in dialect ? FRAMES.slice(0, -1) : FRAMES);
  });
});

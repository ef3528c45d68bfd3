import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../protocol/errors.ts';
import { type SseFrame, SseReader, type SseReaderOptions } from './sse.ts';
import { TextFrames } from './text-frames.ts';

/** What a reader makes of the pieces, and the error it ends with, if any. */
function read(pieces: Iterable<Uint8Array>, options?: SseReaderOptions): { frames: SseFrame[]; error?: unknown } {
  const reader = new SseReader(options);
  const frames: SseFrame[] = [];
  try {
    for (const piece of pieces) frames.push(...reader.push(piece));
    frames.push(...reader.end());
    return { frames };
  } catch (error) {
    return { frames, error };
  }
}

function readText(text: string, options?: SseReaderOptions) {
  return read([Buffer.from(text)], options);
}

function* inPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const data = (...payloads: string[]): { frames: SseFrame[] } => ({
  frames: payloads.map((payload) => ({ data: payload, bare: false })),
});

describe('SseReader', () => {
  it.each([
    ['LF', 'data: {"a":1}\n\ndata: {"b":2}\n\n'],
    ['CRLF', 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n'],
    ['CR', 'data: {"a":1}\r\rdata: {"b":2}\r\r'],
    ['a mixture', 'data: {"a":1}\r\n\rdata: {"b":2}\n\r\n'],
  ])('reads events whose lines end in %s', (_name, text) => {
    expect(readText(text)).toEqual(data('{"a":1}', '{"b":2}'));
  });

  it('ends a line at either character alone, also among lines that end in both', () => {
    const text = 'data: 1\r\n\r\ndata: 2\rdata: 3\r\n\r\ndata: 4\ndata: 5\r\n\r\ndata: 6\r\n\r\n';
    expect(readText(text)).toEqual(data('1', '2\n3', '4\n5', '6'));
  });

  it('joins the data lines of one event with line feeds', () => {
    expect(readText('data: {"a":\ndata:1,\ndata:  "b": 2}\n\n')).toEqual(data('{"a":\n1,\n "b": 2}'));
  });

  it('reads over comments, other fields and blank lines', () => {
    const text = ': ping\n\n\nevent: message\nid: 7\nretry: 10\ndatum: x\ndata: 1\n: pong\n\n';
    expect(readText(text)).toEqual(data('1'));
  });

  it.each(['data: 1\n\ndata: [DONE]\n\n', 'data: 1\n\ndata: [DONE]'])(
    'reads over the mark by which another dialect ends a stream: %j',
    (text) => expect(readText(text)).toEqual(data('1')),
  );

  it('takes one space after the colon away, and only one', () => {
    expect(readText('data:1\n\ndata: 2\n\ndata:  3\n\n')).toEqual(data('1', '2', ' 3'));
  });

  it('takes a data field without a colon as an empty line', () => {
    expect(readText('data\n\ndata\ndata\n\n')).toEqual(data('', '\n'));
  });

  it('drops a byte order mark at the beginning and nowhere else', () => {
    expect(readText('\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n')).toEqual(data('1'));
  });

  it('keeps line separators that are no line ends of the format', () => {
    expect(readText('data: "\u2028\u2029\u0085"\n\n')).toEqual(data('"\u2028\u2029\u0085"'));
  });

  it('accepts plain Uint8Arrays and views into larger ones', () => {
    const bytes = new TextEncoder().encode('XXdata: 1\n\nXX');
    expect(read([bytes.subarray(2, bytes.length - 2)])).toEqual(data('1'));
  });

  it('gives the same frames wherever the bytes are cut in two, and byte by byte', () => {
    const bytes = Buffer.from(
      '\uFEFF: hello\r\ndata: {"text":"Grüße, 世界 👩‍👩‍👧 \\n"}\r\n\r\n' +
        'event: x\rdata: {"a":\rdata: "é"}\r\r' +
        'data: {"b":2}\n\n{"error":{"code":503,\n"message":"ü"\n}}\ndata: {"end":true}',
    );
    const whole = read([bytes]);
    expect(whole.frames).toHaveLength(5);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
    }
    for (const size of [1, 2, 3, 5, 7]) expect(read(inPieces(bytes, size))).toEqual(whole);
  });

  it('agrees with eventsource-parser on streams of random lines and random cuts', () => {
    const random = seeded(20_261_116);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const LINES = ['data: {"a":1}', 'data:é世', 'data:  two', 'data', 'data:', ': c', 'event: e', 'id: 1', 'x', ''];
    const ENDS = ['\n', '\r\n', '\r'];
    for (let round = 0; round < 600; round++) {
      // Of one kind, and now and then another among them.
      const usual = pick([ENDS, ['\n'], ['\r\n'], ['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r']]);
      const lines = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
        const line = pick(LINES) + pick(usual);
        return random() < 0.5 && line.startsWith('data') ? line + pick(usual) : line;
      });
      const bytes = Buffer.from(`${pick(['', '\uFEFF'])}${lines.join('')}\n\n`);
      const pieces = [...inPieces(bytes, pick([1 + Math.floor(random() * 9), 40, 1000]))];
      expect(read(pieces).frames.map((frame) => frame.data)).toEqual(readWithOracle(pieces));
    }
  });

  it('hands out the last event when only its blank line is missing', () => {
    for (const end of ['', '\n', '\r\n'])
      expect(readText(`data: 1\n\ndata: {"a":2}${end}`)).toEqual(data('1', '{"a":2}'));
  });

  it('reports a last event that is not whole', () => {
    for (const tail of ['data: {"a"', 'data: {"a":\n', '{"error":{"code":503,\n  "mess']) {
      const { frames, error } = readText(`data: 1\n\n${tail}`);
      expect(frames).toEqual(data('1').frames);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ reason: 'network', code: 'TRUNCATED_FRAME' });
    }
  });

  it('hands out bare JSON as a frame of its own kind, on one line or on several', () => {
    const pretty = JSON.stringify({ error: { code: 503, message: 'busy' } }, undefined, 2);
    expect(readText(`data: 1\n\n${pretty}\n\ndata: 2\n\n{"error":{}}\n[{"error":{}}]\n`)).toEqual({
      frames: [
        { data: '1', bare: false },
        { data: pretty, bare: true },
        { data: '2', bare: false },
        { data: '{"error":{}}', bare: true },
        { data: '[{"error":{}}]', bare: true },
      ],
    });
  });

  it('does not let broken bare JSON swallow the events after it', () => {
    expect(readText('{"broken\ndata: 1\n\n')).toEqual({
      frames: [
        { data: '{"broken', bare: true },
        { data: '1', bare: false },
      ],
    });
  });

  it('refuses a frame above the limit, on one line, on several, and before its line has ended', () => {
    const options = { maxFrameBytes: 100 };
    expect(readText(`data: ${'x'.repeat(100)}\n\n`, options)).toEqual(data('x'.repeat(100)));
    for (const text of [`data: ${'x'.repeat(101)}\n\n`, 'data: 0123456789\n'.repeat(11), `data: ${'x'.repeat(200)}`]) {
      expect(readText(text, options).error).toMatchObject({ reason: 'network', code: 'FRAME_TOO_LARGE' });
    }
  });

  it.each(['\n', '\r\n', '\r'])('drops a long event that begins as one to skip, lines ending in %j', (end) => {
    const long = `{"skip":"${'xé'.repeat(40)}"}`;
    const stream = ['event: a', 'data: {"a":1}', '', `data: ${long}`, '', `data:${long}`, '', 'data: {"b":2}', '', ''];
    const bytes = Buffer.from(stream.join(end));
    for (let size = 1; size < 40; size++) {
      expect(read(inPieces(bytes, size), { skips: ['{"skip":', '{"b":3'] })).toEqual(data('{"a":1}', '{"b":2}'));
    }
  });

  it('limits an event that is skipped as any other', () => {
    const bytes = Buffer.from(`data: {"skip":${'x'.repeat(200)}`);
    const { error } = read(inPieces(bytes, 20), { skips: ['{"skip":'], maxFrameBytes: 100 });
    expect(error).toMatchObject({ code: 'FRAME_TOO_LARGE' });
  });

  it('hands out the text of adjacent known events together, wherever the bytes are cut', () => {
    const event = (n: number, text: string) =>
      `event: delta\ndata: ${JSON.stringify({ type: 'delta', n, item: 'i', text })}\n\n`;
    const texts = ['one', ' "two" ', 'drei ✓', '\\', 'a\nb', '', '{', 'last'];
    const bytes = Buffer.from(
      `${texts.map((text, index) => event(index + 9, text)).join('')}: ping\n\n${event(99, '!')}${event(100, '?')}data: 1`,
    );
    for (let size = 1; size <= bytes.length; size += 7) {
      const plain = new TextFrames({ counter: 'n', event: 'delta' });
      plain.note(JSON.stringify({ type: 'delta', n: 1, item: 'i', text: 'first' }), 'first', 'i');
      const { frames, error } = read(inPieces(bytes, size), { plain });
      expect(error).toBeUndefined();
      const found = frames.map(({ data: json, run }) => run?.text ?? (JSON.parse(json) as { text?: string }).text ?? 1);
      expect(found.join('|').replaceAll('|', '')).toBe([...texts, '!', '?', 1].join(''));
      if (size > 200) expect(frames.filter(({ run }) => run).length).toBeGreaterThan(1);
    }
  });

  it('hands a frame out before it looks at the next event of the same bytes', () => {
    const event = (text: string) => `data: ${JSON.stringify({ text })}\n\n`;
    const bytes = Buffer.from(`${event('one')}${event('two')}${event('three')}data: 1\n\ndata: 2`);
    const plain = new TextFrames();
    const found: string[] = [];
    const onFrame = ({ data: json, run }: SseFrame) => {
      found.push(run ? `run ${run.text}` : json);
      if (json === '{"text":"one"}') plain.note(json, 'one');
    };
    // The frames of the end are judged together, so they are returned.
    expect(read([bytes], { plain, onFrame })).toEqual(data('2'));
    expect(found).toEqual(['{"text":"one"}', 'run twothree', '1']);
  });

  it('replaces bytes that are no UTF-8 instead of failing', () => {
    expect(read([Buffer.from([...Buffer.from('data: "'), 0xff, 0xc3, ...Buffer.from('"\n\n')])])).toEqual(
      data('"\uFFFD\uFFFD"'),
    );
  });

  it('reads a frame of 20 MB that comes in small pieces', () => {
    const payload = JSON.stringify({ text: 'é'.repeat(10 * 1024 * 1024) });
    const { frames } = read(inPieces(Buffer.from(`data: ${payload}\r\n\r\n`), 1400));
    expect(frames).toHaveLength(1);
    expect(frames[0]!.data === payload).toBe(true);
  });
});

function readWithOracle(pieces: Iterable<Uint8Array>): string[] {
  const payloads: string[] = [];
  const parser = createParser({ onEvent: (event) => payloads.push(event.data) });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  return payloads;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

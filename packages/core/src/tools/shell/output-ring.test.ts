import { describe, expect, it } from 'vitest';
import { headAndTail, OutputRing } from './output-ring.ts';

function ringOf(cap: number, pieces: string[]): OutputRing {
  const ring = new OutputRing(cap);
  for (const piece of pieces) ring.push(piece);
  return ring;
}

function cut(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

describe('OutputRing', () => {
  it('keeps everything up to its cap, in order', () => {
    const ring = ringOf(10, ['ab', '', 'cde', 'fghij']);
    expect({ total: ring.total, text: ring.take() }).toEqual({ total: 10, text: 'abcdefghij' });
  });

  it('keeps head and tail past its cap and says how much is missing', () => {
    expect(ringOf(10, ['0123456789', 'abcdefghij']).take()).toBe('01234\n... [10 characters omitted] ...\nfghij');
    expect(ringOf(10, ['0123456789', 'a']).take()).toBe('01234\n... [1 characters omitted] ...\n6789a');
  });

  it.each([
    ['plain', 'line of text\n'],
    ['multi-byte', 'zeile ü 你好 😀\n'],
  ])('gives the same for %s text however the pushes are cut', (_name, line) => {
    const text = Array.from({ length: 3000 }, (_, index) => `${index} ${line}`).join('');
    const whole = ringOf(5000, [text]).take();
    for (const size of [1, 7, 100, 33_000]) expect(ringOf(5000, cut(text, size)).take()).toBe(whole);
  });

  it('never cuts a character in two, at any cap', () => {
    const text = 'a😀é你'.repeat(30);
    for (let cap = 8; cap < 80; cap++) {
      const kept = ringOf(cap, [text]).take();
      const [head = '', tail = ''] = kept.split(/\n\.\.\. \[\d+ characters omitted\] \.\.\.\n/);
      const omitted = Number(/\[(\d+) char/.exec(kept)?.[1]);
      expect({
        isHead: text.startsWith(head),
        isTail: text.endsWith(tail),
        whole: (head + tail).isWellFormed() && !kept.includes('\uFFFD'),
        omitted,
      }).toEqual({ isHead: true, isTail: true, whole: true, omitted: text.length - head.length - tail.length });
    }
  });

  it('is empty after it was taken and can be used again', () => {
    const ring = ringOf(10, ['0123456789abc']);
    ring.take();
    ring.push('new');
    expect({ total: ring.total, text: ring.take() }).toEqual({ total: 3, text: 'new' });
  });

  it('holds no more than its cap of a stream a hundred times as long', () => {
    const ring = new OutputRing(200_000);
    for (let count = 0; count < 20_000; count++) ring.push(`${String(count).padStart(999, '.')}\n`);
    const { total } = ring;
    const text = ring.take();
    expect({ total, end: text.slice(-6), omitted: /\[(\d+) char/.exec(text)?.[1] }).toEqual({
      total: 20_000_000,
      end: '19999\n',
      omitted: '19800000',
    });
  });
});

describe('headAndTail', () => {
  it('leaves short text alone and cuts long text between characters', () => {
    expect([headAndTail('short', 5), headAndTail('a😀b😀c', 4)]).toEqual([
      'short',
      'a\n... [5 characters omitted] ...\nc',
    ]);
  });
});

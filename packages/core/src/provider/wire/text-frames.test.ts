/** Frames read without a parser have the text that a parser finds, or are left to it. */

import { describe, expect, it } from 'vitest';
import { TextFrames } from './text-frames.ts';

const frame = (text: string, more: object = {}) => JSON.stringify({ id: 'a', delta: { text }, end: null, ...more });
const numbered = (n: number, text: string) => JSON.stringify({ type: 'x', n, item: 'i', delta: text, more: [] });

function noted(data: string, text: string, counter?: string): TextFrames {
  const frames = new TextFrames(counter === undefined ? {} : { counter });
  frames.note(data, text);
  return frames;
}

describe('TextFrames', () => {
  it.each(['plain', ' ', 'ünïcödé ✓ 🦫', '{[:,', 'null'])('reads %j from a frame like the one before', (text) => {
    expect(noted(frame('first'), 'first').textOf(frame(text))).toBe(text);
  });

  it.each([
    ['an escape', frame('a\nb')],
    ['a quote', frame('a"b')],
    ['no text', frame('')],
    ['another id', JSON.stringify({ id: 'b', delta: { text: 'x' }, end: null })],
    ['a reason at its end', frame('x', { end: 'stop' })],
    ['another field', frame('x', { usage: 1 })],
    ['a second text', frame('x').replace('"text":"x"', '"text":"x","text":"y"')],
    ['half of the frame', frame('x').slice(0, -4)],
    ['other data', '[DONE]'],
    ['nothing', ''],
  ])('leaves a frame with %s to the parser', (_, data) => {
    expect(noted(frame('first'), 'first').textOf(data)).toBeUndefined();
  });

  it('passes over the counter of numbered frames, and over nothing else', () => {
    const frames = noted(numbered(9, 'first'), 'first', 'n');
    expect(frames.textOf(numbered(10, 'second'))).toBe('second');
    expect(frames.textOf(numbered(10, 'second').replace('"i"', '"j"'))).toBeUndefined();
    expect(noted(frame('first'), 'first', 'n').textOf(frame('second'))).toBeUndefined();
  });

  it('notes no frame in which the text occurs twice', () => {
    expect(noted(frame('a'), 'a').textOf(frame('b'))).toBeUndefined();
  });

  it('stops comparing frames that always differ', () => {
    const frames = new TextFrames();
    for (let n = 0; n < 40; n++) frames.note(frame('first', { n }), 'first');
    frames.note(frame('first'), 'first');
    expect(frames.textOf(frame('second'))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { abortWith } from './abort.ts';
import { SerialQueue } from './serial-queue.ts';

describe('abortWith', () => {
  it('aborts with the reason of the first signal, and no more once it is released', () => {
    const [long, other] = [new AbortController(), new AbortController()];
    const [first, second] = [new AbortController(), new AbortController()];
    abortWith(first, [long.signal, other.signal]);
    const release = abortWith(second, [long.signal, other.signal]);
    release();
    other.abort('why');
    expect(first.signal.reason).toBe('why');
    expect(second.signal.aborted).toBe(false);
    const late = new AbortController();
    abortWith(late, [long.signal, other.signal]);
    expect(late.signal.reason).toBe('why');
  });
});

describe('SerialQueue', () => {
  it('admits one caller at a time, also after one gave up its place', async () => {
    const queue = new SerialQueue();
    const { signal } = new AbortController();
    const impatient = new AbortController();
    const order: string[] = [];
    const leaveFirst = await queue.enter(signal);
    const gaveUp = queue.enter(impatient.signal);
    const third = queue.enter(signal).then((leave) => {
      order.push('third');
      leave();
    });
    impatient.abort();
    await expect(gaveUp).rejects.toThrow();
    order.push('first leaves');
    leaveFirst();
    leaveFirst();
    await third;
    const leave = await queue.enter(signal);
    const waiting = queue.enter(signal).then(() => order.push('last'));
    order.push('again');
    leave();
    await waiting;
    expect(order).toEqual(['first leaves', 'third', 'again', 'last']);
  });
});

import { describe, expect, it } from 'vitest';
import { findCallCycle, toCallKey, toCallResult } from './call-cycles.ts';
import type { SeenCall } from './call-cycles.ts';

/** `A1` is call A with result 1, `A1!` the same as a failure, `A` a call without a result yet. */
function parseCalls(text: string): SeenCall[] {
  return text.split(' ').map((word, index) => {
    const [, name = '', digest = '', failed = ''] = /^([A-Z])(\d*)(!?)$/.exec(word) ?? [];
    const call: SeenCall = { callId: String(index), name, key: name };
    return digest === '' ? call : { ...call, result: { digest, failed: failed === '!' } };
  });
}

describe('findCallCycle', () => {
  it.each([
    ['five equal calls of which nothing is known', 'A A A A A'],
    ['five equal calls with equal results', 'A1 A1 A1 A1 A'],
    ['five equal calls after others', 'B1 C1 A1 A1 A1 A1 A'],
    ['the third call of what failed twice in the same way', 'A1! A1! A'],
    ['two calls in turn, by the eighth', 'A1 B2 A1 B2 A1 B2 A1 B'],
    ['two failing calls in turn, by the sixth', 'A1! B2! A1! B2! A1! B'],
    ['two calls in turn of which nothing is known, by the tenth', 'A B A B A B A B A B'],
    ['three calls in turn', 'A1 B2 C3 A1 B2 C3 A1 B2 C3 A1 B2 C'],
    ['five calls in turn', 'A1 B2 C3 D4 E5 A1 B2 C3 D4 E5 A1 B2 C3 D4 E5 A1 B2 C3 D4 E'],
    ['a cycle with a call twice in it', 'A1 A1 B2 A1 A1 B2 A1 A1 B2 A1 A1 B'],
  ])('finds %s', (_title, calls) => {
    expect(findCallCycle(parseCalls(calls))).toContain('repeated');
  });

  it.each([
    ['four equal calls', 'A1 A1 A1 A'],
    ['polling whose output changes', 'A1 A2 A3 A4 A5 A6 A7 A'],
    ['polling whose output changed within the last repetitions', 'A1 A1 A2 A2 A2 A'],
    ['a call that failed in another way each time', 'A1! A2! A3! A4! A'],
    ['a call that failed and then did not', 'A1! A2 A'],
    ['edit and test in turn when the test makes progress', 'A1 B1 A1 B2 A1 B3 A1 B4 A1 B5 A1 B'],
    ['edits that differ between equal tests', 'A1 T1 B1 T1 C1 T1 D1 T1 E1 T1 F1 T'],
    ['a cycle that was broken at the end', 'A1 A1 A1 A1 B'],
    ['calls that are all different', 'A1 B1 C1 D1 E1 F1 G1 H1 I1 J'],
    ['six calls in turn', 'A B C D E F A B C D E F A B C D E F A B C D E F'],
    ['no calls', ''],
  ])('does not find one in %s', (_title, calls) => {
    expect(findCallCycle(parseCalls(calls))).toBeUndefined();
  });

  it('sees a different result also where the one between is unknown', () => {
    expect(findCallCycle(parseCalls('A2 A2 A A1 A'))).toBeUndefined();
  });

  it('names the calls and how often they were repeated', () => {
    expect(findCallCycle(parseCalls('A1 B2 A1 B2 A1 B2 A1 B'))).toBe(
      'The calls of A, B were repeated 4 times with the same arguments and without a new result',
    );
  });

  it('keeps a long name short', () => {
    const call: SeenCall = { callId: '1', name: 'x'.repeat(10_000), key: 'k' };
    expect(findCallCycle([call, call, call, call, call])?.length).toBeLessThan(200);
  });
});

describe('toCallKey', () => {
  const key = (args: unknown, name = 'tool') => toCallKey({ name, args, callId: 'id' });

  it('does not depend on the order of keys, at any depth', () => {
    expect(key({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: 4 } })).toBe(key({ b: { f: 4, c: [1, { e: 3, d: 2 }] }, a: 1 }));
  });

  it('differs with the name, the values and the order of elements', () => {
    const keys = [
      key({ a: 1 }),
      key({ a: '1' }),
      key({ a: 2 }),
      key({ a: [1, 2] }),
      key({ a: [2, 1] }),
      key({ a: 1 }, 'x'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('stays short however large the arguments are', () => {
    expect(key({ content: 'x'.repeat(1_000_000) }).length).toBeLessThan(40);
  });

  it('takes arguments that are no JSON for equal to nothing', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const keys = ['1', '2'].map((callId) => toCallKey({ name: 'tool', args: circular, callId }));
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('takes arguments nested beyond the stack', () => {
    let nested: unknown = {};
    for (let depth = 0; depth < 200_000; depth++) nested = [nested];
    expect(() => key({ nested })).not.toThrow();
  });
});

describe('toCallResult', () => {
  it('knows a failure by its error', () => {
    expect([
      toCallResult({ response: { error: 'no' } }, 'id').failed,
      toCallResult({ response: { output: 'error' } }, 'id').failed,
      toCallResult({}, 'id').failed,
    ]).toEqual([true, false, false]);
  });

  it('does not mistake the number of a process for a new result', () => {
    const result = (pid: number) =>
      toCallResult({ response: { output: `Output: 3 failed\nExit Code: 1\nProcess Group PGID: ${pid}` } }, 'id');
    expect(result(4711)).toEqual(result(815));
  });

  it('sees that other numbers differ', () => {
    const result = (output: string) => toCallResult({ response: { output } }, 'id').digest;
    expect(result('Output: 40 % done')).not.toBe(result('Output: 41 % done'));
  });
});

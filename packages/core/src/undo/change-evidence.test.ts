/** Whose a change is, by the times of a file: the calls ran from 2000 to 3000, the last walk began at 1000. */

import { describe, expect, it } from 'vitest';
import { ChangeEvidence, clockOffset, isSteady } from './change-evidence.ts';

const evidence = new ChangeEvidence({ from: 2000, to: 3000 }, 1000);
const running = new ChangeEvidence({ from: 2000 }, 1000);
const KNOWN = { isKnown: true, isFolder: false, parent: 'known' } as const;
const NEW = { ...KNOWN, isKnown: false } as const;

function times(birthtimeMs: number, ctimeMs: number) {
  return { birthtimeMs, ctimeMs };
}

describe('a path that changed', () => {
  it.each([
    ['written during the call', times(500, 2500), KNOWN, 'call'],
    ['made during the call', times(2500, 2500), NEW, 'call'],
    ['in a tick of the clock before the call', times(1990, 1990), NEW, 'call'],
    ['written before the call', times(500, 1500), KNOWN, 'other'],
    ['made before the call', times(1500, 1500), NEW, 'other'],
    ['replaced before the call', times(1500, 1500), NEW, 'other'],
    ['made before the call, and changed by it', times(1500, 2500), NEW, 'unclear'],
    ['seen by the last walk, and changed by the call', times(1500, 2500), KNOWN, 'call'],
    ['moved or linked into the workspace by the call', times(500, 2500), NEW, 'call'],
    ['in a folder that the call moved', times(500, 600), { ...NEW, parent: 'call' }, 'call'],
    ['in a folder that the user moved', times(500, 600), { ...NEW, parent: 'other' }, 'other'],
    ['written after the call', times(500, 3500), KNOWN, 'unclear'],
    ['made after the call', times(3500, 3500), NEW, 'other'],
    ['a folder of the call that something was put into later', times(2500, 3500), { ...NEW, isFolder: true }, 'call'],
    ['without a time of birth, written during the call', times(0, 2500), NEW, 'call'],
    ['without a time of birth, written before the call', times(0, 1500), NEW, 'other'],
  ] as const)('%s', (_name, found, facts, maker) => {
    expect(evidence.ofPresent(found, facts)).toBe(maker);
  });

  it('belongs to a call that still runs, whatever its time', () => {
    expect(running.ofPresent(times(9000, 9000), NEW)).toBe('call');
  });
});

it('gives a deletion to the call unless nothing happened in its folder since', () => {
  expect(evidence.ofGone(times(500, 1500))).toBe('other');
  expect(evidence.ofGone(times(500, 2500))).toBe('call');
  expect(evidence.ofGone(null)).toBe('call');
});

it('follows new folders down: what was moved keeps its times', () => {
  expect(evidence.arrivalOf(times(500, 2500), 'known')).toBe('call');
  expect(evidence.arrivalOf(times(500, 600), 'call')).toBe('call');
  expect(evidence.arrivalOf(times(500, 1500), 'known')).toBe('other');
  expect(evidence.arrivalOf(times(1500, 2500), 'known')).toBe('other');
  expect(evidence.arrivalOf(times(3500, 3500), 'known')).toBe('other');
});

it('tells a clock that was set from one that runs', () => {
  expect(isSteady(1000, 1010)).toBe(true);
  expect(isSteady(1000, -3_599_000)).toBe(false);
});

it('does not take a process that lost the processor between two readings for a clock that was set', () => {
  const DAY = 1_000_000;
  // The clock is read in turn: steady, of the day, steady. Another process runs right after the first reading.
  const pauses = [200, 0, 0];
  let now = 0;
  const steady = () => {
    const read = now;
    now += pauses.shift() ?? 0;
    return read;
  };
  expect(clockOffset({ timeOfDay: () => DAY + now, steady })).toBe(DAY);
});

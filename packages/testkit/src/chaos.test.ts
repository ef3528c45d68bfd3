import { describe, expect, it } from 'vitest';
import { chaos, TRANSIENT_FAULTS } from './chaos.ts';
import { say } from './script.ts';

const STEPS = Array.from({ length: 30 }, (_, index) => say(`${index}`));

describe('chaos', () => {
  it('keeps every step, in order, with at most as many faults before each as allowed', () => {
    const script = chaos(STEPS, { seed: 5, mostFaults: 3 });
    expect(script.filter((step) => !TRANSIENT_FAULTS.includes(step))).toEqual(STEPS);
    const gaps = STEPS.map(
      (step, index) => script.indexOf(step) - (index === 0 ? 0 : script.indexOf(STEPS[index - 1]!) + 1),
    );
    expect(new Set(gaps)).toEqual(new Set([0, 1, 2, 3]));
  });

  it('is the same for the same seed', () => {
    expect(chaos(STEPS, { seed: 5 })).toEqual(chaos(STEPS, { seed: 5 }));
    expect(chaos(STEPS, { seed: 5 })).not.toEqual(chaos(STEPS, { seed: 6 }));
  });
});

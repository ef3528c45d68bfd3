import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { ModelAvailability } from './availability.ts';
import { applyModelSelection } from './model-selection.ts';
import { policyChain } from './fallback-chains.ts';

function setUp() {
  const clock = createFakeClock();
  return { clock, availability: new ModelAvailability(clock) };
}

describe('ModelAvailability', () => {
  it('takes an unmentioned model for available', () => {
    expect(setUp().availability.snapshot('pro')).toEqual({ available: true });
  });

  it.each(['quota', 'not_found', 'replaced'] as const)('leaves a model alone for good after %s', (reason) => {
    const { clock, availability } = setUp();
    availability.markTerminal('pro', reason);
    clock.advance(24 * 3_600_000);
    availability.resetTurn();
    expect(availability.snapshot('pro')).toEqual({ available: false, reason });
  });

  it('leaves a model without room alone for thirty seconds', () => {
    const { clock, availability } = setUp();
    availability.markTerminal('pro', 'capacity');
    clock.advance(29_999);
    expect(availability.snapshot('pro')).toEqual({ available: false, reason: 'capacity' });
    clock.advance(1);
    expect(availability.snapshot('pro')).toEqual({ available: true });
  });

  it('offers a model with one attempt per turn once in each turn', () => {
    const { availability } = setUp();
    availability.markRetryOncePerTurn('pro');
    expect(availability.snapshot('pro')).toEqual({ available: true, attempts: 1 });
    availability.consumeStickyAttempt('pro');
    availability.markRetryOncePerTurn('pro');
    expect(availability.snapshot('pro')).toEqual({ available: false, reason: 'retry_once_per_turn' });
    availability.resetTurn();
    expect(availability.snapshot('pro')).toEqual({ available: true, attempts: 1 });
  });

  it('does not soften a terminal state, and forgets everything on success', () => {
    const { availability } = setUp();
    availability.markTerminal('pro', 'quota');
    availability.markRetryOncePerTurn('pro');
    expect(availability.snapshot('pro')).toEqual({ available: false, reason: 'quota' });
    availability.markHealthy('pro');
    expect(availability.snapshot('pro')).toEqual({ available: true });
  });

  it('selects the first available model and says why the others were passed over', () => {
    const { availability } = setUp();
    availability.markTerminal('a', 'quota');
    availability.markRetryOncePerTurn('b');
    expect(availability.selectFirstAvailable(['a', 'b', 'c'])).toEqual({
      model: 'b',
      attempts: 1,
      skipped: [{ model: 'a', reason: 'quota' }],
    });
    availability.consumeStickyAttempt('b');
    expect(availability.selectFirstAvailable(['a', 'b'])).toEqual({
      model: undefined,
      skipped: [
        { model: 'a', reason: 'quota' },
        { model: 'b', reason: 'retry_once_per_turn' },
      ],
    });
  });
});

describe('applyModelSelection', () => {
  const chain = policyChain('gemini-2.5-pro', { requestedModel: 'auto-gemini-2.5' });

  it('keeps an available model and its number of attempts', () => {
    const { availability } = setUp();
    expect(applyModelSelection({ availability, chainFor: () => chain }, { model: 'gemini-2.5-pro' })).toEqual({
      model: 'gemini-2.5-pro',
      maxAttempts: 3,
    });
    expect(applyModelSelection({ availability }, 'mine')).toEqual({ model: 'mine' });
  });

  it('uses up the one attempt of a turn, then takes the next of the chain', () => {
    const { availability } = setUp();
    availability.markRetryOncePerTurn('gemini-2.5-pro');
    const apply = () => applyModelSelection({ availability, chainFor: () => chain }, { model: 'gemini-2.5-pro' });
    expect([apply(), apply()]).toEqual([
      { model: 'gemini-2.5-pro', maxAttempts: 1 },
      { model: 'gemini-2.5-flash', maxAttempts: 10 },
    ]);
  });

  it('takes the last resort when nothing is available', () => {
    const { availability } = setUp();
    for (const { model } of chain) availability.markTerminal(model, 'quota');
    expect(applyModelSelection({ availability, chainFor: () => chain }, { model: 'gemini-2.5-pro' }).model).toBe(
      'gemini-2.5-flash',
    );
    expect(applyModelSelection({ availability }, 'gemini-2.5-pro').model).toBe('gemini-2.5-pro');
  });
});

import { describe, expect, it } from 'vitest';
import { policyChain } from './fallback-chains.ts';

const names = (model: string, requestedModel = model) =>
  policyChain(model, { requestedModel }).map((entry) => entry.model);

describe('policyChain', () => {
  it.each([
    ['gemini-3-pro-preview', 'auto', ['gemini-3-pro-preview', 'gemini-3-flash-preview']],
    ['gemini-3-flash-preview', 'auto', ['gemini-3-flash-preview', 'gemini-3-pro-preview']],
    ['gemini-3-flash-preview', 'gemini-3-flash-preview', ['gemini-3-flash-preview', 'gemini-3-pro-preview']],
    ['gemini-3.1-pro-preview', 'gemini-3.1-pro-preview', ['gemini-3.1-pro-preview', 'gemini-3-flash-preview']],
    ['gemini-3-flash-preview', 'gemini-3.1-pro-preview', ['gemini-3-flash-preview', 'gemini-3.1-pro-preview']],
    ['gemini-2.5-flash', 'auto-gemini-2.5', ['gemini-2.5-flash', 'gemini-2.5-pro']],
    ['gemini-2.5-pro', 'gemini-2.5-pro', ['gemini-2.5-pro', 'gemini-2.5-flash']],
    ['gemini-2.5-flash', 'gemini-2.5-flash', ['gemini-2.5-flash']],
    ['gemini-3.1-flash-lite', 'flash-lite', ['gemini-3.1-flash-lite', 'gemini-2.5-flash', 'gemini-2.5-pro']],
    ['gemini-2.5-flash', 'flash-lite', ['gemini-2.5-flash', 'gemini-2.5-pro']],
    ['mine', 'mine', ['mine']],
  ])('lets stand in for %s, when %s was asked for, %j', (model, requested, expected) => {
    expect(names(model, requested)).toEqual(expected);
  });

  it('is patient and silent about busy servers only where the choice was left to us', () => {
    const [auto] = policyChain('gemini-2.5-pro', { requestedModel: 'auto-gemini-2.5' });
    const [named] = policyChain('gemini-2.5-pro', { requestedModel: 'gemini-2.5-pro' });
    expect(auto).toEqual({
      model: 'gemini-2.5-pro',
      isLastResort: false,
      maxAttempts: 3,
      actions: { terminal: 'prompt', transient: 'silent', not_found: 'prompt' },
      states: { terminal: 'terminal', transient: 'sticky_retry', not_found: 'terminal' },
    });
    expect(named).toEqual({
      model: 'gemini-2.5-pro',
      isLastResort: false,
      maxAttempts: 10,
      actions: { terminal: 'prompt', transient: 'prompt', not_found: 'prompt' },
      states: { terminal: 'terminal', transient: 'terminal', not_found: 'terminal' },
    });
  });

  it('asks nothing in plan mode', () => {
    const chain = policyChain('gemini-2.5-pro', { requestedModel: 'gemini-2.5-pro', plan: true });
    expect(chain.map(({ actions }) => new Set(Object.values(actions)))).toEqual([
      new Set(['silent']),
      new Set(['silent']),
    ]);
  });
});

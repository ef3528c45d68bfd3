import { describe, expect, it } from 'vitest';
import { describeSmallModel, warnOfSmallModel } from './check-small-model.ts';
import type { ProviderSources } from './configure-provider.ts';

const sources = (smallModel?: string) =>
  ({ settings: { providers: {}, castor: { smallModel } }, environment: {} }) as unknown as ProviderSources;

describe('castor.smallModel', () => {
  it.each([undefined, 'flash-lite', 'gemini/flash', 'anthropic/claude-haiku-4-5'])('may be %s', (name) => {
    expect(describeSmallModel(sources(name))).toBeUndefined();
  });

  it('of an unknown provider is told, and warned of once', () => {
    expect(describeSmallModel(sources('nope/x'))).toContain('castor.smallModel has no effect: unknown provider "nope"');
    const warnings: string[] = [];
    for (let times = 0; times < 2; times += 1) warnOfSmallModel(sources('nope/x'), (message) => warnings.push(message));
    expect(warnings).toHaveLength(1);
  });
});

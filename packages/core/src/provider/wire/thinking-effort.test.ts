import { describe, expect, it } from 'vitest';
import type { EffortLevel } from '../catalogue/model-catalogue.ts';
import { type Effort, effortFor } from './thinking-effort.ts';

describe('the effort asked of a model', () => {
  it.each<[Effort, EffortLevel[] | undefined, EffortLevel]>([
    ['none', ['none', 'low', 'high'], 'none'],
    ['none', ['minimal', 'low', 'high'], 'minimal'],
    ['none', ['low', 'medium', 'high'], 'low'],
    ['minimal', ['none', 'low', 'high'], 'low'],
    ['medium', ['low', 'high'], 'low'],
    ['low', ['high', 'max'], 'high'],
    ['high', undefined, 'high'],
  ])('is for %s among %j: %s', (wished, efforts, asked) => {
    expect(effortFor(efforts ? { efforts } : {}, wished)).toBe(asked);
  });
});

import { describe, expect, it } from 'vitest';
import { describeModel } from './describe-model.ts';

const model = { id: 'ollama/m', provider: 'ollama', reachable: true };

describe('the line about a model', () => {
  it.each([
    [32_768, 262_144, '33k of 262k context'],
    [8192, 8192, '8k context'],
    [8192, undefined, '8k context'],
    [undefined, 40_960, '41k context'],
    [undefined, undefined, 'context unknown'],
  ])('with a window of %s, trained for %s, begins with %s', (contextWindow, trainedWindow, words) => {
    const known = { tools: true, ...(contextWindow !== undefined && { contextWindow }) };
    expect(describeModel({ ...model, known, trainedWindow })).toBe(`${words} · tools · images unknown · price unknown`);
  });
});

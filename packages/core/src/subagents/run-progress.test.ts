import { describe, expect, it } from 'vitest';
import { describeStep } from './run-progress.ts';

describe('the steps of a run', () => {
  it.each([
    ['proceed_once', '(you allowed it)\n'],
    ['proceed_always', '(you allowed it)\n'],
    ['cancel', '(you declined)\n'],
    ['modify_with_editor', undefined],
  ] as const)('end a question with its answer: %s', (outcome, line) => {
    const event = { type: 'tool_call_updated', callId: 'c', status: 'awaiting_approval', outcome } as const;
    expect(describeStep(event)).toBe(line);
  });
});

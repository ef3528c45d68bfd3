import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { ToolCallUpdates } from './tool-call-updates.ts';

const OWN = {} as AgentEvent;
const CHILD = { parentCallId: 'p' } as AgentEvent;

/** A sub-agent whose command has printed `one`, which is shown, and `two`, which waits for its turn. */
function openCalls() {
  const shown: string[] = [];
  const emit = (update: SessionUpdate) => {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const { toolCallId, status = '', content = [] } = update;
    shown.push(`${toolCallId} ${status} ${/one|two/g.exec(JSON.stringify(content).replace(/.*one.*two.*/, 'two')) ?? ''}`.trim());
  };
  const calls = new ToolCallUpdates({ emit, toolOf: () => undefined });
  const request = (callId: string) => ({ callId, name: 'x', args: {}, isClientInitiated: false, prompt_id: '1' });
  calls.requested(request('p'), OWN);
  calls.requested(request('c'), CHILD);
  for (const output of ['one\n', 'two\n'])
    calls.updated({ callId: 'c', status: 'executing', output } as Parameters<typeof calls.updated>[0], CHILD);
  return { calls, shown };
}

describe('the calls of a sub-agent that was cancelled', () => {
  it('end with all their output before its own call does, and nothing follows', () => {
    const { calls, shown } = openCalls();
    const response = { callId: 'p', responseParts: [], resultDisplay: 'cancelled', error: undefined };
    calls.ended(response as unknown as Parameters<typeof calls.ended>[0], OWN);
    calls.updated({ callId: 'c', status: 'executing', output: 'three' } as Parameters<typeof calls.updated>[0], CHILD);
    calls.close();
    expect(shown).toEqual(['p pending', 'p/c pending', 'p/c in_progress', 'p/c  one', 'p/c failed two', 'p completed']);
  });

  it('end before its own where the prompt leaves both open', () => {
    const { calls, shown } = openCalls();
    calls.close();
    expect(shown.slice(-2)).toEqual(['p/c failed two', 'p failed']);
  });
});

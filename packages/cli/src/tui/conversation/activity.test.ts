import { createTranscript, reduce } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { activityOf } from './activity.ts';

function after(...events: unknown[]) {
  const transcript = (events as AgentEvent[]).reduce(reduce, createTranscript());
  return activityOf({ transcript, clientCalls: [], model: 'gemini-3-pro', phrase: undefined, silentMs: 0 });
}

const STARTED = { type: 'prompt_started', prompt_id: 'p', parts: [{ text: 'fix it' }], value: {} };
const TEXT = { type: 'content', value: 'Done.' };
const FINISHED = { type: 'finished', value: { reason: 'STOP' } };

describe('what the session is doing', () => {
  it('is waiting, writing, and finishing what is left after the answer', () => {
    expect(after(STARTED)).toEqual({ verb: 'Waiting for', object: 'gemini-3-pro' });
    expect(after(STARTED, TEXT)).toEqual({ verb: 'Writing' });
    expect(after(STARTED, TEXT, FINISHED)).toEqual({ verb: 'Finishing' });
  });

  it('is not a wait for the model while no request is open', () => {
    expect(after()).toEqual({ verb: 'Working' });
  });
});

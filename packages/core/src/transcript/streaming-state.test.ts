import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { SAMPLE_EVENTS } from '../protocol/sample-events.fixture.ts';
import { reduce } from './reduce.ts';
import { StreamingState, deriveStreamingState } from './streaming-state.ts';
import { createTranscript } from './transcript.ts';

const { Idle, Responding, WaitingForConfirmation } = StreamingState;

describe('deriveStreamingState', () => {
  it('follows a prompt with an approved call and a question about the model', () => {
    const steps: [AgentEvent, StreamingState][] = [
      [SAMPLE_EVENTS.prompt_started, Responding],
      [SAMPLE_EVENTS.fallback_requested, WaitingForConfirmation],
      [SAMPLE_EVENTS.fallback_answered, Responding],
      [SAMPLE_EVENTS[GeminiEventType.ToolCallRequest], Responding],
      [SAMPLE_EVENTS[GeminiEventType.ToolCallConfirmation], WaitingForConfirmation],
      [SAMPLE_EVENTS.tool_call_updated, Responding],
      [SAMPLE_EVENTS[GeminiEventType.ToolCallResponse], Responding],
      [SAMPLE_EVENTS[GeminiEventType.Content], Responding],
      [SAMPLE_EVENTS.prompt_ended, Idle],
    ];
    let transcript = createTranscript();
    expect(deriveStreamingState(transcript)).toBe(Idle);
    const states = steps.map(([event]) => {
      transcript = reduce(transcript, event);
      return deriveStreamingState(transcript);
    });
    expect(states).toEqual(steps.map(([, state]) => state));
  });

  it('responds while a call without a prompt runs', () => {
    const running = reduce(createTranscript(), SAMPLE_EVENTS[GeminiEventType.ToolCallRequest]);
    expect(deriveStreamingState(running)).toBe(Responding);
    expect(deriveStreamingState(reduce(running, SAMPLE_EVENTS[GeminiEventType.ToolCallResponse]))).toBe(Idle);
  });

  it('has the documented words', () => {
    expect(Object.values(StreamingState)).toEqual(['idle', 'responding', 'waiting_for_confirmation']);
  });
});

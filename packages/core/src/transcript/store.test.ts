import { describe, expect, it } from 'vitest';
import { SAMPLE_LOG } from '../protocol/sample-events.fixture.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { createTranscriptStore } from './store.ts';

const HELLO = { type: GeminiEventType.Content, value: 'Hello' } as const;

describe('createTranscriptStore', () => {
  it('tells every listener once per dispatch and once per batch', () => {
    const store = createTranscriptStore();
    const told: string[] = [];
    store.subscribe(() => told.push('first'));
    store.subscribe(() => told.push('second'));
    store.dispatch(HELLO);
    store.dispatchAll(SAMPLE_LOG);
    expect(told).toEqual(['first', 'second', 'first', 'second']);
  });

  it('keeps its snapshot and its silence when an event changes nothing', () => {
    const store = createTranscriptStore();
    let told = 0;
    store.subscribe(() => told++);
    const before = store.getSnapshot();
    store.dispatch({ type: 'tool_call_updated', callId: 'unknown', status: 'executing', output: 'x' });
    expect(store.getSnapshot()).toBe(before);
    expect(told).toBe(0);
  });

  it('contains what a listener throws and tells the others', () => {
    const errors: unknown[] = [];
    const store = createTranscriptStore({ onListenerError: (error) => errors.push(error) });
    const failure = new Error('render failed');
    let seen: string | undefined;
    store.subscribe(() => {
      throw failure;
    });
    store.subscribe(() => (seen = store.getSnapshot().pendingText?.text));
    store.dispatch(HELLO);
    expect([errors, seen]).toEqual([[failure], 'Hello']);
  });

  it('stops telling a listener that left, also one that leaves while being told', () => {
    const store = createTranscriptStore();
    let told = 0;
    const leave = store.subscribe(() => {
      told++;
      leave();
    });
    store.dispatch(HELLO);
    store.dispatch(HELLO);
    expect(told).toBe(1);
  });

  it('tells the same function twice when it subscribed twice, until each subscription ends', () => {
    const store = createTranscriptStore();
    let told = 0;
    const listener = () => void told++;
    const leave = store.subscribe(listener);
    store.subscribe(listener);
    store.dispatch(HELLO);
    leave();
    store.dispatch(HELLO);
    expect(told).toBe(3);
  });

  it('lets a listener dispatch', () => {
    const store = createTranscriptStore();
    store.subscribe(() => {
      if (store.getSnapshot().prompt === undefined) store.dispatch({ type: 'prompt_started', prompt_id: 'p' });
    });
    store.dispatch(HELLO);
    expect(store.getSnapshot().prompt?.prompt_id).toBe('p');
  });

  it('keeps what was folded before an event that cannot be folded', () => {
    const store = createTranscriptStore();
    const unknown = { type: 'from_the_future' } as unknown as typeof HELLO;
    expect(() => store.dispatchAll([HELLO, unknown])).toThrow('from_the_future');
    expect(store.getSnapshot().pendingText?.text).toBe('Hello');
  });
});

import { GeminiEventType, MessageType, StreamingState, createTranscriptStore } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { Text } from 'ink';
import { createElement, use } from 'react';
import { describe, expect, it } from 'vitest';
import { ClientCalls } from '../conversation/client-calls.ts';
import { HistoryItemDisplay } from '../components/history-item-display.tsx';
import { LoadingIndicator } from '../components/loading-indicator.tsx';
import { StreamingContext } from '../contexts/streaming-context.tsx';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { createStage } from '../terminal/ink-stage.ts';
import { useGeminiStream } from './use-gemini-stream.ts';
import type { GeminiStream, GeminiStreamPort } from '../conversation/gemini-stream.ts';
import { useReactToolScheduler } from './use-react-tool-scheduler.ts';
import type { ReactToolScheduler } from './use-react-tool-scheduler.ts';

const STARTED: AgentEvent = { type: 'prompt_started', prompt_id: 'p', text: 'Go' };
const THOUGHT: AgentEvent = { type: GeminiEventType.Thought, value: { subject: 'Sheep', description: 'one by one' } };
const WORDS: AgentEvent = { type: GeminiEventType.Content, value: 'Half a' };
const CALL: AgentEvent = {
  type: GeminiEventType.ToolCallRequest,
  value: { callId: 'c', name: 'read_file', args: {}, isClientInitiated: false, prompt_id: 'p' },
};

/** What a hook gives to a component that is drawn once. */
function see<T>(useIt: () => T): T {
  let seen: T | undefined;
  function Probe() {
    seen = useIt();
    return null;
  }
  draw(createElement(Probe));
  return seen!;
}

function draw(node: ReturnType<typeof createElement>): string[] {
  let rows: readonly string[] = [];
  const stage = createStage(
    { columns: 40, rows: 10 },
    {
      onFrame: (next) => (rows = next),
      onBroken: (error) => {
        throw error;
      },
    },
  );
  stage.show(node);
  stage.close();
  return rows.map((row) => row.trimEnd());
}

function portAfter(events: readonly AgentEvent[], port: Partial<GeminiStreamPort> = {}): GeminiStreamPort {
  const store = createTranscriptStore();
  store.dispatchAll(events);
  const submitQuery = () => {};
  return { transcript: store.getSnapshot(), isResponding: false, submitQuery, initError: undefined, ...port };
}

describe('useGeminiStream', () => {
  it.each([
    ['at rest', [], {}, { streamingState: StreamingState.Idle, types: [], thought: undefined }],
    ['before the first event', [], { isResponding: true }, { streamingState: StreamingState.Responding, types: [] }],
    [
      'while it thinks',
      [STARTED, THOUGHT],
      {},
      { streamingState: StreamingState.Responding, types: ['thinking'], thought: { subject: 'Sheep' } },
    ],
    ['while it answers', [STARTED, WORDS], {}, { streamingState: StreamingState.Responding, types: ['gemini'] }],
    ['while it calls', [STARTED, CALL], {}, { streamingState: StreamingState.Responding, types: ['tool_group'] }],
    [
      'without an agent',
      [],
      { initError: 'no policy' },
      { streamingState: StreamingState.Idle, initError: 'no policy' },
    ],
  ] as const)('says what there is %s', (_name, events, port, expected) => {
    const given = portAfter(events, port);
    const stream: GeminiStream = see(() => useGeminiStream(given));
    const types = stream.pendingHistoryItems.map(({ type }) => type);
    expect({ ...stream, types }).toMatchObject(expected);
    expect(stream.submitQuery).toBe(given.submitQuery);
  });
});

describe('useReactToolScheduler', () => {
  it('gives the calls of the model and then those of the person, until they are submitted', () => {
    const clientCalls = new ClientCalls(() => {});
    const { transcript } = portAfter([STARTED, CALL]);
    const [, schedule, markToolsAsSubmitted]: ReactToolScheduler = see(() =>
      useReactToolScheduler({ transcript, clientCalls }),
    );
    const seen = () =>
      see(() => useReactToolScheduler({ transcript, clientCalls }))[0].map(({ callId, output }) => [callId, output]);
    schedule([{ callId: 'mine', name: 'Shell', description: 'ls' }]);
    clientCalls.outputUpdateHandler('mine', 'a\n');
    clientCalls.outputUpdateHandler('mine', 'b\n');
    expect(seen()).toEqual([
      ['c', ''],
      ['mine', 'a\nb\n'],
    ]);
    markToolsAsSubmitted(['mine']);
    expect(seen()).toEqual([['c', '']]);
  });
});

describe('components', () => {
  it('are told what the session is doing', () => {
    function State() {
      return createElement(Text, undefined, use(StreamingContext));
    }
    const node = createElement(StreamingContext, { value: StreamingState.Responding }, createElement(State));
    expect(draw(node)).toEqual(['responding']);
  });

  it.each([
    [StreamingState.Responding, ['· Thinking']],
    [StreamingState.Idle, []],
  ])('show that something is under way while it is: %s', (value, rows) => {
    const status = { verb: 'Thinking', elapsedMs: 0, keys: [], showsSpinner: true };
    const styles = createStyles(chooseTheme({}).theme, 'none');
    const indicator = createElement(LoadingIndicator, { status, styles, width: 40 });
    expect(draw(createElement(StreamingContext, { value }, indicator))).toEqual(rows);
  });

  it('show what still changes in the rows it was given, cut to the width', () => {
    const item = { type: MessageType.GEMINI_CONTENT, rows: ['one', '', 'x'.repeat(50)] };
    expect(draw(createElement(HistoryItemDisplay, item))).toEqual(['one', '', `${'x'.repeat(39)}…`]);
  });
});

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { describeQuestion } from './permissions.ts';
import { ToolCallUpdates } from './tool-call-updates.ts';

const OWN = {} as AgentEvent;
const CHILD = { parentCallId: 'p' } as AgentEvent;

/** A sub-agent whose command has printed `one`, which is shown, and `two`, which waits for its turn. */
function openCalls() {
  const shown: string[] = [];
  const emit = (update: SessionUpdate) => {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    const { toolCallId, status, content = [] } = update;
    const output = JSON.stringify(content);
    const last = ['two', 'one'].find((word) => output.includes(word)) ?? '';
    shown.push(`${toolCallId} ${status ?? ''} ${last}`.trim());
  };
  const calls = new ToolCallUpdates({ emit, toolOf: () => undefined });
  const request = (callId: string) => ({ callId, name: 'x', args: {}, isClientInitiated: false, prompt_id: '1' });
  calls.requested(request('p'), OWN);
  calls.requested(request('c'), CHILD);
  for (const output of ['one\n', 'two\n'])
    calls.updated({ callId: 'c', status: 'executing', output } as Parameters<typeof calls.updated>[0], CHILD);
  return { calls, shown };
}

it('a patch of several files shows the diff of each, before and after it ran', () => {
  const diff = (filePath: string, originalContent: string | null, newContent: string, more = {}) => {
    return { filePath, fileName: '', fileDiff: '', originalContent, newContent, ...more };
  };
  const files = [diff('/a', 'a\r\n', 'b\r\n'), diff('/b', null, 'b'), diff('/c', 'c', '', { isDeleted: true })];
  const expected = [
    { type: 'diff', path: '/a', oldText: 'a\r\n', newText: 'b\r\n', _meta: { kind: 'modify' } },
    { type: 'diff', path: '/b', oldText: null, newText: 'b', _meta: { kind: 'add' } },
    { type: 'diff', path: '/c', oldText: 'c', newText: '', _meta: { kind: 'delete' } },
  ];
  expect(describeQuestion({ type: 'edit', title: '', ...diff('/a, /b, /c', '', ''), files })).toEqual(expected);
  const shown: SessionUpdate[] = [];
  const calls = new ToolCallUpdates({ emit: (update) => shown.push(update), toolOf: () => undefined });
  calls.requested({ callId: 'p', name: 'x', args: {}, isClientInitiated: false, prompt_id: '1' }, OWN);
  const resultDisplay = { summary: 'Updated all', files: ['/a', '/b', '/c'], diffs: files };
  calls.ended({ callId: 'p', responseParts: [], resultDisplay, error: undefined, errorType: undefined }, OWN);
  expect(shown.at(-1)).toMatchObject({ status: 'completed', content: expected });
});

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

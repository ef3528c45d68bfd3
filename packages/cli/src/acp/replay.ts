/** What an earlier run showed, as updates: the words of both sides, and each call once with its result. */

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '@castor/core';
import { SessionUpdates } from './session-updates.ts';
import type { SessionUpdatesOptions } from './session-updates.ts';

type Call = Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>;

export function replayUpdates(events: readonly AgentEvent[], toolOf: SessionUpdatesOptions['toolOf']): SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const calls = new Map<string, Call>();
  const emit = (update: SessionUpdate) => {
    if (update.sessionUpdate === 'tool_call') {
      const call = { ...update };
      calls.set(call.toolCallId, call);
      updates.push(call);
      return;
    }
    if (update.sessionUpdate !== 'tool_call_update') return void updates.push(update);
    const call = calls.get(update.toolCallId);
    if (call) Object.assign(call, update, { sessionUpdate: 'tool_call' });
  };
  const shown = new SessionUpdates({
    ...{ emit, toolOf, capabilities: {}, isReplay: true },
    ...{ onMode: () => undefined, onUsage: () => undefined },
  });
  for (const event of events) shown.show(event);
  return updates;
}

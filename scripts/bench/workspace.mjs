/** A workspace agent for measured programs, and a scheduler over its tools and its policy. */

import { randomUUID } from 'node:crypto';
import { CoreToolScheduler, createGeminiGenerator, createWorkspaceAgent } from '@castor/core';

export function openWorkspace({ root, home, url, ...options }) {
  return createWorkspaceAgent({
    generator: createGeminiGenerator({ apiKey: 'bench', ...(url && { baseUrl: url }) }),
    model: 'plain',
    sessionId: randomUUID(),
    environment: { PATH: process.env.PATH },
    approvalMode: 'yolo',
    root,
    home,
    ...options,
  });
}

/** As createAgent builds it; the ledger receives its events, which are then dropped. */
export function createCaller({ policy, ledger, tools }, home, recorder) {
  const scheduler = new CoreToolScheduler({
    tools,
    policy,
    model: () => 'plain',
    outputBounds: () => ({ threshold: 40_000, tempDirectory: home, sessionId: randomUUID() }),
    ...(recorder && { recorder }),
  });
  let count = 0;
  return async (name, args) => {
    const request = { callId: `call-${count++}`, name, args, isClientInitiated: false, prompt_id: 'bench' };
    const events = scheduler.run([request], new AbortController().signal);
    let step = await events.next();
    for (; !step.done; step = await events.next()) ledger.add(step.value);
    const [call] = step.value;
    if (call.status !== 'success') throw call.response.error ?? new Error(`${name} ended: ${call.status}`);
    return call;
  };
}

/** The question before the first command of a session: it tells what the command deletes though undo does not keep it (44). */

import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, say } from '@castor/testkit';
import { expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import { openSubagents } from './subagents.fixture.ts';

/** A machine under load is slow to read. */
const PATIENT = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms * 100, signal) };

const FILES = 2_000;

it('waits for the first reading of the workspace', async () => {
  await using workspace = await createWorkspace({ files: { small: 'x' } });
  const large = join(workspace.project, 'large.bin');
  writeFileSync(large, '');
  truncateSync(large, 11_000_000);
  // Enough to read that the question would come first.
  for (let index = 0; index < FILES; index++) writeFileSync(join(workspace.project, `file-${index}`), `${index}`);
  // The first event of the session is the command: nothing was read before it.
  const script = { main: [answer(call('run_shell_command', { command: 'rm large.bin' }, { id: 'c' })), say('ok')] };
  await using env = await openSubagents(script, { workspace, clock: PATIENT });
  const told: unknown[] = [];
  await env.ask('go', (event) => {
    if (event.type !== 'tool_call_confirmation') return;
    const { details, request } = event.value;
    told.push('notKept' in details ? details.notKept : undefined);
    env.agent.session.respond(request.callId, 'cancel', undefined, event);
  });
  expect(told).toEqual(['large.bin (11.0 MB) is not kept: this cannot be undone']);
});

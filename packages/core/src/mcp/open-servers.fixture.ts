/** Opens the MCP servers of a test as an agent does, with a registry and recorded notices. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { AgentEvent, SessionEvent } from '../protocol/agent-events.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { systemClock } from '../util/clock.ts';
import { openServers } from './open-servers.ts';
import type { OpenServersOptions } from './open-servers.ts';

export const NEVER = new AbortController().signal;

type Entries = Record<string, object>;

export function openForTest(entries: Entries, more: Partial<OpenServersOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'castor-mcp-'));
  const registry = new ToolRegistry();
  const notices: string[] = [];
  const notes: string[] = [];
  const opened = openServers({
    layers: [{ source: 'user', servers: entries, written: entries }],
    home,
    root: home,
    environment: { PATH: process.env['PATH'] },
    clock: systemClock,
    tools: registry,
    trustedFolder: true,
    isTrustedForRun: false,
    roots: () => [home],
    tellModel: (note) => notes.push(note),
    post(event: SessionEvent) {
      if (event.type === 'notice') notices.push(event.message);
    },
    ...more,
  });
  const { servers } = opened;
  return {
    servers,
    registry,
    notices,
    notes,
    home,
    /** Until prompts and resources are listed as well. */
    ready: () => servers.settle(NEVER),
    async prepare(): Promise<AgentEvent[]> {
      const events: AgentEvent[] = [];
      for await (const event of servers.prepare(NEVER)) events.push(event);
      return events;
    },
    /** Looks again whenever something may have happened. */
    async until(isMet: () => boolean): Promise<void> {
      while (!isMet()) {
        await nextLoop();
      }
    },
    call(name: string, args: Record<string, unknown> = {}, signal = NEVER) {
      const tool = registry.getTool(name);
      if (!tool) throw new Error(`${name} is not registered`);
      return tool.build(args).execute({ callId: 'c', signal, onOutput: () => {}, onPid: () => {} });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await opened.dispose();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

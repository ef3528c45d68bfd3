import { readFile } from 'node:fs/promises';
import { GeminiEventType } from '@castor/core';
import type { AgentEventType } from '@castor/core';
import { describe, expect, it } from 'vitest';

/** Named here so that a new lifecycle event does not compile until the page has it. */
const LIFECYCLE: Record<Exclude<AgentEventType, GeminiEventType>, true> = {
  prompt_started: true,
  prompt_ended: true,
  tool_call_updated: true,
  hook_message: true,
  notice: true,
  background_ended: true,
  mode_changed: true,
  tools_changed: true,
};

describe('docs/events.md', () => {
  it('has one row for each event of the union, with emitter, order and number, and no other', async () => {
    const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const rows = page
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const documented = rows.map(([, name]) => name?.replaceAll('`', '') ?? '');
    expect(new Set(documented)).toEqual(new Set([...Object.values(GeminiEventType), ...Object.keys(LIFECYCLE)]));
    expect(new Set(documented).size).toBe(documented.length);
    expect(rows.filter((cells) => cells.slice(1, 6).some((cell) => cell === ''))).toEqual([]);
  });
});

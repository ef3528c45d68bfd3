/** What a person is shown of a call the model asked for: the tool's own name for itself and one line about what it will do. */

import { GeminiEventType } from '@castor/core';
import type { AgentEvent, ToolRegistry } from '@castor/core';

/** The event itself, or the same with the display of its call. */
export function withDisplay(event: AgentEvent, tools: Pick<ToolRegistry, 'getTool'>): AgentEvent {
  if (event.type !== GeminiEventType.ToolCallRequest || event.value.display) return event;
  const { name, args } = event.value;
  const tool = tools.getTool(name);
  if (!tool) return event;
  const display = { name: tool.displayName, description: describe(() => tool.build(args).describe()) };
  return { ...event, value: { ...event.value, display } };
}

/** Arguments that cannot be used are the scheduler's to complain about. */
function describe(run: () => string): string {
  try {
    return run();
  } catch {
    return '';
  }
}

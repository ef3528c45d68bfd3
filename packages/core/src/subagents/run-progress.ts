/** What a user who watches a run is told: one line for each step of the child, as the live output of its call. Pure. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ToolConfirmationOutcome } from '../protocol/tools.ts';
import { toOneLine } from '../util/short-text.ts';

const MAX_LINE = 120;

/** A line with its end; undefined for an event that is not a step. */
export function describeStep(event: AgentEvent): string | undefined {
  // What a grandchild does is told by its own call.
  if (event.parentCallId !== undefined) return undefined;
  switch (event.type) {
    case 'tool_call_updated':
      if (event.outcome !== undefined) return describeAnswer(event.outcome);
      return event.shown && toLine(`${event.shown.display.name} ${event.shown.display.description}`);
    case GeminiEventType.Thought:
      return event.value.subject === '' ? undefined : toLine(`(${event.value.subject})`);
    case GeminiEventType.Retry:
      return event.value && toLine(`waits: ${event.value.error.message}`);
    case GeminiEventType.ToolCallConfirmation:
      return toLine(`asks: ${event.value.details.title}`);
    default:
      return undefined;
  }
}

/** Undefined while the user edits what would be written: the question stays open. */
function describeAnswer(outcome: ToolConfirmationOutcome): string | undefined {
  if (outcome === 'modify_with_editor') return undefined;
  return outcome === 'cancel' ? '(you declined)\n' : '(you allowed it)\n';
}

function toLine(text: string): string {
  const line = toOneLine(text);
  return `${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1).toWellFormed()}…` : line}\n`;
}

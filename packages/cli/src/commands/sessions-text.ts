/** Renders a session as plain text, for `castor sessions show`. Pure; the output sanitises it. */

import { GeminiEventType } from '@castor/core';
import { describeFailedCommand, readFailedCommand } from '@castor/core/program';
import type { AgentEvent, ToolCallRequestInfo, ToolCallResponseInfo } from '@castor/core';

const SHOWN_ARGUMENTS = 200;
const SHOWN_RESULT = 400;

export function toReadableText(events: readonly AgentEvent[]): string {
  const responses = new Map<string, ToolCallResponseInfo>();
  for (const event of events) {
    if (event.type === GeminiEventType.ToolCallResponse) responses.set(event.value.callId, event.value);
  }
  return events.flatMap((event) => toParagraph(event, responses) ?? []).join('\n\n') + (events.length > 0 ? '\n' : '');
}

function toParagraph(event: AgentEvent, responses: ReadonlyMap<string, ToolCallResponseInfo>): string | undefined {
  switch (event.type) {
    case 'prompt_started':
      return event.text === undefined ? undefined : `> ${event.text.replaceAll('\n', '\n> ')}`;
    case GeminiEventType.Content:
      return event.value.trimEnd();
    case GeminiEventType.ToolCallRequest:
      // Calls that ran together end in any order: each result belongs below its call.
      return describeCall(event.value, responses.get(event.value.callId));
    case 'prompt_ended':
      return event.outcome === 'completed' ? undefined : `(${event.error?.message ?? event.detail ?? event.outcome})`;
    default:
      // Status, thoughts and choices of models are not part of the conversation.
      return undefined;
  }
}

function describeCall(request: ToolCallRequestInfo, response: ToolCallResponseInfo | undefined): string {
  const mark = response && (response.error || readFailedCommand(response.data)) ? '✗ ' : '';
  const result = response && describeResult(response);
  return [`${mark}${nameCall(request)}`, ...(result === undefined ? [] : [result])].join('\n\n');
}

function nameCall({ name, args, display }: ToolCallRequestInfo): string {
  const told = display?.description || (Object.keys(args).length === 0 ? '' : JSON.stringify(args));
  return `[${display?.name ?? name}] ${shorten(told, SHOWN_ARGUMENTS)}`.trimEnd();
}

/** The text the user was shown; without one, the text the model read. */
function describeResult({ resultDisplay, responseParts, error, data }: ToolCallResponseInfo): string | undefined {
  const shown = typeof resultDisplay === 'object' ? toText(resultDisplay) : resultDisplay;
  const text = (shown || toText(responseParts[0]?.functionResponse?.response)).trim();
  const failed = readFailedCommand(data);
  const mark = failed ? `failed (${describeFailedCommand(failed)})` : error ? 'failed' : '';
  if (text === '') return mark === '' ? undefined : `  ${mark}`;
  return `  ${mark === '' ? '' : `${mark}: `}${shorten(text, SHOWN_RESULT).replaceAll('\n', '\n  ')}`;
}

function toText(value: object | undefined): string {
  return Object.values(value ?? {})
    .map((field) => (typeof field === 'string' ? field : ''))
    .join('\n');
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length - length} more characters)` : text;
}

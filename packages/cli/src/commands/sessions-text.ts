/** Renders a session as plain text, for `castor sessions show`. Pure; the output sanitises it. */

import { GeminiEventType } from '@castor/core';
import { countOf, describeFailedCommand, readFailedCommand } from '@castor/core/program';
import type { ChildRecord } from '@castor/core/program';
import type { AgentEvent, ToolCallRequestInfo, ToolCallResponseInfo } from '@castor/core';

const SHOWN_ARGUMENTS = 200;
const SHOWN_RESULT = 400;

/** A piece of the text; those of a failed call are marked. */
export interface ReadablePiece {
  text: string;
  isFailure: boolean;
}

export function toReadableText(events: readonly AgentEvent[], children: readonly ChildRecord[] = []): ReadablePiece[] {
  const responses = new Map<string, ToolCallResponseInfo>();
  for (const event of events) {
    if (event.type === GeminiEventType.ToolCallResponse) responses.set(event.value.callId, event.value);
  }
  const paragraphs = events.flatMap((event) => [
    ...(toParagraph(event, responses) ?? []),
    ...(event.type === GeminiEventType.ToolCallRequest ? describeChildren(event.value.callId, children) : []),
  ]);
  const breaks = (index: number) => (index < paragraphs.length - 1 ? '\n\n' : '\n');
  return paragraphs.flatMap((pieces, index) => [...pieces, { text: breaks(index), isFailure: false }]);
}

function toParagraph(
  event: AgentEvent,
  responses: ReadonlyMap<string, ToolCallResponseInfo>,
): [ReadablePiece[]] | undefined {
  if (event.type === GeminiEventType.ToolCallRequest) {
    // Calls that ran together end in any order: each result belongs below its call.
    return [describeCall(event.value, responses.get(event.value.callId))];
  }
  const text = toPlainText(event);
  return text === undefined ? undefined : [[{ text, isFailure: false }]];
}

/** What the sub-agents of a call did, one line for each of their calls. */
function describeChildren(callId: string, children: readonly ChildRecord[]): ReadablePiece[][] {
  return children
    .filter(({ parentCallId }) => parentCallId === callId)
    .map(({ id, agent, reason, isRunning, turns, events }) => {
      const state = isRunning ? 'is running' : reason === undefined ? 'was cut off' : `ended with ${reason}`;
      const calls = events.flatMap((event) =>
        event.type === GeminiEventType.ToolCallRequest ? [`  ${nameCall(event.value)}`] : [],
      );
      const head = `  agent ${agent} ${state} after ${countOf(turns, 'turn')} (castor sessions show ${id})`;
      return [
        { text: [head, ...calls.map((line) => `  ${line}`)].join('\n'), isFailure: !isRunning && reason !== 'GOAL' },
      ];
    });
}

function toPlainText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'prompt_started':
      return event.text === undefined ? undefined : `> ${event.text.replaceAll('\n', '\n> ')}`;
    case GeminiEventType.Content:
      return event.value.trimEnd();
    case 'prompt_ended':
      return event.outcome === 'completed' ? undefined : `(${event.error?.message ?? event.detail ?? event.outcome})`;
    default:
      // Status, thoughts and choices of models are not part of the conversation.
      return undefined;
  }
}

/** The glyph, the name and the mark of a failed call are a failure; its output is not. */
function describeCall(request: ToolCallRequestInfo, response: ToolCallResponseInfo | undefined): ReadablePiece[] {
  const isFailure =
    response !== undefined && (response.error !== undefined || readFailedCommand(response.data) !== undefined);
  const { mark, text } = response === undefined ? { mark: '', text: '' } : describeResult(response);
  const pieces = [{ text: `${isFailure ? '✗ ' : ''}${nameCall(request)}`, isFailure }];
  if (mark !== '' || text !== '') pieces.push({ text: '\n\n  ', isFailure: false });
  if (mark !== '') pieces.push({ text: mark, isFailure: true });
  if (text !== '') pieces.push({ text: `${mark === '' ? '' : ': '}${text}`, isFailure: false });
  return pieces;
}

function nameCall({ name, args, display }: ToolCallRequestInfo): string {
  const told = display?.description || (Object.keys(args).length === 0 ? '' : JSON.stringify(args));
  return `[${display?.name ?? name}] ${shorten(told, SHOWN_ARGUMENTS)}`.trimEnd();
}

/** The text the user was shown; without one, the text the model read. */
function describeResult({ resultDisplay, responseParts, error, data }: ToolCallResponseInfo) {
  const shown = typeof resultDisplay === 'object' ? toText(resultDisplay) : resultDisplay;
  const text = (shown || toText(responseParts[0]?.functionResponse?.response)).trim();
  const failed = readFailedCommand(data);
  const mark = failed ? `failed (${describeFailedCommand(failed)})` : error ? 'failed' : '';
  return { mark, text: shorten(text, SHOWN_RESULT).replaceAll('\n', '\n  ') };
}

function toText(value: object | undefined): string {
  // The whole files beside it are those that the diff is of.
  if (value && 'fileDiff' in value && typeof value.fileDiff === 'string') return value.fileDiff;
  return Object.values(value ?? {})
    .map((field) => (typeof field === 'string' ? field : ''))
    .join('\n');
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length - length} more characters)` : text;
}

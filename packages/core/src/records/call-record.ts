/** Converts a tool call to its session record: display, exit code and the shortest form of its result. Pure. */

import type { ToolCallDisplay, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolResultDisplay } from '../protocol/tools.ts';
import { readFailedCommand } from '../transcript/command-failure.ts';
import { toShownResult } from '../transcript/shown-result.ts';
import type { ShownResult } from '../transcript/transcript.ts';
import { describeCall, shortenDisplay } from './describe-call.ts';
import type { EndedCall, StartedCall } from './session-file.ts';

/** A longer result display is dropped: it repeats the response. */
const KEPT_DISPLAY = 1000;

/** `asked`: the arguments the model gave, which are on record. */
export function toStartedCall({ callId, name, args }: ToolCallRequestInfo, asked: unknown): StartedCall {
  const isAsAsked = asked === args || JSON.stringify(asked) === JSON.stringify(args);
  return { callId, name, ...(!isAsAsked && { args }) };
}

/** Empty where the display follows from the recorded name and arguments. */
export function toStoredDisplay({ name, args }: ToolCallRequestInfo, display: ToolCallDisplay): Partial<StartedCall> {
  const told = describeCall(name, args);
  const shown = shortenDisplay(display);
  return {
    ...(told.name !== shown.name && { displayName: shown.name }),
    ...(told.description !== shown.description && { description: shown.description }),
  };
}

export function failureOf(data: Record<string, unknown> | undefined): Pick<EndedCall, 'exitCode' | 'stoppedBy'> {
  const failed = readFailedCommand(data);
  if (!failed) return {};
  return failed.exitCode === null ? { stoppedBy: failed.signal ?? '' } : { exitCode: failed.exitCode };
}

/** Without texts too long to keep. */
export function toKeptDisplay(display: ToolResultDisplay | undefined): ShownResult | undefined {
  if (display === undefined || typeof display === 'string') {
    return display !== undefined && display.length <= KEPT_DISPLAY ? display : undefined;
  }
  return toShownResult(display);
}

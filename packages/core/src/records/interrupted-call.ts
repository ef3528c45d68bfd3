/**
 * The response to a call that the end of the process cut off, with its known state: not started, carried out, or effect
 * unknown. Pure.
 */

import type { FunctionCall, Part } from '../protocol/content.ts';
import { CUT_OFF } from '../scheduler/call-results.ts';
import type { LoadedMessage } from './replay-session.ts';
import type { FileChange, InterruptedStatus, StartedCall } from './session-file.ts';

/** A call of the turn whose responses the process did not live to send. */
export interface OpenCall {
  id: string | undefined;
  name: string;
  args: Record<string, unknown>;
  status: InterruptedStatus | 'finished' | 'cancelled';
  /** It had started, and is known to have changed nothing yet. */
  isUnchanged?: boolean;
  /** The response is in the file, written by the process that ran the call or by one that resumed the session. */
  isAnswered: boolean;
  /** The response for the model. */
  response: Part;
}

/** A sub-agent whose parent did not live to receive its result. */
export interface ToldChild {
  hasSucceeded: boolean;
  text: string;
}

export interface HistoryOptions {
  /** The recording stopped before the session did: a call without records may still have run. */
  hasLoss?: boolean;
  /** What became of the sub-agent that a call started, as the model is told. */
  childOf?: (callId: string) => ToldChild | undefined;
  /** Checks whether a change has happened; without it the effect is unknown. */
  stateOf?: (change: FileChange) => 'before' | 'after' | 'other';
}

const TOLD: Record<InterruptedStatus, string> = {
  ...CUT_OFF,
  carried_out:
    'The program stopped while this call was running, so its result is lost. The call was carried out: the file has the new content.',
};
const TOLD_UNCHANGED = 'The program stopped before this call changed anything: the file is unchanged.';
/** The model receives this much from the end of an interrupted call's output. */
const TOLD_OUTPUT = 8192;

const TOLD_AFTER_LOSS =
  'The session record is incomplete, so it is unknown whether this call ran: check before you repeat it.';

export function toInterrupted(call: FunctionCall, message: LoadedMessage, options: HistoryOptions): OpenCall {
  const started = message.started?.findLast(({ callId }) => callId === call.id);
  const status = options.hasLoss ? 'unknown' : toStatus(started, message, options);
  const { id, name = '', args = {} } = call;
  const child = started && id !== undefined ? options.childOf?.(id) : undefined;
  if (child) return toInterruptedAgent(call, child, started?.args ?? args);
  const output = started?.output?.slice(-TOLD_OUTPUT);
  const sentence = toSentence(status, started, options);
  const told =
    status === 'carried_out' ? { output: sentence, status } : { error: sentence, status, ...(output && { output }) };
  const response = { functionResponse: { ...(id !== undefined && { id }), name, response: told } };
  const isUnchanged = status === 'not_started' && started !== undefined;
  return {
    id,
    name,
    args: started?.args ?? args,
    status,
    ...(isUnchanged && { isUnchanged }),
    isAnswered: false,
    response,
  };
}

/** The record of the child knows more than that of its parent. */
function toInterruptedAgent(
  { id, name = '' }: FunctionCall,
  { hasSucceeded, text }: ToldChild,
  args: Record<string, unknown>,
): OpenCall {
  const status = hasSucceeded ? 'carried_out' : 'unknown';
  const told = hasSucceeded ? { output: text, status } : { error: text, status };
  const response = { functionResponse: { ...(id !== undefined && { id }), name, response: told } };
  return { id, name, args, status, isAnswered: false, response };
}

function toSentence(status: InterruptedStatus, started: StartedCall | undefined, { hasLoss }: HistoryOptions): string {
  if (status === 'unknown' && started?.hasEffects === false) return CUT_OFF.unchanged;
  if (hasLoss) return TOLD_AFTER_LOSS;
  return status === 'not_started' && started ? TOLD_UNCHANGED : TOLD[status];
}

/** Only our own records say when a call starts and what it is about to change; other calls are unknown. */
function toStatus(
  started: StartedCall | undefined,
  { prompt_id }: LoadedMessage,
  { stateOf }: HistoryOptions,
): InterruptedStatus {
  if (!started) return prompt_id === undefined ? 'unknown' : 'not_started';
  const states = new Set(stateOf && started.changes?.map(stateOf));
  if (states.size !== 1) return 'unknown';
  return states.has('after') ? 'carried_out' : states.has('before') ? 'not_started' : 'unknown';
}

/** How a prompt ended, in the words of the protocol: a reason to stop, or an error with the status of the service. */

import type { PromptResponse, StopReason } from '@agentclientprotocol/sdk';
import { UnauthorizedError } from '@castor/core';
import type { Outcome, PromptEndedEvent, SessionMetrics } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

/** An error for the editor. */
export class PromptFailure extends Error {
  override name = 'PromptFailure';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const AUTH_REQUIRED = -32_000;
const INTERNAL_ERROR = -32_603;

const REASONS: Readonly<Record<Exclude<Outcome, 'failed'>, StopReason>> = {
  completed: 'end_turn',
  stopped: 'end_turn',
  blocked: 'end_turn',
  invalid_stream: 'end_turn',
  cancelled: 'cancelled',
  max_turns: 'max_turn_requests',
  loop_detected: 'max_turn_requests',
  budget_exceeded: 'max_turn_requests',
  overflow: 'max_tokens',
};

/** Why an answer is not whole, by the names of the events; any other reason is the end of a turn, which the user is told of. */
const CUT: Readonly<Record<string, StopReason>> = {
  ...{ MAX_TOKENS: 'max_tokens', MAX_TOKENS_EXCEEDED: 'max_tokens' },
  ...{ SAFETY: 'refusal', SAFETY_BLOCKED: 'refusal', IMAGE_SAFETY: 'refusal' },
  ...{ RECITATION: 'refusal', RECITATION_BLOCKED: 'refusal', IMAGE_RECITATION: 'refusal' },
  ...{ BLOCKLIST: 'refusal', SPII: 'refusal', LANGUAGE: 'refusal', OTHER_BLOCKED: 'refusal' },
  ...{ PROHIBITED_CONTENT: 'refusal', IMAGE_PROHIBITED_CONTENT: 'refusal' },
};

/** Throws a PromptFailure for a prompt that failed. */
export function promptResult(
  ended: PromptEndedEvent | undefined,
  before: SessionMetrics,
  after: SessionMetrics,
): PromptResponse {
  if (!ended || ended.outcome === 'cancelled') return { stopReason: 'cancelled' };
  if (ended.outcome === 'failed') {
    const { error } = ended;
    // A 403 is about the key only where the service says so: signing in again does not help with a region or a quota.
    const isUnauthorized = error?.reason === 'unauthorized' || error?.status === 401;
    const message = error ? describeRequestFailure(error) : (ended.detail ?? 'The prompt failed.');
    throw new PromptFailure(isUnauthorized ? AUTH_REQUIRED : (error?.status ?? 500), message);
  }
  const isTokens = ended.budget?.name === 'tokens';
  const cut = Object.hasOwn(CUT, ended.reason ?? '') ? CUT[ended.reason!] : undefined;
  const stopReason = isTokens ? 'max_tokens' : (cut ?? REASONS[ended.outcome]);
  return { stopReason, _meta: { quota: quotaOf(before, after) } };
}

/** The tokens of this prompt, in the names of Gemini CLI. */
function quotaOf(before: SessionMetrics, after: SessionMetrics) {
  const usage = Object.entries(after.models).flatMap(([model, { tokens }]) => {
    const earlier = before.models[model]?.tokens;
    const input_tokens = tokens.prompt - (earlier?.prompt ?? 0);
    const output_tokens = tokens.candidates - (earlier?.candidates ?? 0);
    return input_tokens + output_tokens > 0 ? [{ model, token_count: { input_tokens, output_tokens } }] : [];
  });
  const sum = (name: 'input_tokens' | 'output_tokens') =>
    usage.reduce((total, { token_count }) => total + token_count[name], 0);
  return {
    token_count: { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') },
    model_usage: usage,
  };
}

/** An exception as an error for the editor; any other than ours is a bug. */
export function failureOf(error: unknown): PromptFailure {
  if (error instanceof PromptFailure) return error;
  if (error instanceof UnauthorizedError) {
    const message = `The service rejected the credentials: ${describeRequestFailure(error)}`;
    return new PromptFailure(AUTH_REQUIRED, message, { cause: error });
  }
  if (error instanceof ExitError) {
    const code = error.exitCode === ExitCode.Unauthorized ? AUTH_REQUIRED : INTERNAL_ERROR;
    return new PromptFailure(code, error.message, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new PromptFailure(INTERNAL_ERROR, `This is a bug in Castor, please report it: ${message}`, { cause: error });
}

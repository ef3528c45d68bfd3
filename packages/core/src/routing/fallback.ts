/**
 * Fallback: decides how to continue when a model has failed for good. It finds a replacement (fallback-chains.ts,
 * availability.ts), decides whether the user must approve it, and records what a failure and an answer imply for a
 * model. It sends no request; the chat carries the decision out.
 *
 * Every chain of failures ends: until a model succeeds or the request is given up, no model that failed is offered
 * again.
 */

import type { FallbackIntent } from '../protocol/agent-events.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ModelAvailability } from './availability.ts';
import type { FallbackAsk, FallbackDecision } from './fallback-decision.ts';
import { FallbackQuestions } from './fallback-questions.ts';
import type { FailureKind, ModelPolicy, PolicyChain } from './fallback-chains.ts';
import { retryKind } from '../provider/retry-table.ts';
import type { RetryKind } from '../provider/retry-table.ts';

export interface FallbackOptions {
  availability: ModelAvailability;
  /** The chain that starts with the failed model, in its current state. */
  chainFor(failedModel: string): PolicyChain;
  /** Whether a user can answer. Without one, the chat gives up instead of asking. */
  interactive: boolean;
  /** Called when another model takes over without a question. */
  onSwitch?: () => void;
}

/** Failures that another model may not have; any other offers no fallback. */
const FAILURE_KINDS: Readonly<Partial<Record<RetryKind, FailureKind>>> = {
  quota: 'terminal',
  rate_limited: 'transient',
  server: 'transient',
  no_capacity: 'transient',
  not_found: 'not_found',
};

const WHAT_HAPPENED: Readonly<Record<FailureKind, string>> = {
  terminal: 'has no quota left',
  transient: 'is too busy at the moment',
  not_found: 'is not available to you',
};

const TERMINAL_REASONS = { terminal: 'quota', transient: 'capacity', not_found: 'not_found' } as const;

const GIVE_UP: FallbackDecision = { kind: 'give_up' };

export function createFallback(options: FallbackOptions): Fallback {
  return new Fallback(options);
}

/** Is a `ChatFallback`. */
export class Fallback {
  private readonly options: FallbackOptions;
  private readonly questions = new FallbackQuestions();
  private readonly failed = new Set<string>();

  constructor(options: FallbackOptions) {
    this.options = options;
  }

  decide(failedModel: string, error: unknown): FallbackDecision {
    const kind = FAILURE_KINDS[retryKind(error)];
    const decision = kind === undefined ? GIVE_UP : this.decideOn({ model: failedModel, kind, error });
    if (decision.kind === 'give_up') this.failed.clear();
    else this.failed.add(failedModel);
    return decision;
  }

  succeeded(model: string): void {
    const { availability } = this.options;
    const snapshot = availability.snapshot(model);
    // A late success of an earlier request does not undo the user's choice of another model.
    if (snapshot.available || snapshot.reason !== 'replaced') availability.markHealthy(model);
    this.failed.clear();
  }

  /** Whether this question waits for its answer. */
  asks(requestId: string): boolean {
    return this.questions.isOpen(requestId);
  }

  /** Passes the user's answer to a question. Throws UnknownQuestionError. */
  answer(requestId: string, intent: FallbackIntent): void {
    this.questions.answer(requestId, intent);
  }

  /** See `ChatFallback`. A model that has one attempt in this prompt has used it with this request. */
  attemptsBefore(model: string, error: unknown): number | undefined {
    const kind = FAILURE_KINDS[retryKind(error)];
    const { policy, standIn } = this.standInFor(model);
    if (kind === undefined || !policy || standIn === undefined) return undefined;
    if (policy.actions[kind] === 'prompt' && !this.options.interactive) return undefined;
    const snapshot = this.options.availability.snapshot(model);
    return !snapshot.available && snapshot.reason === 'retry_once_per_turn' ? 1 : policy.maxAttempts;
  }

  /** The policy for the model's failures, and its replacement. */
  private standInFor(failedModel: string): { policy: ModelPolicy | undefined; standIn: string | undefined } {
    const [policy, ...others] = this.options.chainFor(failedModel);
    const candidates = others.filter(({ model }) => model !== failedModel && !this.failed.has(model));
    return { policy, standIn: this.firstOf(candidates) };
  }

  private decideOn(failure: Failure): FallbackDecision {
    const { policy, standIn: model } = this.standInFor(failure.model);
    if (!policy || model === undefined) return GIVE_UP;
    if (policy.actions[failure.kind] === 'silent') {
      this.noteFailure(policy, failure);
      this.options.availability.consumeStickyAttempt(model);
      this.options.onSwitch?.();
      return { kind: 'switch', model };
    }
    return this.options.interactive ? this.ask(failure, model) : GIVE_UP;
  }

  private firstOf(candidates: readonly ModelPolicy[]): string | undefined {
    const { model } = this.options.availability.selectFirstAvailable(candidates.map((candidate) => candidate.model));
    return model ?? candidates.find(({ isLastResort }) => isLastResort)?.model;
  }

  private ask(failure: Failure, fallbackModel: string): FallbackAsk {
    const question = this.questions.open();
    return {
      kind: 'ask',
      requestId: question.requestId,
      fallbackModel,
      message:
        `${failure.model} ${WHAT_HAPPENED[failure.kind]}; ${fallbackModel} can replace it. ` +
        `The service says: ${getErrorMessage(failure.error)}`,
      answer: async (signal) => {
        const intent = await question.wait(signal);
        this.noteAnswer(failure.model, intent);
        return intent;
      },
    };
  }

  private noteFailure(policy: ModelPolicy, { model, kind }: Failure): void {
    const { availability } = this.options;
    if (policy.states[kind] === 'sticky_retry') availability.markRetryOncePerTurn(model);
    else availability.markTerminal(model, TERMINAL_REASONS[kind]);
  }

  private noteAnswer(model: string, intent: FallbackIntent): void {
    const { availability } = this.options;
    switch (intent) {
      case 'retry_always':
        availability.markTerminal(model, 'replaced');
        break;
      case 'retry_once':
        // The rest of this prompt uses the other model; the next prompt starts with this one again.
        availability.markRetryOncePerTurn(model);
        availability.consumeStickyAttempt(model);
        break;
      case 'retry_later':
      case 'stop':
        this.failed.clear();
        break;
    }
  }
}

interface Failure {
  model: string;
  kind: FailureKind;
  error: unknown;
}

export interface FlashFallbackOptions {
  fallback: Pick<Fallback, 'decide'>;
  failedModel: string;
  signal: AbortSignal;
  /** Called with a question for the user; `Fallback.answer` receives the answer. */
  onAsk?: (question: FallbackAsk) => void;
}

/**
 * The documented answer to a persistent 429, in the form of `onPersistent429` in retry.ts: the model to continue
 * with, or null. Every kind of credential may fall back (docs/decisions/0008), so `authType` is ignored. Rejects with
 * an AbortError.
 */
export async function handleFlashFallback(
  _authType: string | undefined,
  error: unknown,
  options: FlashFallbackOptions,
): Promise<string | null> {
  if (typeof options?.fallback?.decide !== 'function') {
    throw new TypeError('Use handleFlashFallback(authType, error, {fallback, failedModel, signal}).');
  }
  const decision = options.fallback.decide(options.failedModel, error);
  switch (decision.kind) {
    case 'give_up':
      return null;
    case 'switch':
      return decision.model;
    case 'ask': {
      options.onAsk?.(decision);
      const intent = await decision.answer(options.signal);
      return intent === 'retry_always' || intent === 'retry_once' ? decision.fallbackModel : null;
    }
  }
}

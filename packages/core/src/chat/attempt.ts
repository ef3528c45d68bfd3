/**
 * Attempt: what has arrived of one HTTP try. It says which frames may be shown now and
 * which must wait until the whole is accepted: a caller must not act on what can still be void.
 */

import type { Content, GenerateContentResponse, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import type { CallIds } from './call-ids.ts';
import { INTERRUPTED_ANSWER } from './conversation.ts';
import { getFinishReason, getFunctionCalls, getResponseText, getThoughts } from './response.ts';
import { StreamCollector } from './stream-check.ts';
import type { AcceptedTurn } from './stream-check.ts';

export class Attempt {
  readonly thoughts: ThoughtSummary[] = [];
  /** To be shown once the attempt is accepted. */
  held: GenerateContentResponse[] = [];
  private readonly collector = new StreamCollector();
  private readonly callIds: CallIds;
  private isHolding = false;
  /** The words that were not held back. */
  private shownText = '';

  constructor(callIds: CallIds) {
    this.callIds = callIds;
    callIds.beginAttempt();
  }

  /** The frame as it counts: with every call named and identified. */
  add(arrived: GenerateContentResponse): GenerateContentResponse {
    const response = this.callIds.complete(arrived);
    this.collector.add(response);
    for (const thought of getThoughts(response)) this.thoughts.push(thought);
    this.isHolding ||= getFinishReason(response) !== undefined || getFunctionCalls(response).length > 0;
    return response;
  }

  /** Keeps the frame back from the first call, or the finish reason, on. */
  hold(response: GenerateContentResponse): boolean {
    if (this.isHolding) this.held.push(response);
    else this.shownText += getResponseText(response);
    return this.isHolding;
  }

  /** The model turn that remains when it is cut off: what was shown, marked as interrupted; undefined if that is nothing. */
  get interrupted(): Content | undefined {
    if (this.shownText.trim() === '') return undefined;
    return { role: 'model', parts: [{ text: this.shownText }, { text: INTERRUPTED_ANSWER }] };
  }

  /** What the service has reported so far. */
  get usageMetadata(): UsageMetadata | undefined {
    return this.collector.usageMetadata;
  }

  /** Throws InvalidStreamError. */
  accept(options: { mayBeSilent: boolean }): AcceptedTurn {
    const turn = this.collector.accept(options);
    this.callIds.acceptAttempt();
    this.held = endOnce(this.held, turn);
    return turn;
  }
}

/** Some services say in every frame how the answer ends, or send more after they did: here the last one says it, once. */
function endOnce(held: GenerateContentResponse[], turn: AcceptedTurn): GenerateContentResponse[] {
  if (held.findIndex(getFinishReason) === held.length - 1) return held;
  return held.map((frame, index) => {
    const [{ finishReason: _said, ...candidate } = {}, ...others] = frame.candidates ?? [];
    if (index < held.length - 1) return frame.candidates ? { ...frame, candidates: [candidate, ...others] } : frame;
    const { finishReason, usageMetadata } = turn;
    return {
      ...frame,
      candidates: [{ ...candidate, finishReason }, ...others],
      ...(usageMetadata && { usageMetadata }),
    };
  });
}

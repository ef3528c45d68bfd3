/**
 * Attempt: collects the frames of one HTTP request. It decides which frames may be shown now and which must wait
 * until the attempt is accepted: a caller must not act on a call that a retry can still void.
 */

import type { Content, GenerateContentResponse, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';
import { withOrigin } from '../protocol/origin.ts';
import type { CallIds } from './call-ids.ts';
import { INTERRUPTED_ANSWER } from './conversation.ts';
import { getFinishReason, getFunctionCalls, getResponseText, getThoughts } from './response.ts';
import { StreamCollector } from './stream-check.ts';
import type { AcceptedTurn } from './stream-check.ts';

export class Attempt {
  readonly thoughts: ThoughtSummary[] = [];
  /** Shown once the attempt is accepted. */
  held: GenerateContentResponse[] = [];
  private readonly collector = new StreamCollector();
  private readonly callIds: CallIds;
  private readonly onNotice: ((message: string) => void) | undefined;
  private isHolding = false;
  /** The text that was not held back. */
  private shownText = '';

  constructor(callIds: CallIds, onNotice?: (message: string) => void) {
    this.callIds = callIds;
    this.onNotice = onNotice;
    callIds.beginAttempt();
  }

  /** Returns the frame with a name and an id for every call. */
  add(arrived: GenerateContentResponse): GenerateContentResponse {
    if (arrived.notices) for (const notice of arrived.notices) this.onNotice?.(notice);
    const response = this.callIds.complete(arrived);
    this.collector.add(response);
    for (const thought of getThoughts(response)) this.thoughts.push(thought);
    this.isHolding ||= getFinishReason(response) !== undefined || getFunctionCalls(response).length > 0;
    return response;
  }

  /** Holds the frame back, starting with the first call or the finish reason. */
  hold(response: GenerateContentResponse): boolean {
    if (this.isHolding) this.held.push(response);
    else this.shownText += getResponseText(response);
    return this.isHolding;
  }

  /**
   * The model turn that an interruption leaves: the shown text, marked as interrupted; undefined if there is none.
   */
  get interrupted(): Content | undefined {
    if (this.shownText.trim() === '') return undefined;
    return { role: 'model', parts: [{ text: this.shownText }, { text: INTERRUPTED_ANSWER }] };
  }

  /** The usage the service has reported so far. */
  get usageMetadata(): UsageMetadata | undefined {
    return this.collector.usageMetadata;
  }

  /** Returns the turn for the history. Throws InvalidStreamError. */
  accept(options: { mayBeSilent: boolean }): Content {
    const turn = this.collector.accept(options);
    this.callIds.acceptAttempt();
    this.held = endOnce(this.held, turn);
    return withOrigin({ role: 'model', parts: turn.parts }, this.callIds.rename(turn.origin));
  }
}

/**
 * Some services repeat the finish reason in every frame, or send frames after it: only the last held frame carries
 * it.
 */
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

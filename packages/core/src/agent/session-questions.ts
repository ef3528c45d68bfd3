/** SessionQuestions: routes the user's answers to the session that asked, itself or a child that one of its calls runs. */

import type { FallbackIntent } from '../protocol/agent-events.ts';
import type { EventAddress } from '../protocol/events.ts';
import type { ConfirmationPayload, ToolConfirmationOutcome } from '../protocol/tools.ts';
import type { Fallback } from '../routing/fallback.ts';
import type { AskingChild } from '../scheduler/children.ts';
import type { SchedulerPort } from './scheduler-port.ts';

export interface SessionQuestionOptions {
  scheduler: SchedulerPort;
  /** The fallback questions of the session's models. */
  fallback?: Pick<Fallback, 'asks' | 'answer'>;
}

export class SessionQuestions {
  private readonly options: SessionQuestionOptions;

  constructor(options: SessionQuestionOptions) {
    this.options = options;
  }

  asks(id: string, address: EventAddress): boolean {
    return this.asksItself(id, address) || this.options.scheduler.findAskingChild(id, address) !== undefined;
  }

  respond(
    callId: string,
    outcome: ToolConfirmationOutcome,
    payload: ConfirmationPayload | undefined,
    address: EventAddress,
  ): void {
    const child = this.findChild(callId, address);
    if (child) child.session.respond(callId, outcome, payload, child.address);
    else this.options.scheduler.respond(callId, outcome, payload);
  }

  answerFallback(requestId: string, intent: FallbackIntent, address: EventAddress): void {
    const { fallback } = this.options;
    const child = this.findChild(requestId, address);
    if (child) child.session.answerFallback(requestId, intent, child.address);
    else if (fallback) fallback.answer(requestId, intent);
    else throw new Error('This session has no fallback questions.');
  }

  private asksItself(id: string, { parentCallId }: EventAddress): boolean {
    const { scheduler, fallback } = this.options;
    return parentCallId === undefined && (scheduler.isWaiting(id) || (fallback?.asks(id) ?? false));
  }

  private findChild(id: string, address: EventAddress): AskingChild | undefined {
    return this.asksItself(id, address) ? undefined : this.options.scheduler.findAskingChild(id, address);
  }
}

/**
 * Asks the user the questions of the session, one at a time, in their order: calls that wait for approval and models
 * that ran out of quota. It checks the transcript after each change and withdraws a question that is no longer open.
 */

import { getErrorMessage } from '@castor/core';
import { allCalls } from '@castor/core/program';
import type { ToolCallView, Transcript } from '@castor/core';
import { askAboutFallback } from '../dialogs/fallback-question.ts';
import type { QuestionOptions } from './question-options.ts';

interface OpenQuestion {
  readonly id: string;
  readonly withdraw: () => void;
}

export class Questions {
  private readonly options: QuestionOptions;
  private open: OpenQuestion | undefined;
  /** The calls of one answer, in their order. */
  private batch: readonly string[] = [];

  constructor(options: QuestionOptions) {
    this.options = options;
  }

  look({ pendingGroup, question }: Transcript): void {
    const calls = pendingGroup ? [...allCalls(pendingGroup.calls)] : [];
    if (pendingGroup) this.noteBatch(pendingGroup.calls);
    const call = calls.find(({ status, confirmation }) => status === 'awaiting_approval' && confirmation);
    const id = question ? `fallback ${question.requestId}` : call && idOf(call);
    if (this.open && this.open.id !== id) this.open.withdraw();
    if (id === undefined || this.open) return;
    if (question) {
      this.ask(id, async (signal) => {
        const intent = await askAboutFallback(question, this.options.host, signal);
        if (intent !== undefined)
          (await this.options.agent()).session.answerFallback(question.requestId, intent, question);
      });
    } else if (call?.confirmation) {
      const { callId, confirmation } = call;
      const place = this.placeOf(callId);
      this.ask(id, async (signal) => {
        const { askAboutCall } = await import('./ask-about-call.ts');
        await askAboutCall({ callId, details: confirmation, place }, this.options, signal);
      });
    }
  }

  /** Those that have ended are no longer pending, and still count. */
  private noteBatch(calls: readonly ToolCallView[]): void {
    const ids = calls.map(({ callId }) => callId);
    const isNext = !ids.some((id) => this.batch.includes(id));
    this.batch = isNext ? ids : [...new Set([...this.batch, ...ids])];
  }

  /** Among the calls of one answer. How many of them will be asked about is not known: an answer may cover others. */
  private placeOf(callId: string): string | undefined {
    const index = this.batch.indexOf(callId);
    return index < 0 || this.batch.length === 1 ? undefined : `call ${index + 1} of ${this.batch.length}`;
  }

  private ask(id: string, run: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.open = { id, withdraw: () => controller.abort() };
    this.options.onAsked('Action required');
    void run(controller.signal)
      .catch((error: unknown) => {
        // A call that was answered or cancelled while the user was reading has withdrawn its question.
        if (!controller.signal.aborted) this.options.onProblem(getErrorMessage(error));
      })
      .finally(() => {
        this.open = undefined;
      });
  }
}

/** The same call may be asked about again, after its proposal was edited. */
function idOf({ callId, confirmation }: ToolCallView): string {
  const edited = confirmation?.type === 'edit' ? confirmation.newContent : '';
  return `${callId} ${edited}`;
}

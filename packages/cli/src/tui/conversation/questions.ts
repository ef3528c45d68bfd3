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

  constructor(options: QuestionOptions) {
    this.options = options;
  }

  look({ pendingGroup, question }: Transcript): void {
    const calls = pendingGroup ? [...allCalls(pendingGroup.calls)] : [];
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
      const place = placeOf(callId, pendingGroup?.calls ?? []);
      this.ask(id, async (signal) => {
        const { askAboutCall } = await import('./ask-about-call.ts');
        await askAboutCall({ callId, details: confirmation, place }, this.options, signal);
      });
    }
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

/** Among the calls of one answer. How many of them will be asked about is not known: an answer may cover others. */
function placeOf(callId: string, calls: readonly ToolCallView[]): string | undefined {
  const index = calls.findIndex((each) => each.callId === callId);
  return index < 0 || calls.length === 1 ? undefined : `call ${index + 1} of ${calls.length}`;
}

/** The same call may be asked about again, after its proposal was edited. */
function idOf({ callId, confirmation }: ToolCallView): string {
  const edited = confirmation?.type === 'edit' ? confirmation.newContent : '';
  return `${callId} ${edited}`;
}

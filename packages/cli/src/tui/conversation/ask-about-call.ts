/** Asks about one call: a question of the model, a plan, or what the call would do, in the editor too. Loaded by the first. */

import type { ToolCallConfirmationDetails } from '@castor/core';
import { askApproval } from '../dialogs/approval.ts';
import { askQuestions } from '../dialogs/ask-user.ts';
import { askAboutPlan } from '../dialogs/plan-approval.ts';
import { askInBoth } from './diff-in-editor.ts';
import type { QuestionOptions } from './question-options.ts';

interface AskedCall {
  readonly callId: string;
  readonly details: ToolCallConfirmationDetails;
  /** Among several calls. */
  readonly place: string | undefined;
}

/** Answers the session, unless the question was withdrawn. */
export async function askAboutCall(
  { callId, details, place }: AskedCall,
  options: QuestionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { host, agent } = options;
  if (details.type === 'ask_user') {
    const answers = await askQuestions(details.questions, host, signal);
    if (signal.aborted) return;
    const { session } = await agent();
    if (answers) session.respond(callId, 'proceed_once', { answers });
    else session.respond(callId, 'cancel');
    return;
  }
  if (details.type === 'exit_plan_mode') {
    const { planPath } = details;
    const facts = await options.printPlan(planPath);
    const { relative } = options.approval();
    const payload = await askAboutPlan({ path: relative?.(planPath) ?? planPath, facts }, host, signal);
    if (payload) (await agent()).session.respond(callId, 'proceed_once', payload);
    return;
  }
  const ask = (stop: AbortSignal) => askApproval(details, { ...options.approval(), host, place, signal: stop });
  const editor = options.editorDiffs();
  // An editor shows one file at a time.
  const isOneFile = details.type === 'edit' && !details.files;
  const answer = editor && isOneFile ? await askInBoth(details, editor, ask, signal) : await ask(signal);
  if (!answer) return;
  (await agent()).session.respond(callId, answer.outcome, answer.payload);
  if (answer.payload?.feedback !== undefined) options.onFeedback(answer.payload.feedback);
}

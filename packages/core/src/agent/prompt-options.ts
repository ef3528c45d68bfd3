/** What goes with a prompt beside its request: the words for the user, and a call that is proposed in its place. */

import type { ProposedCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';

export interface PromptOptions {
  /** The request as shown to the user, where it differs from the sent one. */
  text?: string;
  /** The call that the history ends with: the user is asked about it, and the model receives its result. */
  proposal?: ProposedCall;
}

/** Asked about in every mode: the user went back to before it. */
export function toProposed({ proposal }: PromptOptions, prompt_id: string): ToolCallRequestInfo[] {
  return proposal ? [{ ...proposal, isClientInitiated: false, forcedAsk: true, prompt_id }] : [];
}

/**
 * The port through which hooks take part in a whole prompt. The hook system implements it; this room starts no
 * processes.
 */

export type BeforeAgentDecision =
  | { kind: 'proceed'; additionalContext?: string }
  /** The prompt ends; the request stays in the history. */
  | { kind: 'stop'; reason: string; systemMessage?: string }
  /** The request is denied and removed from the history. */
  | { kind: 'block'; reason: string; systemMessage?: string };

export type AfterAgentDecision =
  | { kind: 'proceed' }
  | { kind: 'stop'; reason: string; systemMessage?: string; clearContext?: boolean }
  /** The answer is rejected: the reason is sent back to the model. */
  | { kind: 'block'; reason: string; systemMessage?: string; clearContext?: boolean };

export interface AfterAgentInput {
  prompt: string;
  response: string;
  /** An AfterAgent hook requested this answer. */
  stopHookActive: boolean;
}

export type CompressTrigger = 'manual' | 'auto';

/** A throwing member counts as no decision; only an abort ends the prompt. */
export interface AgentHooks {
  beforeAgent?(prompt: string, signal: AbortSignal): Promise<BeforeAgentDecision>;
  afterAgent?(input: AfterAgentInput, signal: AbortSignal): Promise<AfterAgentDecision>;
  preCompress?(trigger: CompressTrigger, signal: AbortSignal): Promise<void>;
}

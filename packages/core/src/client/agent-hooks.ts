/** The port through which hooks take part in a prompt as a whole. The hook system implements it; this room does not know processes. */

export type BeforeAgentDecision =
  | { kind: 'proceed'; additionalContext?: string }
  /** The prompt ends; the request stays in the history. */
  | { kind: 'stop'; reason: string; systemMessage?: string }
  /** The request is refused and forgotten. */
  | { kind: 'block'; reason: string; systemMessage?: string };

export type AfterAgentDecision =
  | { kind: 'proceed' }
  | { kind: 'stop'; reason: string; systemMessage?: string; clearContext?: boolean }
  /** The answer is not good enough: the reason goes back to the model. */
  | { kind: 'block'; reason: string; systemMessage?: string; clearContext?: boolean };

export interface AfterAgentInput {
  prompt: string;
  response: string;
  /** The answer was itself asked for by an AfterAgent hook. */
  stopHookActive: boolean;
}

export type CompressTrigger = 'manual' | 'auto';

/** A member that throws counts as having nothing to say; only an abort ends the prompt. */
export interface AgentHooks {
  beforeAgent?(prompt: string, signal: AbortSignal): Promise<BeforeAgentDecision>;
  afterAgent?(input: AfterAgentInput, signal: AbortSignal): Promise<AfterAgentDecision>;
  preCompress?(trigger: CompressTrigger, signal: AbortSignal): Promise<void>;
}

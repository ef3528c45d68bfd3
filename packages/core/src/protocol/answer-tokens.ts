/** The tokens of one answer, as a session file records them. */

export interface AnswerTokens {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly thoughts: number;
  readonly tool: number;
  readonly total: number;
  readonly cacheWrite: number;
}

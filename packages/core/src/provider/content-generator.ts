/**
 * ContentGenerator: the one seam to a model provider. Implementations turn wire
 * answers into `GenerateContentResponse` and wire failures into the taxonomy of
 * protocol/errors; they do not retry.
 */

import type {
  CountTokensParameters,
  CountTokensResponse,
  EmbedContentParameters,
  EmbedContentResponse,
  GenerateContentParameters,
  GenerateContentResponse,
} from '../protocol/content.ts';
import type { ModelCatalogue } from './catalogue/model-catalogue.ts';

/** The purpose of a request; a dimension of the ledger. */
export type LlmRole =
  | 'main'
  | 'subagent'
  | 'utility_tool'
  | 'utility_compressor'
  | 'utility_summarizer'
  | 'utility_router'
  | 'utility_loop_detector'
  | 'utility_next_speaker'
  | 'utility_edit_corrector'
  | 'utility_autocomplete'
  | 'utility_fast_ack_helper'
  | 'utility_state_snapshot_processor';

/** Rejections are ApiError, UnauthorizedError or AbortError (the request's `config.abortSignal`). */
export interface ContentGenerator {
  generateContent(
    request: GenerateContentParameters,
    prompt_id: string,
    role: LlmRole,
  ): Promise<GenerateContentResponse>;

  /**
   * Resolves once the service has accepted the request (the connection phase); the frames follow. Ending the
   * generator early releases the connection. A stream that ends early is not an error here: the chat decides whether
   * the received frames form a turn.
   */
  generateContentStream(
    request: GenerateContentParameters,
    prompt_id: string,
    role: LlmRole,
  ): Promise<AsyncGenerator<GenerateContentResponse>>;

  countTokens(request: CountTokensParameters): Promise<CountTokensResponse>;

  embedContent(request: EmbedContentParameters): Promise<EmbedContentResponse>;

  /** Makes the facts about a model known before its first request. Rejects with the sentence its requests fail with. */
  prepare?(model: string): Promise<unknown>;

  /** Facts about the models it serves. Absent: the Gemini catalogue applies. */
  readonly catalogue?: ModelCatalogue;
}

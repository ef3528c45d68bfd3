/**
 * The model and the id that a server reports for an answer, and the responses that carry them. A long answer builds one
 * response per frame, so that none is built from copies of objects.
 */

import type { GenerateContentResponse, Part } from '../../protocol/content.ts';

export class AnswerStamp {
  /** The model that answered, which may differ from the one that was asked. */
  model: string | undefined;
  id: string | undefined;

  respond(parts: Part[]): GenerateContentResponse[] {
    return [this.mark({ candidates: [{ content: { role: 'model', parts }, index: 0 }] })];
  }

  /** Adds what is known to a response. */
  mark(response: GenerateContentResponse): GenerateContentResponse {
    if (this.model !== undefined) response.modelVersion = this.model;
    if (this.id !== undefined) response.responseId = this.id;
    return response;
  }
}

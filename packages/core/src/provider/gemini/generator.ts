/** The Gemini API as a ContentGenerator: its protocol, spoken at its endpoint. */

import { ApiError } from '../../protocol/errors.ts';
import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import { type WireGenerator, type WireGeneratorOptions, createWireGenerator } from '../wire/wire-generator.ts';
import type { RejectedToolsGenerator } from '../wire/rejected-tools.ts';
import type { AnswerReader, WireProtocol } from '../wire/wire-protocol.ts';
import { parseAnswer, parseResponse } from './answer.ts';
import { type GeminiEndpointOptions, createGeminiEndpoint, methodPath } from './endpoint.ts';
import { toModelError } from './errors.ts';
import { takesFormBesideTools, toCountTokensBody, toEmbedBody, toGenerateBody } from './request-body.ts';

export interface GeminiGeneratorOptions extends GeminiEndpointOptions, WireGeneratorOptions {}

export type GeminiGenerator = WireGenerator;

/** A frame is an answer already; nothing is held between two of them. */
const READER: AnswerReader = { read: (frame) => [parseResponse(frame)], end: () => [] };

export const GEMINI_PROTOCOL: WireProtocol = {
  name: 'gemini',
  framing: 'sse',
  path: methodPath,
  body: toGenerateBody,
  takesFormBesideTools,
  reader: () => READER,
  toError: toModelError,
  generate: { body: toGenerateBody, read: parseResponse },
  count: { body: toCountTokensBody, read: parseAnswer },
  embed: { body: toEmbedBody, read: parseAnswer },
};

/** Throws a TypeError for an invalid option. */
export function createGeminiGenerator(options: GeminiGeneratorOptions = {}): GeminiGenerator {
  const endpoint = createGeminiEndpoint(options);
  return helped(createWireGenerator({ protocol: GEMINI_PROTOCOL, endpoint, catalogue: GEMINI_CATALOGUE }, options));
}

/** What helps after a rejection is loaded by the first one. */
function helped(wire: WireGenerator): GeminiGenerator {
  let withoutTools: RejectedToolsGenerator | undefined;
  return {
    ...wire,
    async generateContentStream(...request) {
      try {
        return await (withoutTools ?? wire).generateContentStream(...request);
      } catch (error) {
        const reason = error instanceof ApiError ? error.reason : undefined;
        if (reason !== 'not_found' && (reason !== 'invalid_request' || withoutTools)) throw error;
        const { explainMissing, withoutRejected } = await import('./after-rejection.ts');
        if (reason === 'invalid_request') {
          withoutTools = withoutRejected(wire);
          return withoutTools.sendAfter(error, ...request);
        }
        explainMissing(error as ApiError, request[0].model);
        throw error;
      }
    },
  };
}

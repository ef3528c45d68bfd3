/** The Gemini API as a ContentGenerator: its protocol, spoken at its endpoint. */

import { GEMINI_CATALOGUE } from '../catalogue/gemini-catalogue.ts';
import { type WireGenerator, type WireGeneratorOptions, createWireGenerator } from '../wire/wire-generator.ts';
import type { AnswerReader, WireProtocol } from '../wire/wire-protocol.ts';
import { parseAnswer, parseResponse } from './answer.ts';
import { type GeminiEndpointOptions, createGeminiEndpoint, methodPath } from './endpoint.ts';
import { toModelError } from './errors.ts';
import { toCountTokensBody, toEmbedBody, toGenerateBody } from './request-body.ts';

export interface GeminiGeneratorOptions extends GeminiEndpointOptions, WireGeneratorOptions {}

export type GeminiGenerator = WireGenerator;

/** A frame is an answer already; nothing is held between two of them. */
const READER: AnswerReader = { read: (frame) => [parseResponse(frame)], end: () => [] };

export const GEMINI_PROTOCOL: WireProtocol = {
  name: 'gemini',
  framing: 'sse',
  path: methodPath,
  body: toGenerateBody,
  reader: () => READER,
  toError: toModelError,
  generate: { body: toGenerateBody, read: parseResponse },
  count: { body: toCountTokensBody, read: parseAnswer },
  embed: { body: toEmbedBody, read: parseAnswer },
};

/** Throws a TypeError for an invalid option. */
export function createGeminiGenerator(options: GeminiGeneratorOptions = {}): GeminiGenerator {
  const endpoint = createGeminiEndpoint(options);
  return createWireGenerator({ protocol: GEMINI_PROTOCOL, endpoint, catalogue: GEMINI_CATALOGUE }, options);
}

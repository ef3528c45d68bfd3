/**
 * Leaves out the form of an answer that the provider rejects, and asks again: words ask for the answer then, and the
 * caller checks it. Services take different parts of JSON Schema, and few of them beside tools.
 */

import type { GenerateContentConfig, GenerateContentParameters } from '../../protocol/content.ts';
import { ApiError } from '../../protocol/errors.ts';
import { blamedTool } from '../schema-complaint.ts';
import { type AnswerForm, answerForm, hasFunctions, wordsFor } from './answer-form.ts';
import { spellName } from './spelling.ts';
import { systemText } from './system-text.ts';
import { declaredNames } from './tool-schema.ts';
import type { WireGenerator } from './wire-generator.ts';

/** The words of a local server that cannot turn a schema into a grammar, and reports that as its own failure. */
const GRAMMAR_WORDS = /json schema|grammar|invalid format/i;

export interface RejectedFormatsGenerator extends WireGenerator {
  /** Whether the same request is worth sending again, now without its form. */
  rejects(rejection: unknown, request: GenerateContentParameters): boolean;
}

/** `sendsForm` says whether a request that offers tools carries its form at all. */
export function withoutRejectedFormats(
  generator: WireGenerator,
  sendsForm: (model: string) => boolean,
): RejectedFormatsGenerator {
  /** Each form that was rejected, with the model and whether tools were offered beside it. */
  const rejected = new Set<string>();

  function accepted(request: GenerateContentParameters): GenerateContentParameters {
    const form = rejected.size === 0 ? undefined : answerForm(request.config ?? {});
    return form && rejected.has(keyOf(request)) ? withoutForm(request, form) : request;
  }

  function rejects(rejection: unknown, request: GenerateContentParameters): boolean {
    const { model, config = {} } = request;
    if (hasFunctions(config) && !sendsForm(model)) return false;
    if (!isAboutForm(rejection, config) || rejected.has(keyOf(request))) return false;
    rejected.add(keyOf(request));
    return true;
  }

  async function send<T>(
    request: GenerateContentParameters,
    sendOnce: (sent: GenerateContentParameters) => Promise<T>,
  ): Promise<T> {
    try {
      return await sendOnce(accepted(request));
    } catch (error) {
      if (!rejects(error, request)) throw error;
    }
    try {
      return await sendOnce(accepted(request));
    } catch (error) {
      // The form was not the cause.
      rejected.delete(keyOf(request));
      throw error;
    }
  }

  return {
    ...generator,
    rejects,
    generateContent: async (request, ...rest) => send(request, (sent) => generator.generateContent(sent, ...rest)),
    generateContentStream: async (request, ...rest) =>
      send(request, (sent) => generator.generateContentStream(sent, ...rest)),
  };
}

function keyOf({ model, config = {} }: GenerateContentParameters): string {
  return JSON.stringify([model, hasFunctions(config), answerForm(config)]);
}

function isAboutForm(error: unknown, config: GenerateContentConfig): boolean {
  if (!(error instanceof ApiError) || !answerForm(config)) return false;
  if (error.reason === 'server') return GRAMMAR_WORDS.test(error.message);
  return (
    error.reason === 'invalid_request' && blamedTool(error.message, declaredNames(config).map(spellName)) === undefined
  );
}

/** A request without tools is told the form in words; the words of a conversation are its own. */
function withoutForm(request: GenerateContentParameters, form: AnswerForm): GenerateContentParameters {
  const {
    responseMimeType: _type,
    responseJsonSchema: _schema,
    responseSchema: _other,
    ...config
  } = request.config ?? {};
  if (hasFunctions(config)) return { ...request, config };
  const systemInstruction = `${systemText(config.systemInstruction)}\n\n${wordsFor(form)}`.trim();
  return { ...request, config: { ...config, systemInstruction } };
}

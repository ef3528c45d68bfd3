/** Builds the request of one attempt of a send, before any hook has seen it. */

import type { ModelConfigKey, ModelConfigResolver } from '../routing/model-config.ts';
import type { Content, GenerateContentConfig, GenerateContentParameters, Tool } from '../protocol/content.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';

export interface ModelRequestParts {
  key: ModelConfigKey;
  resolveModel: ModelConfigResolver;
  contents: readonly Content[];
  systemInstruction: string | undefined;
  tools: Tool[] | undefined;
  /** The caller's settings for this message; they win. */
  own: GenerateContentConfig;
  signal: AbortSignal;
}

/** Sent on an attempt that follows an answer without text. */
const ANSWER_NUDGE =
  '[System: The last attempt ended without an answer. Give the final answer in plain text now, or call a tool.]';

export function toModelRequest(parts: ModelRequestParts): GenerateContentParameters {
  const { key, resolveModel, contents, own, signal } = parts;
  const tools = key.isAnswerDue ? undefined : parts.tools;
  const { model, config } = resolveModel(key);
  const systemInstruction = instructionAfter(key.lastStreamError, parts.systemInstruction);
  return {
    model,
    contents,
    config: {
      ...config,
      ...(systemInstruction && { systemInstruction }),
      ...(tools && tools.length > 0 && { tools }),
      ...own,
      ...(key.answerSchema && { responseMimeType: 'application/json', responseJsonSchema: key.answerSchema }),
      abortSignal: signal,
    },
  };
}

function instructionAfter(
  lastStreamError: InvalidStreamErrorType | undefined,
  systemInstruction: string | undefined,
): string | undefined {
  const wordless = lastStreamError === 'THINKING_ONLY_RESPONSE' || lastStreamError === 'NO_RESPONSE_TEXT';
  if (!wordless) return systemInstruction;
  return [systemInstruction, ANSWER_NUDGE].filter(Boolean).join('\n\n');
}

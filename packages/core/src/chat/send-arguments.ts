/** Normalises the three documented forms of `GeminiChat.sendMessageStream` arguments into one. */

import type { LlmRole } from '../provider/content-generator.ts';
import type { GenerateContentConfig, PartListUnion } from '../protocol/content.ts';
import { toModelConfigKey } from '../routing/model-config.ts';
import type { ModelConfigKey } from '../routing/model-config.ts';

/** The form of a message in older documents; `config.abortSignal` cancels it. */
export interface SendMessageParameters {
  message: PartListUnion;
  /** For this request only; wins over the chat's own. */
  config?: GenerateContentConfig;
}

export type SendArguments =
  | [
      model: ModelConfigKey | string,
      message: PartListUnion,
      prompt_id: string,
      signal: AbortSignal,
      role?: LlmRole | undefined,
    ]
  | [model: ModelConfigKey | string, parameters: SendMessageParameters, prompt_id: string]
  | [parameters: SendMessageParameters, prompt_id: string];

export interface MessageToSend extends SendMessageParameters {
  key: ModelConfigKey;
  config: GenerateContentConfig;
  prompt_id: string;
  signal: AbortSignal;
  role: LlmRole;
}

const FORMS =
  'Use sendMessageStream(model, message, prompt_id, signal), sendMessageStream(model, {message, config}, prompt_id) ' +
  'or sendMessageStream({message, config}, prompt_id).';

/** `model` is the default for a form without one. Throws a TypeError that names the forms. */
export function toMessageToSend(args: SendArguments, model: string): MessageToSend {
  const [first, second, third, signal, role = 'main'] = args;
  if (isParameters(first)) return fromParameters(toModelConfigKey(model), first, second);
  const key = requireModel(first);
  if (isParameters(second)) return fromParameters(key, second, third);
  if (typeof third !== 'string' || !isSignal(signal)) throw new TypeError(`prompt_id or signal is missing. ${FORMS}`);
  const message = requireMessage(second as PartListUnion | undefined);
  return { key, message, config: {}, prompt_id: third, signal, role };
}

function fromParameters(key: ModelConfigKey, parameters: SendMessageParameters, prompt_id: unknown): MessageToSend {
  if (typeof prompt_id !== 'string') throw new TypeError(`prompt_id is missing. ${FORMS}`);
  const { config = {} } = parameters;
  const signal = config.abortSignal ?? new AbortController().signal;
  if (!isSignal(signal)) throw new TypeError(`config.abortSignal must be an AbortSignal. ${FORMS}`);
  return { key, message: requireMessage(parameters.message), config, prompt_id, signal, role: 'main' };
}

function requireModel(model: ModelConfigKey | string | undefined): ModelConfigKey {
  const key = toModelConfigKey(model ?? '');
  if (model === undefined || typeof key.model !== 'string') throw new TypeError(`The model is missing. ${FORMS}`);
  return key;
}

function requireMessage(message: PartListUnion | null | undefined): PartListUnion {
  if (message === undefined || message === null) throw new TypeError(`The message is missing. ${FORMS}`);
  return message;
}

function isParameters(value: unknown): value is SendMessageParameters {
  return typeof value === 'object' && value !== null && 'message' in value;
}

function isSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value;
}

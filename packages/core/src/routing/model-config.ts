/** The key of the model a request is for, and the settings a key resolves to. Types and the plain resolver only. */

import type { GenerateContentConfig } from '../protocol/content.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';

/** Names a model or an alias, with the circumstances an override may depend on. */
export interface ModelConfigKey {
  model: string;
  overrideScope?: string;
  /** Set on every attempt after the first of a send. */
  isRetry?: boolean;
  lastStreamError?: InvalidStreamErrorType;
  /** The answer must be JSON of this schema: sent in the provider's own form where it takes it. */
  answerSchema?: Readonly<Record<string, unknown>>;
  /** The answer itself is asked for, so no tools are offered: every service takes a form then. */
  isAnswerDue?: boolean;
}

export interface ResolvedModelConfig {
  model: string;
  config: GenerateContentConfig;
}

export type ModelConfigResolver = (key: ModelConfigKey) => ResolvedModelConfig;

export function toModelConfigKey(model: ModelConfigKey | string): ModelConfigKey {
  return typeof model === 'string' ? { model } : model;
}

/** The options of a chat, and the callbacks by which it reports to its caller. */

import type { ContentGenerator, LlmRole } from '../provider/content-generator.ts';
import type { ModelConfigResolver } from '../routing/model-config.ts';
import type { RetryLimits } from '../provider/retry-plan.ts';
import type { Content, GenerateContentConfig, Tool, UsageMetadata } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import type { ChatFallback } from './chat-fallback.ts';
import type { ChatRecorder } from './chat-recorder.ts';
import type { ModelHooks } from './model-hooks.ts';

export interface GeminiChatOptions {
  generator: ContentGenerator;
  /** The default model of a send. */
  model: string;
  systemInstruction?: string;
  tools?: Tool[];
  /** Sampling and thinking settings of every request, unless `resolveModel` is given. */
  config?: GenerateContentConfig;
  history?: readonly Content[];
  /** Resolves a key to a model and its settings; by default the key's model with `config`. */
  resolveModel?: ModelConfigResolver;
  retry?: RetryLimits;
  /** Decides how to continue when a model failed for good; without it the send fails. */
  fallback?: ChatFallback;
  hooks?: ModelHooks;
  recorder?: ChatRecorder;
  /** Called with an answer that arrived completely but is not an acceptable turn. Must not throw. */
  onUnusableAnswer?: (answer: UnusableAnswer) => void;
  /** Called with a sentence of the provider's adapter for the user. Must not throw. */
  onNotice?: (message: string) => void;
  clock?: Clock;
}

export interface UnusableAnswer {
  model: string;
  role: LlmRole;
  usage?: UsageMetadata;
}

/** What a chat is made of, and what it tells outside of itself. */

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
  /** Used by sends that name no model. */
  model: string;
  systemInstruction?: string;
  tools?: Tool[];
  /** Sampling and thinking settings of every request, unless `resolveModel` is given. */
  config?: GenerateContentConfig;
  history?: readonly Content[];
  /** Turns a key into a model and its settings; by default the key's model with `config`. */
  resolveModel?: ModelConfigResolver;
  retry?: RetryLimits;
  /** Asked what to do when a model failed for good; without it the send fails. */
  fallback?: ChatFallback;
  hooks?: ModelHooks;
  recorder?: ChatRecorder;
  /** Told of an answer that arrived whole and is no turn. Must not throw. */
  onUnusableAnswer?: (answer: UnusableAnswer) => void;
  clock?: Clock;
}

export interface UnusableAnswer {
  model: string;
  role: LlmRole;
  usage?: UsageMetadata;
}

/**
 * UtilityModel: asks a model small questions beside the conversation (is this a loop, who speaks next, summarise
 * this). They have a budget of their own and fail by returning undefined: an auxiliary question never fails the turn.
 */

import { getResponseText } from '../chat/response.ts';
import { ConversationBuilder } from '../chat/conversation.ts';
import type { ContentGenerator, LlmRole } from '../provider/content-generator.ts';
import type { ModelConfigResolver } from '../routing/model-config.ts';
import { createModelConfigResolver } from '../routing/model-configs.ts';
import { retryWithBackoff } from '../provider/retry.ts';
import type { Content, GenerateContentConfig } from '../protocol/content.ts';
import { isAbortError } from '../protocol/errors.ts';
import { throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { isRecord } from '../util/is-record.ts';

export interface Question {
  /** A model or an alias. */
  model: string;
  /** Any turns; they are repaired into a legal conversation before they are sent. */
  contents: readonly Content[];
  systemInstruction?: string;
  signal: AbortSignal;
  prompt_id: string;
  role: LlmRole;
}

/** Answers auxiliary questions: a `UtilityModel`, or a `GeminiClient` that has one. */
export interface JsonModel {
  generateJson(question: Question, schema: object): Promise<Record<string, unknown> | undefined>;
}

export interface UtilityModelOptions {
  generator: ContentGenerator;
  /** Default: the built-in presets. */
  resolveModel?: ModelConfigResolver;
  clock?: Clock;
  /** Called with a model that returned no JSON when asked for it. */
  onMalformedJson?: (model: string) => void;
  /** Called with a sentence for the user that the provider sent beside its answer. */
  onNotice?: (sentence: string) => void;
  /** Whether questions answered as JSON are asked at all. Default true. */
  asksJson?: () => boolean;
}

/** Enough to survive a short failure, too little to delay a turn. */
const RETRY = { maxAttempts: 2, initialDelayMs: 500, maxDelayMs: 2000, maxServerDelayMs: 5000 };
const JSON_FENCE = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/;

export class UtilityModel implements JsonModel {
  private readonly options: UtilityModelOptions;
  private readonly resolveModel: ModelConfigResolver;

  constructor(options: UtilityModelOptions) {
    this.options = options;
    this.resolveModel = options.resolveModel ?? createModelConfigResolver();
  }

  /** The answer's text; undefined without one. Rejects only on abort. */
  async generateText(question: Question): Promise<string | undefined> {
    return this.ask(question, {}, (text) => text);
  }

  /** The answer as a JSON object of the given schema, or undefined without one. Rejects only on abort. */
  async generateJson(question: Question, schema: object): Promise<Record<string, unknown> | undefined> {
    if (this.options.asksJson?.() === false) return undefined;
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    return this.ask(question, config, (text, model) => {
      const answer = parseObject(text);
      if (!answer) this.options.onMalformedJson?.(model);
      return answer;
    });
  }

  private async ask<T>(
    question: Question,
    extra: GenerateContentConfig,
    read: (text: string, model: string) => T | undefined,
  ): Promise<T | undefined> {
    const { generator, clock } = this.options;
    const { systemInstruction, signal, prompt_id, role } = question;
    const { model, config } = this.resolveModel({ model: question.model });
    const request = {
      model,
      contents: ConversationBuilder.of(question.contents).contents,
      config: { ...config, ...extra, ...(systemInstruction && { systemInstruction }), abortSignal: signal },
    };
    try {
      return await retryWithBackoff(
        async () => {
          const response = await generator.generateContent(request, prompt_id, role);
          for (const sentence of response.notices ?? []) this.options.onNotice?.(sentence);
          const text = getResponseText(response).trim();
          return text === '' ? undefined : read(text, model);
        },
        { ...RETRY, signal, clock, shouldRetryOnContent: (answer) => answer === undefined },
      );
    } catch (error) {
      throwIfAborted(signal);
      if (isAbortError(error)) throw error;
      // Unanswered, as the header says; the turn continues without it.
      return undefined;
    }
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(JSON_FENCE.exec(text)?.[1] ?? text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON: retried, within the budget.
    return undefined;
  }
}

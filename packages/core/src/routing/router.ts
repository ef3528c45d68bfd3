/**
 * ModelRouter: chooses the first model for a prompt. An ordered list of strategies; the first that returns a model
 * decides, a failing one is skipped, and the last always returns one. A side request is sent only when `classify` is
 * on, and delays the prompt by seconds at most.
 *
 * The documented local Gemma classifier is unsupported: it needs a second model server on the machine, and nothing
 * here starts one.
 */

import type { Content, PartListUnion } from '../protocol/content.ts';
import type { ModelCatalogue, ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { systemClock, throwIfAborted } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { toParts } from '../util/part-list.ts';
import type { ModelAvailability } from './availability.ts';
import type { AskJson, Classifier, Verdict } from './classifier.ts';
import { factsOf, isAutoModel, resolveModel } from './models.ts';
import { policyChain } from './fallback-chains.ts';

export interface RoutingContext {
  /** The model as configured, unresolved. */
  requestedModel: string;
  history: readonly Content[];
  request: PartListUnion;
  /** Sent with the classifier's request. */
  prompt_id?: string;
  signal: AbortSignal;
  /** default, autoEdit, yolo or plan. */
  approvalMode?: string;
  /** Whether a plan was approved and is being executed. */
  hasApprovedPlan?: boolean;
}

export interface RoutingDecision {
  model: string;
  metadata: {
    /** `agent-router/<strategy>`. */
    source: string;
    latencyMs: number;
    reasoning: string;
    /** The error of a strategy that was skipped. */
    error?: string;
  };
}

export interface ModelRouterOptions {
  availability: ModelAvailability;
  clock?: Clock;
  /** Whether preview models may be used. Default true. */
  preview?: boolean;
  /** The Gemini API's unless another is given. */
  catalogue?: ModelCatalogue | undefined;
  /** Whether plan mode chooses the model of `auto`. Default true. */
  planRouting?: boolean;
  /** Whether a small model grades the difficulty of the request. Default false; needs `askJson`. */
  classify?: boolean;
  askJson?: AskJson;
}

interface Choice {
  model: string;
  reasoning: string;
}

interface Strategy {
  source: string;
  decide: (context: RoutingContext) => Choice | undefined | Promise<Choice | undefined>;
}

const ROUTER = 'agent-router';
const MAX_CLASSIFIER_MS = 5_000;

export class ModelRouter {
  private readonly options: ModelRouterOptions;
  private readonly strategies: readonly Strategy[] = [
    { source: 'fallback', decide: (context) => this.fallback(context) },
    { source: 'override', decide: (context) => this.override(context) },
    { source: 'approval-mode', decide: (context) => this.approvalMode(context) },
    { source: 'classifier', decide: (context) => this.classifyByName(context) },
    { source: 'numerical_classifier', decide: (context) => this.classifyByNumber(context) },
  ];

  constructor(options: ModelRouterOptions) {
    this.options = options;
  }

  /** Rejects only with an AbortError. */
  async route(context: RoutingContext): Promise<RoutingDecision> {
    const { clock = systemClock } = this.options;
    const start = clock.now();
    let skipped: unknown;
    const decided = (source: string, { model, reasoning }: Choice): RoutingDecision => ({
      model,
      metadata: {
        source: `${ROUTER}/${source}`,
        latencyMs: clock.now() - start,
        reasoning,
        ...(skipped !== undefined && { error: getErrorMessage(skipped) }),
      },
    });
    for (const { source, decide } of this.strategies) {
      throwIfAborted(context.signal);
      try {
        const choice = await decide(context);
        if (choice) return decided(source, choice);
      } catch (error) {
        // A strategy is optional; the next one decides instead.
        skipped ??= error;
      }
    }
    throwIfAborted(context.signal);
    return decided('default', { model: this.resolve(context.requestedModel), reasoning: 'The configured model.' });
  }

  private fallback({ requestedModel, approvalMode }: RoutingContext): Choice | undefined {
    const { availability, catalogue } = this.options;
    const requested = this.resolve(requestedModel);
    const snapshot = availability.snapshot(requested);
    if (snapshot.available) return undefined;
    const chain = policyChain(requested, { requestedModel, plan: approvalMode === 'plan', catalogue });
    const { model } = availability.selectFirstAvailable(chain.map((entry) => entry.model));
    if (model === undefined) return undefined;
    return { model, reasoning: `${requested} is unavailable (${snapshot.reason}).` };
  }

  private override({ requestedModel }: RoutingContext): Choice | undefined {
    if (isAutoModel(requestedModel, this.options.catalogue)) return undefined;
    return { model: this.resolve(requestedModel), reasoning: 'The user named the model.' };
  }

  private approvalMode({ requestedModel, approvalMode, hasApprovedPlan }: RoutingContext): Choice | undefined {
    if (this.options.planRouting === false) return undefined;
    if (approvalMode === 'plan')
      return { model: this.variant(requestedModel, 'pro'), reasoning: 'The agent is planning.' };
    if (!hasApprovedPlan) return undefined;
    return { model: this.variant(requestedModel, 'flash'), reasoning: 'The agent carries out an approved plan.' };
  }

  private classifyByName(context: RoutingContext): Promise<Choice | undefined> | undefined {
    const answersCalls = toParts(context.request).some((part) => part.functionResponse !== undefined);
    return this.isGraded(context) || answersCalls ? undefined : this.classify('choice', context);
  }

  private classifyByNumber(context: RoutingContext): Promise<Choice | undefined> | undefined {
    return this.isGraded(context) ? this.classify('number', context) : undefined;
  }

  private isGraded({ requestedModel }: RoutingContext): boolean {
    return this.factsOf(requestedModel).gradedBy === 'number';
  }

  private async classify(by: ModelFacts['gradedBy'], context: RoutingContext): Promise<Choice | undefined> {
    const { askJson, classify = false, availability } = this.options;
    if (!classify || !askJson) return undefined;
    const { choiceClassifier, numericalClassifier } = await import('./classifier.ts');
    const classifier = by === 'number' ? numericalClassifier : choiceClassifier;
    const verdict = await this.askWithinLimit(askJson, classifier, context);
    if (!verdict) throw new Error('The classifier returned an invalid answer.');
    const model = this.variant(context.requestedModel, verdict.choice);
    return availability.snapshot(model).available ? { model, reasoning: verdict.reasoning } : undefined;
  }

  private async askWithinLimit(
    askJson: AskJson,
    classifier: Classifier,
    context: RoutingContext,
  ): Promise<Verdict | undefined> {
    const { toClassifierContents } = await import('./classifier.ts');
    const settled = new AbortController();
    const signal = AbortSignal.any([context.signal, settled.signal]);
    const question = {
      model: 'classifier',
      contents: toClassifierContents(classifier, context),
      systemInstruction: classifier.systemInstruction,
      signal,
      prompt_id: context.prompt_id ?? '',
      role: 'utility_router',
    } as const;
    const tooLate = (this.options.clock ?? systemClock).sleep(MAX_CLASSIFIER_MS, signal).then(() => {
      throw new Error(`The classifier took longer than ${MAX_CLASSIFIER_MS} ms.`);
    });
    try {
      const answer = await Promise.race([tooLate, settledAnswer(() => askJson(question, classifier.schema))]);
      return answer && classifier.read(answer);
    } finally {
      // Cancels the one that is still running.
      settled.abort();
    }
  }

  /** The stronger or the faster model of the requested family. */
  private variant(requestedModel: string, choice: 'pro' | 'flash'): string {
    return this.factsOf(requestedModel).variants?.[choice] ?? this.resolve(choice);
  }

  private factsOf(requestedModel: string): ModelFacts {
    return factsOf(this.resolve(requestedModel), this.options.catalogue);
  }

  private resolve(model: string): string {
    const { preview = true, catalogue } = this.options;
    return resolveModel(model, { preview, catalogue });
  }
}

/** A throw of `ask` itself becomes a rejection like any other. */
async function settledAnswer<T>(ask: () => Promise<T>): Promise<T> {
  return ask();
}

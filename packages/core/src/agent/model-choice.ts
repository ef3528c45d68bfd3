/**
 * ModelChoice: selects the model that answers. It keeps the user's requested model, asks the
 * router once per prompt, and accepts the substitute for an unavailable model. A choice holds
 * for the prompt it was made for.
 */

import type { ChooseModel } from '../client/before-turn.ts';
import type { UtilityModel } from '../client/utility-model.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { ModelAvailability } from '../routing/availability.ts';
import { createFallback } from '../routing/fallback.ts';
import type { Fallback } from '../routing/fallback.ts';
import { applyModelSelection } from '../routing/model-selection.ts';
import type { ModelSelectionSource } from '../routing/model-selection.ts';
import { resolveModel } from '../routing/models.ts';
import { policyChain } from '../routing/fallback-chains.ts';
import { ModelRouter } from '../routing/router.ts';
import type { Content } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import type { AgentFeatures, AgentOptions } from './agent-options.ts';

export interface ModelChoiceOptions {
  /** As the user named it. */
  readonly model: string;
  readonly preview: boolean;
  readonly catalogue: ModelCatalogue;
  readonly features: AgentFeatures;
  readonly interactive: boolean;
  readonly utility: UtilityModel;
  readonly clock: Clock;
  readonly planning: AgentOptions['planning'];
  readonly telemetry: AgentOptions['telemetry'];
  /** Called only if a strategy reads it. */
  readonly history: () => Content[];
  /** Called once per prompt with the requested model, before its facts are read. */
  readonly prepare?: ((model: string) => Promise<unknown>) | undefined;
  /** Called before each turn with the selected model; `former` is the one before the user changed it. */
  readonly onChosen: (model: string, former: string | undefined) => void | Promise<void>;
}

export class ModelChoice {
  /** The model of the first request, unless the router selects another. */
  readonly resolved: string;
  readonly fallback: Fallback;
  private readonly options: ModelChoiceOptions;
  private readonly availability: ModelAvailability;
  private readonly selectionSource: ModelSelectionSource;
  private readonly router: ModelRouter;
  private requestedModel: string;
  private chosen: { prompt_id: string; model: string } | undefined;
  /** The model that answered before the user named another one. */
  private former: string | undefined;

  constructor(options: ModelChoiceOptions) {
    const { model, preview, catalogue, features, interactive, utility, clock, telemetry } = options;
    this.options = options;
    this.requestedModel = model;
    this.resolved = resolveModel(model, { preview, catalogue });
    this.availability = new ModelAvailability(clock);
    const chainFor = (each: string) => this.chainFor(each);
    this.selectionSource = { availability: this.availability, chainFor };
    this.fallback = createFallback({
      availability: this.availability,
      chainFor,
      interactive,
      onSwitch: () => telemetry?.note({ kind: 'model_replaced' }),
    });
    this.router = new ModelRouter({
      availability: this.availability,
      clock,
      preview,
      catalogue,
      planRouting: features.planRouting ?? true,
      classify: features.classifyRequests ?? false,
      askJson: (question, schema) => utility.generateJson(question, schema),
    });
  }

  get requested(): string {
    return this.requestedModel;
  }

  /** The model that currently answers. */
  get current(): string {
    return this.chosen?.model ?? this.former ?? this.resolved;
  }

  /** Takes effect with the next turn. */
  request(model: string): void {
    this.former = this.current;
    this.requestedModel = model;
    this.chosen = undefined;
    this.options.telemetry?.note({ kind: 'model_chosen', model });
  }

  readonly choose: ChooseModel = async (question) => {
    const isNew = this.chosen?.prompt_id !== question.prompt_id;
    if (isNew) await this.prepare();
    const wanted = isNew ? await this.route(question) : this.current;
    const { model } = applyModelSelection(this.selectionSource, { model: wanted });
    this.chosen = { prompt_id: question.prompt_id, model };
    const { former } = this;
    this.former = undefined;
    await this.options.onChosen(model, former);
    return { model, isNew };
  };

  private async prepare(): Promise<void> {
    try {
      await this.options.prepare?.(this.requestedModel);
    } catch {
      // The request fails with the same sentence.
    }
  }

  private async route({ request, prompt_id, signal }: Parameters<ChooseModel>[0]): Promise<string> {
    const { history, planning, telemetry } = this.options;
    this.availability.resetTurn();
    const { model, metadata } = await this.router.route({
      requestedModel: this.requestedModel,
      // Copied only if a strategy reads it: most decide without it, and a session may be long.
      get history() {
        return history();
      },
      request: [...request],
      prompt_id,
      signal,
      ...planning?.(),
    });
    telemetry?.note({ kind: 'model_routed', model, ...metadata, ...planning?.() });
    return model;
  }

  private chainFor(model: string): ReturnType<typeof policyChain> {
    const plan = this.options.planning?.().approvalMode === 'plan';
    return policyChain(model, { requestedModel: this.requestedModel, plan, catalogue: this.options.catalogue });
  }
}

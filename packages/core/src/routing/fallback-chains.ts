/**
 * Converts a chain of the catalogue into policies: which models replace which, and whether the user is asked. A
 * policy applies when its own model fails; the next entry replaces that model. Pure; availability is not known here.
 */

import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { isAutoModel, resolveModel } from './models.ts';

/** The kind of failure that exhausted a model's attempts. */
export type FailureKind =
  /** The quota is exhausted. */
  | 'terminal'
  /** Too many requests, no capacity, or a failure of the service. */
  | 'transient'
  | 'not_found';

/** `silent`: the next model takes over without a question. `prompt`: the user is asked. */
export type FallbackAction = 'silent' | 'prompt';
export type FailureState = 'terminal' | 'sticky_retry';

export interface ModelPolicy {
  model: string;
  /** Tried even when no model is known to be available. */
  isLastResort: boolean;
  /** Requests before the model is abandoned, including the first. */
  maxAttempts: number;
  actions: Readonly<Record<FailureKind, FallbackAction>>;
  states: Readonly<Record<FailureKind, FailureState>>;
}

export type PolicyChain = readonly ModelPolicy[];

export interface PolicyChainOptions {
  /** The model as configured, unresolved: `auto` leaves the choice to the router. */
  requestedModel: string;
  /** In plan mode the user is not asked. */
  plan?: boolean;
  catalogue?: ModelCatalogue | undefined;
}

const MAX_ATTEMPTS = 10;
const ALL_PROMPT = { terminal: 'prompt', transient: 'prompt', not_found: 'prompt' } as const;
const ALL_SILENT = { terminal: 'silent', transient: 'silent', not_found: 'silent' } as const;
const ALL_TERMINAL = { terminal: 'terminal', transient: 'terminal', not_found: 'terminal' } as const;

/** For a leading model that the router chose: a busy one is replaced for this prompt, and tried again in the next. */
const PATIENCE: Partial<ModelPolicy> = {
  maxAttempts: 3,
  actions: { ...ALL_PROMPT, transient: 'silent' },
  states: { ...ALL_TERMINAL, transient: 'sticky_retry' },
};

/** The chain that contains the model, starting with that model. Never empty. */
export function policyChain(model: string, options: PolicyChainOptions): PolicyChain {
  const { requestedModel, plan = false, catalogue = GEMINI_CATALOGUE } = options;
  const auto = isAutoModel(requestedModel, catalogue);
  const { chain, wraps } = chainOf(model, resolveModel(requestedModel, { catalogue }), auto, catalogue);
  const rotated = startAt(chain, model, auto || wraps);
  return plan ? rotated.map((entry) => ({ ...entry, actions: ALL_SILENT })) : rotated;
}

/** The chain of the requested model if it contains the model, else the first chain that does. */
function chainOf(
  model: string,
  requested: string,
  auto: boolean,
  { chains }: ModelCatalogue,
): { chain: PolicyChain; wraps: boolean } {
  const holding = chains.filter(({ leads, others }) => leads.includes(model) || others.includes(model));
  const found = holding.find(({ leads }) => leads.includes(requested)) ?? holding[0];
  if (!found) return { chain: [policy(model, { isLastResort: true })], wraps: false };
  const { leads, others, wraps = false, silent = false } = found;
  const lead = [model, requested].find((name) => leads.includes(name)) ?? leads[0] ?? model;
  if (silent) return { chain: [lead, ...others].map((each) => policy(each, { actions: ALL_SILENT })), wraps };
  const standIns = others.map((each, index) => policy(each, { isLastResort: index === others.length - 1 }));
  return { chain: [policy(lead, auto ? PATIENCE : {}), ...standIns], wraps };
}

function policy(model: string, differences: Partial<ModelPolicy> = {}): ModelPolicy {
  return {
    model,
    isLastResort: false,
    maxAttempts: MAX_ATTEMPTS,
    actions: ALL_PROMPT,
    states: ALL_TERMINAL,
    ...differences,
  };
}

function startAt(chain: PolicyChain, model: string, wrapsAround: boolean): PolicyChain {
  const index = chain.findIndex((entry) => entry.model === model);
  return wrapsAround ? [...chain.slice(index), ...chain.slice(0, index)] : chain.slice(index);
}

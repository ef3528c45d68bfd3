/**
 * Which models stand in for which, and whether the user is asked: a chain of the catalogue as policies. An entry
 * says what happens when its own model fails; the next entry takes over. Pure; availability is not known here.
 */

import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { isAutoModel, resolveModel } from './models.ts';

/** What kind of failure used a model's attempts up. */
export type FailureKind =
  /** The quota is spent. */
  | 'terminal'
  /** Too many requests, no room, or the service failed. */
  | 'transient'
  | 'not_found';

/** `silent`: the next model takes over unasked. `prompt`: the user is asked. */
export type FallbackAction = 'silent' | 'prompt';
export type FailureState = 'terminal' | 'sticky_retry';

export interface ModelPolicy {
  model: string;
  /** Asked even when nothing is known to be available. */
  isLastResort: boolean;
  /** Requests before the model is given up, the first included. */
  maxAttempts: number;
  actions: Readonly<Record<FailureKind, FallbackAction>>;
  states: Readonly<Record<FailureKind, FailureState>>;
}

export type PolicyChain = readonly ModelPolicy[];

export interface PolicyChainOptions {
  /** The model as it was configured, unresolved: `auto` leaves the choice to us. */
  requestedModel: string;
  /** In plan mode nothing is asked. */
  plan?: boolean;
  catalogue?: ModelCatalogue | undefined;
}

const MAX_ATTEMPTS = 10;
const ALL_PROMPT = { terminal: 'prompt', transient: 'prompt', not_found: 'prompt' } as const;
const ALL_SILENT = { terminal: 'silent', transient: 'silent', not_found: 'silent' } as const;
const ALL_TERMINAL = { terminal: 'terminal', transient: 'terminal', not_found: 'terminal' } as const;

/** Of a leading model that the router chose: a busy one is left for its stand-in, and tried again. */
const PATIENCE: Partial<ModelPolicy> = {
  maxAttempts: 3,
  actions: { ...ALL_PROMPT, transient: 'silent' },
  states: { ...ALL_TERMINAL, transient: 'sticky_retry' },
};

/** The chain a model stands in, beginning with that model. Never empty. */
export function policyChain(model: string, options: PolicyChainOptions): PolicyChain {
  const { requestedModel, plan = false, catalogue = GEMINI_CATALOGUE } = options;
  const auto = isAutoModel(requestedModel, catalogue);
  const { chain, wraps } = chainOf(model, resolveModel(requestedModel, { catalogue }), auto, catalogue);
  const rotated = startAt(chain, model, auto || wraps);
  return plan ? rotated.map((entry) => ({ ...entry, actions: ALL_SILENT })) : rotated;
}

/** The chain of the requested model, while the model is in it, else the first that holds the model. */
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

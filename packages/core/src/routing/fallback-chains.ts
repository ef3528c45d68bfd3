/**
 * Which models stand in for which, and how loudly: the chains, as data. An entry
 * says what happens when its own model fails; the next entry of the chain is who
 * takes over. Pure; what is available at the moment is not known here.
 */

import {
  GEMINI_2_5_FLASH,
  GEMINI_2_5_PRO,
  GEMINI_3_1_FLASH_LITE,
  GEMINI_3_FLASH_PREVIEW,
  GEMINI_3_PRO_PREVIEW,
  isAutoModel,
  resolveModel,
} from './models.ts';

/** What kind of failure used a model's attempts up. */
export type FailureKind =
  /** The quota is spent. */
  | 'terminal'
  /** Too many requests, no room, or the service failed. */
  | 'transient'
  | 'not_found';

/** `silent`: the next model takes over unasked. `prompt`: the person is asked. */
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
}

const MAX_ATTEMPTS = 10;
const ALL_PROMPT = { terminal: 'prompt', transient: 'prompt', not_found: 'prompt' } as const;
const ALL_SILENT = { terminal: 'silent', transient: 'silent', not_found: 'silent' } as const;
const ALL_TERMINAL = { terminal: 'terminal', transient: 'terminal', not_found: 'terminal' } as const;

/** Members of the preview chain that lead with another model than its first. */
const PREVIEW_PRO_MODELS: ReadonlySet<string> = new Set([
  GEMINI_3_PRO_PREVIEW,
  'gemini-3.1-pro-preview',
  'gemini-3.1-pro-preview-customtools',
]);

const LITE_CHAIN: PolicyChain = [GEMINI_3_1_FLASH_LITE, GEMINI_2_5_FLASH, GEMINI_2_5_PRO].map((model) =>
  policy(model, { actions: ALL_SILENT }),
);

/** The chain a model stands in, beginning with that model. Never empty. */
export function policyChain(model: string, options: PolicyChainOptions): PolicyChain {
  const auto = isAutoModel(options.requestedModel);
  const { chain, wraps } = chainOf(model, resolveModel(options.requestedModel), auto);
  const rotated = startAt(chain, model, auto || wraps);
  return options.plan ? rotated.map((entry) => ({ ...entry, actions: ALL_SILENT })) : rotated;
}

function chainOf(model: string, requested: string, auto: boolean): { chain: PolicyChain; wraps: boolean } {
  if (PREVIEW_PRO_MODELS.has(model)) return { chain: proAndFlash(model, GEMINI_3_FLASH_PREVIEW, auto), wraps: true };
  if (model === GEMINI_3_FLASH_PREVIEW) {
    const pro = PREVIEW_PRO_MODELS.has(requested) ? requested : GEMINI_3_PRO_PREVIEW;
    return { chain: proAndFlash(pro, GEMINI_3_FLASH_PREVIEW, auto), wraps: true };
  }
  const isStandingInForLite = requested === GEMINI_3_1_FLASH_LITE && LITE_CHAIN.some((entry) => entry.model === model);
  if (model === GEMINI_3_1_FLASH_LITE || isStandingInForLite) return { chain: LITE_CHAIN, wraps: false };
  if (model === GEMINI_2_5_PRO || model === GEMINI_2_5_FLASH) {
    return { chain: proAndFlash(GEMINI_2_5_PRO, GEMINI_2_5_FLASH, auto), wraps: false };
  }
  return { chain: [policy(model, { isLastResort: true })], wraps: false };
}

function proAndFlash(pro: string, flash: string, auto: boolean): PolicyChain {
  const patience: Partial<ModelPolicy> = {
    maxAttempts: 3,
    actions: { ...ALL_PROMPT, transient: 'silent' },
    states: { ...ALL_TERMINAL, transient: 'sticky_retry' },
  };
  return [policy(pro, auto ? patience : {}), policy(flash, { isLastResort: true })];
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

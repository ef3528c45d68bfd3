/**
 * ModelConfigs: resolves a model or an alias to the settings of a request. An alias refines another, down to a root;
 * matching overrides then change the result. It owns the order of merging and rejects unresolvable aliases. Objects
 * merge key by key, arrays and everything else are replaced.
 */

import type { GenerateContentConfig } from '../protocol/content.ts';
import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type {
  ModelCatalogue,
  ModelConfigAlias,
  ModelConfigAliases,
  ModelConfigValues,
} from '../provider/catalogue/model-catalogue.ts';
import type { ModelConfigKey, ModelConfigResolver, ResolvedModelConfig } from './model-config.ts';
import { factsOf, resolveModel } from './models.ts';
import type { ResolveModelOptions } from './models.ts';
import { isRecord } from '../util/is-record.ts';

export interface ModelConfigOverride {
  /**
   * Every given key must match. `model` matches the requested alias, any alias it extends, and the model they resolve
   * to.
   */
  match: { model?: string; overrideScope?: string; isRetry?: boolean };
  modelConfig: ModelConfigValues;
}

/** Presets and overrides from the settings; see model-config-settings.ts. */
export interface ModelConfigChanges {
  /** Replaces built-in aliases of the same name. */
  aliases?: ModelConfigAliases;
  /** Added to the built-in aliases; replaces one of the same name. */
  customAliases?: ModelConfigAliases;
  overrides?: readonly ModelConfigOverride[];
  /** Applied after `overrides`: of two equally specific matches, the later wins. */
  customOverrides?: readonly ModelConfigOverride[];
}

export interface ModelConfigsOptions extends ResolveModelOptions, ModelConfigChanges {
  /** The model of the conversation; the requests beside it go to the small model of the same provider. */
  mainModel?: () => string;
}

/** An alias in the user's settings is invalid; the message names it as the settings do. */
export class ModelConfigError extends Error {
  override readonly name = 'ModelConfigError';
}

interface DescribedModel {
  names: readonly string[];
  values: ModelConfigValues;
}

/** The default scope of a request. */
const DEFAULT_SCOPE = 'core';

/** Throws ModelConfigError when an alias extends a missing alias, or itself. */
export function createModelConfigResolver(options: ModelConfigsOptions = {}): ModelConfigResolver {
  const configs = new ModelConfigs(options);
  return (key) => configs.resolve(key);
}

export class ModelConfigs {
  private readonly aliases: ReadonlyMap<string, ModelConfigAlias>;
  private readonly overrides: readonly ModelConfigOverride[];
  private readonly catalogue: ModelCatalogue;
  private readonly resolveOptions: ResolveModelOptions;
  private readonly mainModel: (() => string) | undefined;
  /** Aliases of the settings; they name a model on purpose. */
  private readonly ownAliases: ReadonlySet<string>;
  /** Of the aliases so far: every request asks, and the aliases never change. */
  private readonly described = new Map<string, DescribedModel>();

  constructor(options: ModelConfigsOptions = {}) {
    const { aliases = {}, customAliases = {}, overrides = [], customOverrides = [], ...others } = options;
    const { mainModel, ...resolveOptions } = others;
    this.mainModel = mainModel;
    this.ownAliases = new Set([...Object.keys(aliases), ...Object.keys(customAliases)]);
    this.catalogue = options.catalogue ?? GEMINI_CATALOGUE;
    this.aliases = new Map(Object.entries({ ...this.catalogue.presets, ...aliases, ...customAliases }));
    this.overrides = [...overrides, ...customOverrides];
    this.resolveOptions = resolveOptions;
    for (const name of this.aliases.keys()) this.chainOf(name);
  }

  /** The settings are the caller's own copy. Throws ModelConfigError for an alias without a model. */
  resolve(key: ModelConfigKey): ResolvedModelConfig {
    const utilityModel = this.utilityModelFor(key.model.trim());
    // Another provider's small model gets none of the presets' sampling, which it may reject.
    if (utilityModel !== undefined) return { model: utilityModel, config: {} };
    const { names, values } = this.describe(key.model.trim());
    const matching = this.matchingOverrides(key, names, values.model);
    const { model, generateContentConfig = {} } = matching.reduce(mergeValues, values);
    if (model === undefined) {
      throw new ModelConfigError(`The model alias "${key.model}" has no model; it can only be extended.`);
    }
    return { model: resolveModel(model, this.resolveOptions), config: copyOf(generateContentConfig) };
  }

  /** The model of a built-in purpose where the provider of the conversation has one of its own. */
  private utilityModelFor(asked: string): string | undefined {
    if (!Object.hasOwn(this.catalogue.presets, asked) || this.ownAliases.has(asked)) return undefined;
    const main = this.mainModel?.();
    return main === undefined ? undefined : this.catalogue.find(main)?.utilityModel;
  }

  /** The names that match a request, from the root to the requested one, and their merged values. */
  private describe(asked: string): DescribedModel {
    if (this.aliases.has(asked)) return this.describeAlias(asked);
    const model = resolveModel(asked, this.resolveOptions);
    const known = this.aliases.has(model) ? model : undefined;
    const { names, values } = this.describeAlias(known ?? factsOf(model, this.catalogue).chatPreset);
    return { names: [...new Set([...names, model, asked])], values: known ? values : { ...values, model } };
  }

  private describeAlias(name: string): DescribedModel {
    const known = this.described.get(name);
    if (known) return known;
    const names = this.chainOf(name).toReversed();
    const values = names.map((alias) => this.aliases.get(alias)?.modelConfig ?? {}).reduce(mergeValues, {});
    this.described.set(name, { names, values });
    return { names, values };
  }

  /** From the alias up to its root. */
  private chainOf(name: string): readonly string[] {
    const chain: string[] = [];
    for (let next: string | undefined = name; next !== undefined; next = this.aliases.get(next)?.extends) {
      const from = chain.at(-1);
      if (!this.aliases.has(next)) throw new ModelConfigError(unusable(from, `"${next}", which does not exist`));
      if (chain.includes(next)) throw new ModelConfigError(unusable(from, `"${next}", and so in the end itself`));
      chain.push(next);
    }
    return chain;
  }

  /** General overrides before specific ones, so that the specific one wins. */
  private matchingOverrides(key: ModelConfigKey, names: readonly string[], named: string | undefined) {
    if (this.overrides.length === 0) return [];
    const model = this.concrete(named);
    const depthOf = ({ match }: ModelConfigOverride) =>
      match.model === undefined ? 0 : names.includes(match.model) ? names.indexOf(match.model) + 2 : 1;
    return this.overrides
      .filter(({ match }) => fits(match, key, [...names, ...(model === undefined ? [] : [model])]))
      .toSorted((a, b) => depthOf(a) - depthOf(b) || specificity(a) - specificity(b))
      .map(({ modelConfig }) => modelConfig);
  }

  private concrete(model: string | undefined): string | undefined {
    return model === undefined ? undefined : resolveModel(model, this.resolveOptions);
  }
}

function unusable(alias: string | undefined, reason: string): string {
  return `modelConfigs.customAliases: the alias "${alias}" extends ${reason}.`;
}

function fits({ model, overrideScope, isRetry }: ModelConfigOverride['match'], key: ModelConfigKey, names: string[]) {
  return (
    (model === undefined || names.includes(model)) &&
    (overrideScope === undefined || overrideScope === (key.overrideScope ?? DEFAULT_SCOPE)) &&
    (isRetry === undefined || isRetry === (key.isRetry ?? false))
  );
}

function specificity({ match }: ModelConfigOverride): number {
  return Object.values(match).filter((value) => value !== undefined).length;
}

function mergeValues(under: ModelConfigValues, over: ModelConfigValues): ModelConfigValues {
  const model = over.model ?? under.model;
  return {
    ...(model !== undefined && { model }),
    generateContentConfig: deepMerge(under.generateContentConfig ?? {}, over.generateContentConfig ?? {}),
  };
}

function deepMerge(under: GenerateContentConfig, over: GenerateContentConfig): GenerateContentConfig {
  return mergeObjects({ ...under }, { ...over });
}

function mergeObjects(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    if (value === undefined) continue;
    merged.set(key, isRecord(below) && isRecord(value) ? mergeObjects(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Of plain data, as settings are. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const [key, item] of Object.entries(copy)) if (typeof item === 'object') copy[key] = copyOf(item);
  return copy as T;
}

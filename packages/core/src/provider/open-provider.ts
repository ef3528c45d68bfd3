/**
 * Opens a provider: loads its protocol, and only that, and joins it with the endpoint. It reads no environment and no
 * settings; the caller has resolved them.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import { debugLogger } from '../util/debug-logger.ts';
import { type ModelTable, bundledModels } from './catalogue/bundled-models.ts';
import { familyOf } from './catalogue/model-families.ts';
import { PLAIN_PRESET } from './catalogue/plain-preset.ts';
import { type KnownModels, type ProviderModels, createProviderModels } from './catalogue/provider-catalogue.ts';
import type { ChatQuirks } from './chat-completions/quirks.ts';
import type { ProtocolName } from './providers.ts';
import { withoutRejectedFormats } from './wire/rejected-formats.ts';
import { withoutRejectedTools } from './wire/rejected-tools.ts';
import { withToolsNotice } from './wire/tools-notice.ts';
import { type WireGenerator, type WireGeneratorOptions, createWireGenerator } from './wire/wire-generator.ts';
import type { ProtocolOptions, WireEndpoint, WireProtocol } from './wire/wire-protocol.ts';

/** A provider as configured: a row of the table with the user's changes, and its credentials. */
export interface ProviderAccess {
  id: string;
  name: string;
  protocol: ProtocolName;
  endpoint: WireEndpoint;
  quirks?: ChatQuirks | undefined;
  /** The user's own facts about models. */
  models?: KnownModels | undefined;
  /** What the provider's own list said when the user last asked for it. */
  listed?: KnownModels | undefined;
  /** Whether another server than the vendor's answers; its prices are not known. */
  isForeign?: boolean | undefined;
  /** A newer table of models than the bundled one. */
  table?: ModelTable | undefined;
  smallModel?: string | undefined;
  /** The cloud that serves the protocol in its own form. */
  cloud?: 'vertex' | undefined;
  cacheKey?: string | undefined;
}

export interface OpenProvider {
  access: ProviderAccess;
  generator: WireGenerator;
  models: ProviderModels;
  /** Adds what the server itself says of a model. A server that says nothing in time leaves it unknown. Never rejects. */
  describe(model: string): Promise<void>;
}

export async function openProvider(access: ProviderAccess, options: WireGeneratorOptions = {}): Promise<OpenProvider> {
  const { endpoint, quirks = {}, smallModel } = access;
  const models = createProviderModels({
    fromSettings: access.models,
    bundled: bundledModels(access.id, { updated: access.table, isForeign: access.isForeign }),
    familyOf,
    isLocal: endpoint.isLocal,
    smallModel,
  });
  for (const [model, known] of Object.entries(access.listed ?? {})) models.learn(model, known);
  const protocol = await loadProtocol(access.protocol, {
    provider: access.id,
    endpoint,
    factsOf: models.factsOf,
    quirks,
    cloud: access.cloud,
    cacheKey: access.cacheKey,
  });
  const catalogue = {
    find: models.factsOf,
    unknown: models.factsOf(''),
    aliases: {},
    stableModels: {},
    presets: { [PLAIN_PRESET]: { modelConfig: {} } },
    chains: [],
    prices: {},
  };
  const headersTimeoutMs = options.headersTimeoutMs ?? quirks.headersTimeoutMs;
  const wire = createWireGenerator({ protocol, endpoint, catalogue }, { ...options, headersTimeoutMs });
  const sendsForm = (model: string) =>
    (protocol.takesFormBesideTools?.(model) ?? false) || models.factsOf(model).tools === false;
  const generator = withToolsNotice(withoutRejectedTools(withoutRejectedFormats(wire, sendsForm)), models.factsOf);
  const describe = createDescriber(access, models, options);
  return { access, generator, models, describe };
}

/**
 * Servers that users run themselves, perhaps on another machine: only they know the window they allot. A gateway on this
 * machine is not asked: its list of models says as little as its vendors'.
 */
const OWN_SERVERS = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm']);
/** A start does not wait longer for facts that it can do without. */
const DESCRIBE_LIMIT_MS = 2_000;

/** Asks once for each model. */
function createDescriber(
  access: ProviderAccess,
  models: ProviderModels,
  options: WireGeneratorOptions,
): OpenProvider['describe'] {
  const { id, protocol, endpoint } = access;
  const asked = new Map<string, Promise<void>>();
  const isAsked = protocol === 'ollama' || OWN_SERVERS.has(id);

  async function ask(model: string): Promise<void> {
    const { describeModel } = await import('./catalogue/describe-model.ts');
    const signal = AbortSignal.timeout(DESCRIBE_LIMIT_MS);
    try {
      const isWindowSet = access.models?.[model]?.contextWindow !== undefined;
      models.learn(model, await describeModel({ ...options, id, protocol, endpoint, signal, isWindowSet }, model));
    } catch (error) {
      debugLogger.warn(`${id} does not describe ${model}: ${getErrorMessage(error)}`);
    }
  }

  return async (model) => {
    if (!isAsked) return;
    const answer = asked.get(model) ?? ask(model);
    asked.set(model, answer);
    await answer;
  };
}

/** Each protocol is its own chunk: a run loads the one it speaks. */
const PROTOCOLS: Partial<Record<ProtocolName, (options: ProtocolOptions) => Promise<WireProtocol>>> = {
  anthropic: async (options) => (await import('./anthropic/protocol.ts')).createAnthropicProtocol(options),
  chat: async (options) => (await import('./chat-completions/protocol.ts')).createChatProtocol(options),
  ollama: async (options) => (await import('./ollama/protocol.ts')).createOllamaProtocol(options),
  responses: async (options) => (await import('./responses/protocol.ts')).createResponsesProtocol(options),
  gemini: async () => (await import('./gemini/generator.ts')).GEMINI_PROTOCOL,
};

async function loadProtocol(name: ProtocolName, options: ProtocolOptions): Promise<WireProtocol> {
  const load = PROTOCOLS[name];
  if (!load)
    throw new TypeError(`Unknown protocol ${JSON.stringify(name)}; known: ${Object.keys(PROTOCOLS).join(', ')}.`);
  return load(options);
}

/**
 * createAgent: constructs the runtime and wires it. `wireAgent` is the one place that does so, for workspace agents
 * too. Long and boring on purpose: every room gets the few things it uses, as plain fields.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GeminiChat } from '../chat/gemini-chat.ts';
import type { GeminiClient } from '../client/gemini-client.ts';
import { UtilityModel } from '../client/utility-model.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { createModelConfigResolver } from '../routing/model-configs.ts';
import { catalogueOf, factsOf, resolveModel, tokenLimit } from '../routing/models.ts';
import type { Tool } from '../protocol/content.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import { createAgentClient } from './agent-client.ts';
import type { AgentOptions, WiringOptions } from './agent-options.ts';
import { AgentSession } from './agent-session.ts';
import { EventInbox } from './event-inbox.ts';
import { createSessionId } from '../records/session-id.ts';
import { openSpending } from '../spending/open-spending.ts';
import type { Spending } from '../spending/open-spending.ts';
import type { Ledger } from '../spending/ledger.ts';
import { LazyScheduler } from './lazy-scheduler.ts';
import { ModelChoice } from './model-choice.ts';
import { ModelWatch } from './model-watch.ts';
import type { RequestBase } from './model-watch.ts';

const CHARACTERS_PER_TOKEN = 4;

export interface Agent {
  session: AgentSession;
  client: GeminiClient;
  chat: GeminiChat;
  ledger: Ledger;
  tools: ToolRegistry;
  /** The model or alias that the next prompt requests. */
  requestedModel(): string;
  /** The largest number of tokens in a request to the model or alias. */
  tokenLimit(model: string): number;
  /** Takes effect with the next turn. */
  setModel(model: string): void;
  /** Disables loop detection for this session. */
  disableLoopDetection(): void;
  /** For facts only a surface knows; absent when telemetry is off. */
  telemetry?: TelemetryPort;
}

/** Throws BudgetError for a limit that cannot be enforced, and ModelConfigError for unusable presets. */
export function createAgent(options: AgentOptions): Agent {
  const { clock = systemClock, sessionId = createSessionId(clock), tempDirectory } = options;
  let folder = tempDirectory;
  const wiring = {
    ...options,
    sessionId,
    tempDirectory: () => (folder ??= mkdtempSync(join(tmpdir(), 'castor-agent-'))),
  };
  return wireAgent(wiring, openSpending(options, clock));
}

/** For an agent whose tools share its ledger, budget and inbox: the caller opens those before the tools. */
export function wireAgent(
  options: WiringOptions,
  { ledger, budget, generator }: Spending,
  inbox = new EventInbox(),
): Agent {
  const { clock = systemClock, interactive = false, limits = {}, features = {}, telemetry, planning } = options;
  const { preview = true } = features;
  const catalogue = catalogueOf(generator);
  const tools = options.tools ?? new ToolRegistry();
  tools.follow((change) => inbox.post({ type: 'tools_changed', ...change }));
  const resolveConfig = createModelConfigResolver({
    preview,
    catalogue,
    mainModel: () => serviceName(choice.current),
    ...options.modelConfigs,
  });
  // Only a user's own alias differs from the service's model name.
  const serviceName = (model: string) => (options.modelConfigs ? resolveConfig({ model }).model : model);
  const factsFor = (model: string) => factsOf(serviceName(model), catalogue);
  const limitOf = limits.tokenLimit ?? ((model: string) => tokenLimit(serviceName(model), catalogue));
  const watch = new ModelWatch(inbox);
  const utility = new UtilityModel({
    generator,
    resolveModel: resolveConfig,
    clock,
    onNotice: watch.relay,
    asksJson: () => factsFor(choice.current).asksAside !== false,
    onMalformedJson: (model) => telemetry?.note({ kind: 'malformed_json', model }),
  });
  const choice = new ModelChoice({
    model: options.model,
    preview,
    catalogue,
    features,
    interactive,
    utility,
    clock,
    planning,
    telemetry,
    history: () => chat.getHistory(true),
    prepare:
      generator.prepare &&
      ((model) => generator.prepare?.(serviceName(resolveModel(model, { preview, catalogue }))) ?? Promise.resolve()),
    onChosen: async (model, former) => {
      await options.fitModel?.(factsFor(model), chat);
      chat.setTools(declare(tools));
      const service = serviceName(model);
      const { isWindowAssumed = !catalogue.find(service) } = factsFor(model);
      const known = limits.tokenLimit ? false : isWindowAssumed;
      const chosen = { model: service, window: limitOf(model), isWindowAssumed: known, former };
      await watch.chosen(chosen, baseOf(chat));
    },
  });
  budget?.requirePriceOf(serviceName(choice.resolved));
  const chat = createChat(options, { generator, choice, clock, ledger, resolveConfig, onNotice: watch.relay });
  const common = { chat, choice, clock, tokenLimit: limitOf, factsOf: factsFor };
  const { client, loopDetection } = createAgentClient(options, {
    ...common,
    generator,
    utility,
    resolveConfig,
    onOverflow: async (model, window) => {
      if (window !== undefined) await watch.learned(serviceName(model), window);
    },
  });
  const scheduler = new LazyScheduler(async () => {
    const { createScheduler } = await import('./create-scheduler.ts');
    const taped = options.tapeTools?.(tools) ?? tools;
    return createScheduler(options, { ...common, tools: (await options.guardTools?.(taped)) ?? taped });
  });

  const session = new AgentSession({
    sessionId: options.sessionId,
    inbox,
    prepare: options.prepare,
    endAfter: options.endAfter,
    concealInput: options.concealInput,
    client,
    chat,
    scheduler,
    fallback: choice.fallback,
    record: (event, input) => {
      // A child session records, counts and reports its own events.
      if (event.parentCallId !== undefined) return;
      ledger.add(event);
      budget?.add(event);
      telemetry?.add(event);
      options.record?.(event, input);
    },
    ...withoutUndefined({
      budget,
      prompt_id: options.prompt_id,
      promptCount: options.promptCount,
    }),
  });

  return {
    session,
    client,
    chat,
    ledger,
    tools,
    requestedModel: () => choice.requested,
    tokenLimit: limitOf,
    setModel: (model) => {
      budget?.requirePriceOf(serviceName(resolveModel(model, { preview, catalogue })));
      choice.request(model);
    },
    disableLoopDetection: () => {
      loopDetection.disable();
      telemetry?.note({ kind: 'loop_detection_disabled' });
    },
    ...withoutUndefined({ telemetry }),
  };
}

interface ChatParts {
  generator: ContentGenerator;
  choice: ModelChoice;
  clock: Clock;
  ledger: Ledger;
  resolveConfig: ReturnType<typeof createModelConfigResolver>;
  onNotice: (sentence: string) => void;
}

function createChat(
  options: WiringOptions,
  { generator, choice, clock, ledger, resolveConfig, onNotice }: ChatParts,
): GeminiChat {
  return new GeminiChat({
    generator,
    model: choice.resolved,
    resolveModel: resolveConfig,
    fallback: choice.fallback,
    clock,
    onUnusableAnswer: (answer) => ledger.withdraw(answer),
    onNotice,
    ...withoutUndefined({
      systemInstruction: options.systemInstruction,
      history: options.history,
      retry: options.retry,
      hooks: options.hooks?.model,
      recorder: options.chatRecorder,
    }),
  });
}

/** What every request holds before the conversation. */
function baseOf(chat: GeminiChat): RequestBase {
  const { length } = chat.getSystemInstruction();
  const count = chat.getTools().flatMap(({ functionDeclarations = [] }) => functionDeclarations).length;
  return {
    mark: `${length} ${count}`,
    sentTokens: () => chat.getLastPromptTokenCount(),
    measure: () => Math.ceil((length + JSON.stringify(chat.getTools()).length) / CHARACTERS_PER_TOKEN),
  };
}

function declare(tools: ToolRegistry): Tool[] {
  const functionDeclarations = tools.declarations();
  return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
}

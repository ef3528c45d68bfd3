/**
 * createAgent: the one place that constructs the runtime and wires it. Long and
 * boring on purpose: every room gets the few things it uses, as plain fields.
 */

import { GeminiChat } from '../chat/gemini-chat.ts';
import type { ChatRecorder } from '../chat/chat-recorder.ts';
import type { ModelHooks } from '../chat/model-hooks.ts';
import type { AgentHooks } from '../client/agent-hooks.ts';
import type { GeminiClient } from '../client/gemini-client.ts';
import type { IdeState } from '../client/ide-context.ts';
import type { OutputMaskingOptions, SaveOutput } from '../client/tool-output-masking.ts';
import { UtilityModel } from '../client/utility-model.ts';
import type { ContentGenerator } from '../model/content-generator.ts';
import { createModelConfigResolver } from '../model/model-configs.ts';
import type { ModelConfigChanges } from '../model/model-configs.ts';
import { resolveModel, tokenLimit } from '../model/models.ts';
import type { RetryLimits } from '../model/retry-plan.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, Tool } from '../protocol/content.ts';
import { CoreToolScheduler } from '../scheduler/core-tool-scheduler.ts';
import type { CallRecorder, EditProposal, PolicyPort, ResultContext, ToolHooks } from '../scheduler/ports.ts';
import { outputThreshold } from '../tools/tool-output.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import type { ReportError } from '../turn/turn-error-handler.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import { createAgentClient } from './agent-client.ts';
import { AgentSession } from './agent-session.ts';
import type { AgentSessionOptions } from './agent-session.ts';
import { Budget } from './budget.ts';
import type { BudgetLimits } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';
import { Ledger } from './ledger.ts';
import type { LedgerOptions } from './ledger.ts';
import { createMeteredGenerator } from './metered-generator.ts';
import { ModelChoice } from './model-choice.ts';

export interface AgentOptions {
  generator: ContentGenerator;
  /** As the user named it: a model or an alias such as `auto`. */
  model: string;
  sessionId: string;
  /** Where output too long for the model is kept. */
  tempDirectory: string;
  tools?: ToolRegistry;
  /** Decides on every call; without it every call is allowed, so give none to a model you do not trust. */
  policy?: PolicyPort;
  systemInstruction?: string;
  history?: readonly Content[];
  /** What is left of the history when a hook clears it. */
  openingHistory?: readonly Content[];
  /** Whether somebody can answer questions while it runs. */
  interactive?: boolean;
  hooks?: { agent?: AgentHooks; model?: ModelHooks; tool?: ToolHooks } & Pick<AgentSessionOptions, 'takeHookMessages'>;
  limits?: AgentLimits;
  /** Things that are off unless asked for. */
  features?: AgentFeatures;
  ideState?: () => IdeState | undefined;
  saveOutput?: SaveOutput;
  outputMasking?: OutputMaskingOptions;
  /** Presets and overrides of the user's own. */
  modelConfigs?: ModelConfigChanges | undefined;
  /** Where planning is; it chooses between the models of `auto` while `features.planRouting` is not false. */
  planning?: () => PlanningState;
  editProposal?: EditProposal;
  chatRecorder?: ChatRecorder;
  callRecorder?: CallRecorder;
  /** What the model should read beside a result. */
  resultContext?: ResultContext;
  record?: (event: AgentEvent) => void;
  reportError?: ReportError;
  prices?: LedgerOptions['prices'];
  /** Given when `generator` already reports to it (and to `telemetry`); else there is a new one. */
  ledger?: Ledger;
  /** See openTelemetry. */
  telemetry?: TelemetryPort;
  /** What the session may spend: as limits, or as the one `generator` already asks. */
  budget?: BudgetLimits | Budget;
  retry?: RetryLimits;
  /** One id for all prompts of a program that runs once. */
  prompt_id?: string;
  clock?: Clock;
}

export interface AgentLimits {
  maxSessionTurns?: number;
  compressionThreshold?: number;
  /** Characters of tool output a model reads at once. */
  toolOutput?: number;
  tokenLimit?: (model: string) => number;
}

export interface PlanningState {
  approvalMode: string;
  /** Whether a plan was approved and is being carried out. */
  hasApprovedPlan: boolean;
}

export interface AgentFeatures {
  /** Whether preview models may be used. Default true. */
  preview?: boolean;
  nextSpeakerCheck?: boolean;
  continueOnFailedApiCall?: boolean;
  /** Default true. */
  loopDetection?: boolean;
  /** Ask a model about loops in long prompts. Default true. */
  loopJudge?: boolean;
  /** Whether `auto` plans with the larger model and carries out with the faster one. Default true. */
  planRouting?: boolean;
  /** Ask a small model how hard a request is when the model is `auto`. */
  classifyRequests?: boolean;
}

export interface Agent {
  session: AgentSession;
  client: GeminiClient;
  chat: GeminiChat;
  ledger: Ledger;
  tools: ToolRegistry;
  /** The model or alias the next prompt asks for. */
  requestedModel(): string;
  /** Takes effect with the next turn. */
  setModel(model: string): void;
  /** No answer is taken for a loop any more, in this session. */
  disableLoopDetection(): void;
  /** For what only a surface knows; absent when nothing is reported. */
  telemetry?: TelemetryPort;
}

/** Throws BudgetError when a limit cannot be held, and ModelConfigError for presets that cannot be used. */
export function createAgent(options: AgentOptions): Agent {
  const { clock = systemClock, interactive = false, limits = {}, features = {}, telemetry, planning } = options;
  const { preview = true } = features;
  const tools = options.tools ?? new ToolRegistry();
  const resolveConfig = createModelConfigResolver({ preview, ...options.modelConfigs });
  // Only a user's own alias is another name than the service's.
  const serviceName = (model: string) => (options.modelConfigs ? resolveConfig({ model }).model : model);
  const limitOf = limits.tokenLimit ?? ((model: string) => tokenLimit(serviceName(model)));

  const { ledger, budget, generator } = openSpending(options, clock);
  const utility = new UtilityModel({
    generator,
    resolveModel: resolveConfig,
    clock,
    onMalformedJson: (model) => telemetry?.note({ kind: 'malformed_json', model }),
  });
  const choice = new ModelChoice({
    model: options.model,
    preview,
    features,
    interactive,
    utility,
    clock,
    planning,
    telemetry,
    history: () => chat.getHistory(true),
    onChosen: () => chat.setTools(declare(tools)),
  });
  budget?.requirePriceOf(serviceName(choice.resolved));
  const chat = createChat(options, { generator, choice, clock, ledger, resolveConfig });
  const common = { chat, choice, clock, tokenLimit: limitOf };
  const { client, loopDetection } = createAgentClient(options, { ...common, generator, utility, resolveConfig });
  const scheduler = createScheduler(options, { ...common, tools });

  const session = new AgentSession({
    sessionId: options.sessionId,
    client,
    chat,
    scheduler: {
      run: (requests, signal) => scheduler.run(requests, signal),
      respond: (callId, outcome, payload) => {
        scheduler.respond(callId, outcome, payload);
        ledger.decided(callId, outcome);
      },
    },
    answerFallback: (requestId, intent) => choice.fallback.answer(requestId, intent),
    record: (event) => {
      ledger.add(event);
      budget?.add(event);
      telemetry?.add(event);
      options.record?.(event);
    },
    ...withoutUndefined({
      budget,
      takeHookMessages: options.hooks?.takeHookMessages,
      prompt_id: options.prompt_id,
    }),
  });

  return {
    session,
    client,
    chat,
    ledger,
    tools,
    requestedModel: () => choice.requested,
    setModel: (model) => {
      budget?.requirePriceOf(serviceName(resolveModel(model, { preview })));
      choice.request(model);
    },
    disableLoopDetection: () => {
      loopDetection.disable();
      telemetry?.note({ kind: 'loop_detection_disabled' });
    },
    ...withoutUndefined({ telemetry }),
  };
}

interface Spending {
  ledger: Ledger;
  budget: Budget | undefined;
  /** Counts what it spends, and stops where the budget ends. */
  generator: ContentGenerator;
}

function openSpending(options: AgentOptions, clock: Clock): Spending {
  const ledger = options.ledger ?? openLedger(options, clock);
  const budget = openBudget(options.budget, ledger, clock);
  const metered = options.ledger ? options.generator : meterGenerator(options, ledger, clock);
  const generator = budget && !(options.budget instanceof Budget) ? createBudgetedGenerator(metered, budget) : metered;
  return { ledger, budget, generator };
}

interface ChatParts {
  generator: ContentGenerator;
  choice: ModelChoice;
  clock: Clock;
  ledger: Ledger;
  resolveConfig: ReturnType<typeof createModelConfigResolver>;
}

function createChat(options: AgentOptions, { generator, choice, clock, ledger, resolveConfig }: ChatParts): GeminiChat {
  return new GeminiChat({
    generator,
    model: choice.resolved,
    resolveModel: resolveConfig,
    fallback: choice.fallback,
    clock,
    onUnusableAnswer: (answer) => ledger.withdraw(answer),
    ...withoutUndefined({
      systemInstruction: options.systemInstruction,
      history: options.history,
      retry: options.retry,
      hooks: options.hooks?.model,
      recorder: options.chatRecorder,
    }),
  });
}

interface SchedulerParts {
  chat: GeminiChat;
  choice: ModelChoice;
  clock: Clock;
  tokenLimit: (model: string) => number;
  tools: ToolRegistry;
}

function createScheduler(options: AgentOptions, parts: SchedulerParts): CoreToolScheduler {
  const { chat, choice, clock, tools } = parts;
  const { tempDirectory, sessionId } = options;
  return new CoreToolScheduler({
    tools,
    policy: options.policy ?? ALLOW_EVERYTHING,
    clock,
    model: () => choice.current,
    outputBounds: () => {
      const remainingTokens = parts.tokenLimit(choice.current) - chat.getLastPromptTokenCount();
      const configured = options.limits?.toolOutput;
      const threshold = outputThreshold({ remainingTokens, ...withoutUndefined({ configured }) });
      return { threshold, tempDirectory, sessionId };
    },
    ...withoutUndefined({
      hooks: options.hooks?.tool,
      recorder: options.callRecorder,
      editProposal: options.editProposal,
      resultContext: options.resultContext,
    }),
  });
}

const ALLOW_EVERYTHING: PolicyPort = {
  check: async () => ({ decision: 'allow' }),
  remember: async () => undefined,
};

/** What the session spends is counted there, and every call is told to telemetry. */
export function openLedger({ prices, telemetry }: Pick<AgentOptions, 'prices' | 'telemetry'>, clock: Clock): Ledger {
  return new Ledger({
    clock,
    ...(prices && { prices }),
    ...(telemetry && { onCall: (call) => telemetry.called(call) }),
  });
}

export function meterGenerator(
  { generator, telemetry }: Pick<AgentOptions, 'generator' | 'telemetry'>,
  ledger: Ledger,
  clock: Clock,
): ContentGenerator {
  return createMeteredGenerator(telemetry ? telemetry.watch(generator) : generator, ledger, clock);
}

export function openBudget(budget: AgentOptions['budget'], ledger: Ledger, clock: Clock): Budget | undefined {
  return budget === undefined || budget instanceof Budget ? budget : new Budget({ limits: budget, ledger, clock });
}

function declare(tools: ToolRegistry): Tool[] {
  const functionDeclarations = tools.declarations();
  return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
}

/**
 * createAgent: the one place that constructs the runtime and wires it. Long and
 * boring on purpose: every room gets the few things it uses, as plain fields.
 */

import { GeminiChat } from '../chat/gemini-chat.ts';
import type { ChatRecorder } from '../chat/chat-recorder.ts';
import type { ModelHooks } from '../chat/model-hooks.ts';
import type { AgentHooks } from '../client/agent-hooks.ts';
import type { ChooseModel } from '../client/before-turn.ts';
import { Compressor } from '../client/compression.ts';
import { GeminiClient } from '../client/gemini-client.ts';
import { IdeContext } from '../client/ide-context.ts';
import type { IdeState } from '../client/ide-context.ts';
import { LoopDetectionService } from '../client/loop-detection.ts';
import { checkNextSpeaker } from '../client/next-speaker.ts';
import { SavedOutputs, ToolOutputMask } from '../client/tool-output-masking.ts';
import type { OutputMaskingOptions, SaveOutput } from '../client/tool-output-masking.ts';
import { UtilityModel } from '../client/utility-model.ts';
import { ModelAvailability } from '../model/availability.ts';
import type { ContentGenerator } from '../model/content-generator.ts';
import { createFallback } from '../model/fallback.ts';
import { createModelConfigResolver } from '../model/model-configs.ts';
import type { ModelConfigChanges } from '../model/model-configs.ts';
import { applyModelSelection } from '../model/model-selection.ts';
import { resolveModel, tokenLimit } from '../model/models.ts';
import { policyChain } from '../model/policy-chains.ts';
import type { RetryLimits } from '../model/retry-plan.ts';
import { ModelRouter } from '../model/router.ts';
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
import { AgentSession } from './agent-session.ts';
import type { AgentSessionOptions } from './agent-session.ts';
import { Budget } from './budget.ts';
import type { BudgetLimits } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';
import { Ledger } from './ledger.ts';
import type { LedgerOptions } from './ledger.ts';
import { createLoopJudge } from './loop-judge.ts';
import { createMeteredGenerator } from './metered-generator.ts';

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
}

/** Throws BudgetError when a limit cannot be held, and ModelConfigError for presets that cannot be used. */
export function createAgent(options: AgentOptions): Agent {
  const { clock = systemClock, interactive = false, limits = {}, features = {}, hooks = {} } = options;
  const { preview = true, loopDetection: detectsLoops = true } = features;
  const tools = options.tools ?? new ToolRegistry();
  let requestedModel = options.model;
  const resolvedModel = resolveModel(requestedModel, { preview });
  const resolveConfig = createModelConfigResolver({ preview, ...options.modelConfigs });
  // Only a user's own alias is another name than the service's.
  const serviceName = (model: string) => (options.modelConfigs ? resolveConfig({ model }).model : model);
  const limitOf = limits.tokenLimit ?? ((model: string) => tokenLimit(serviceName(model)));

  const { telemetry } = options;
  const ledger = options.ledger ?? openLedger(options, clock);
  const budget = openBudget(options.budget, ledger, clock);
  budget?.requirePriceOf(serviceName(resolvedModel));
  const metered = options.ledger ? options.generator : meterGenerator(options, ledger, clock);
  const generator = budget && !(options.budget instanceof Budget) ? createBudgetedGenerator(metered, budget) : metered;
  const availability = new ModelAvailability(clock);
  const chainFor = (model: string) =>
    policyChain(model, { requestedModel, plan: options.planning?.().approvalMode === 'plan' });
  const fallback = createFallback({ availability, chainFor, interactive });
  const utility = new UtilityModel({ generator, resolveModel: resolveConfig, clock });
  const router = new ModelRouter({
    availability,
    clock,
    preview,
    planRouting: features.planRouting ?? true,
    classify: features.classifyRequests ?? false,
    askJson: (question, schema) => utility.generateJson(question, schema),
  });

  const chat = new GeminiChat({
    generator,
    model: resolvedModel,
    resolveModel: resolveConfig,
    fallback,
    clock,
    onUnusableAnswer: (answer) => ledger.withdraw(answer),
    ...(options.systemInstruction !== undefined && { systemInstruction: options.systemInstruction }),
    ...(options.history && { history: options.history }),
    ...(options.retry && { retry: options.retry }),
    ...(hooks.model && { hooks: hooks.model }),
    ...(options.chatRecorder && { recorder: options.chatRecorder }),
  });

  // The model sticks to the prompt it was chosen for.
  let chosen: { prompt_id: string; model: string } | undefined;
  const chooseModel: ChooseModel = async ({ request, prompt_id, signal }) => {
    const isNew = chosen?.prompt_id !== prompt_id;
    let wanted = chosen?.model ?? resolvedModel;
    if (isNew) {
      availability.resetTurn();
      const question = {
        requestedModel,
        // Copied only if a strategy looks: most decide without it, and a session may be long.
        get history() {
          return chat.getHistory(true);
        },
        request: [...request],
        prompt_id,
        signal,
        ...options.planning?.(),
      };
      wanted = (await router.route(question)).model;
    }
    const { model } = applyModelSelection(wanted, availability, chainFor(wanted));
    chosen = { prompt_id, model };
    chat.setTools(declare(tools));
    return { model, isNew };
  };

  const saved = options.saveOutput && new SavedOutputs(options.saveOutput);
  const compressor = new Compressor({
    model: utility,
    tokenLimit: limitOf,
    ...(limits.compressionThreshold !== undefined && { threshold: limits.compressionThreshold }),
    ...(hooks.agent && { hooks: hooks.agent }),
    ...(saved && { savedOutputs: saved }),
  });
  const loopDetection = new LoopDetectionService({
    clock,
    isEnabled: detectsLoops,
    getHistory: () => chat.getHistory(true),
    ...(features.loopJudge !== false && { judge: createLoopJudge(utility) }),
  });
  const client = new GeminiClient({
    chat,
    generator,
    model: resolvedModel,
    tokenLimit: limitOf,
    chooseModel,
    compressor,
    loopDetection,
    continueOnFailedApiCall: features.continueOnFailedApiCall ?? false,
    turnOptions: { clock, ...(options.reportError && { reportError: options.reportError }) },
    ...(options.saveOutput && { outputMask: new ToolOutputMask(options.saveOutput, options.outputMasking) }),
    ...(options.ideState && { ideContext: new IdeContext(options.ideState) }),
    ...(hooks.agent && { hooks: hooks.agent }),
    ...(options.openingHistory && { openingHistory: options.openingHistory }),
    ...(limits.maxSessionTurns !== undefined && { maxSessionTurns: limits.maxSessionTurns }),
    ...(features.nextSpeakerCheck && {
      checkNextSpeaker: (signal: AbortSignal, prompt_id: string) =>
        checkNextSpeaker({
          history: chat.getHistory(),
          curated: chat.getHistory(true),
          model: utility,
          signal,
          prompt_id,
        }),
    }),
  });

  const scheduler = new CoreToolScheduler({
    tools,
    policy: options.policy ?? ALLOW_EVERYTHING,
    clock,
    model: () => chosen?.model ?? resolvedModel,
    outputBounds: () => {
      const model = chosen?.model ?? resolvedModel;
      const remainingTokens = limitOf(model) - chat.getLastPromptTokenCount();
      const configured = limits.toolOutput;
      const threshold = outputThreshold({ remainingTokens, ...(configured !== undefined && { configured }) });
      return { threshold, tempDirectory: options.tempDirectory, sessionId: options.sessionId };
    },
    ...(hooks.tool && { hooks: hooks.tool }),
    ...(options.callRecorder && { recorder: options.callRecorder }),
    ...(options.editProposal && { editProposal: options.editProposal }),
    ...(options.resultContext && { resultContext: options.resultContext }),
  });

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
    answerFallback: (requestId, intent) => fallback.answer(requestId, intent),
    ...(budget && { budget }),
    ...(hooks.takeHookMessages && { takeHookMessages: hooks.takeHookMessages }),
    record: (event) => {
      ledger.add(event);
      budget?.add(event);
      telemetry?.add(event);
      options.record?.(event);
    },
    ...(options.prompt_id !== undefined && { prompt_id: options.prompt_id }),
  });

  return {
    session,
    client,
    chat,
    ledger,
    tools,
    requestedModel: () => requestedModel,
    setModel: (model) => {
      budget?.requirePriceOf(serviceName(resolveModel(model, { preview })));
      requestedModel = model;
      chosen = undefined;
    },
    disableLoopDetection: () => loopDetection.disable(),
  };
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

function openBudget(budget: AgentOptions['budget'], ledger: Ledger, clock: Clock): Budget | undefined {
  return budget === undefined || budget instanceof Budget ? budget : new Budget({ limits: budget, ledger, clock });
}

function declare(tools: ToolRegistry): Tool[] {
  const functionDeclarations = tools.declarations();
  return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
}

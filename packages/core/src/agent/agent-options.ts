/** The options of an agent, as plain fields: `generator` and `model` are required, the rest has a default. Types only. */

import type { Audit } from '../audit/open-audit.ts';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ChatRecorder } from '../chat/chat-recorder.ts';
import type { ModelHooks } from '../chat/model-hooks.ts';
import type { AgentHooks } from '../client/agent-hooks.ts';
import type { AnswerFormat } from '../client/answer-format.ts';
import type { IdeState } from '../client/ide-context.ts';
import type { OutputMaskingOptions, SaveOutput } from '../client/tool-output-masking.ts';
import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import type { ModelConfigChanges } from '../routing/model-configs.ts';
import type { RetryLimits } from '../provider/retry-plan.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, PartListUnion } from '../protocol/content.ts';
import type {
  CallRecorder,
  ChangeWatch,
  EditProposal,
  PolicyPort,
  ResultContext,
  ToolHooks,
  ToolLookup,
} from '../scheduler/ports.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import type { ReportError } from '../turn/turn-failure.ts';
import type { Clock } from '../util/clock.ts';
import type { BudgetLimits } from '../spending/budget.ts';
import type { LedgerOptions } from '../spending/ledger.ts';
import type { AgentSessionOptions } from './agent-session.ts';
import type { CommandBounds } from './record-decisions.ts';

export interface AgentOptions {
  generator: ContentGenerator;
  /** As the user named it: a model or an alias such as `auto`. */
  model: string;
  /** Default: a new id. */
  sessionId?: string | undefined;
  /** Stores output too long for the model. Default: a private folder in the system's temporary one, created when needed. */
  tempDirectory?: string | undefined;
  tools?: ToolRegistry;
  /**
   * Decides on every call. Default: allow reading and searching; for everything else, ask when `interactive` is true and
   * deny otherwise (docs/decisions/0028).
   */
  policy?: PolicyPort | undefined;
  systemInstruction?: string;
  history?: readonly Content[];
  /** The history that remains when a hook clears it. */
  openingHistory?: readonly Content[];
  /** Whether the caller answers `tool_call_confirmation` with `session.respond` while a prompt runs. Default false. */
  interactive?: boolean;
  hooks?: { agent?: AgentHooks; model?: ModelHooks; tool?: ToolHooks };
  limits?: AgentLimits;
  /** Optional features. */
  features?: AgentFeatures;
  ideState?: () => IdeState | undefined;
  saveOutput?: SaveOutput;
  outputMasking?: OutputMaskingOptions;
  /** The user's own presets and overrides. */
  modelConfigs?: ModelConfigChanges | undefined;
  /** The state of planning; it selects between the models of `auto` while `features.planRouting` is not false. */
  planning?: () => PlanningState;
  /** Called before a turn with the facts about its model: fits tools and instructions to it. */
  fitModel?: ((facts: ModelFacts, chat: GeminiChat) => void | Promise<void>) | undefined;
  editProposal?: EditProposal;
  /** Stands between the scheduler and the tools, of children too: for a run that is recorded or replayed. */
  tapeTools?: ((tools: ToolLookup) => ToolLookup) | undefined;
  chatRecorder?: ChatRecorder;
  callRecorder?: CallRecorder;
  /** Watches what calls change in the workspace. */
  changeWatch?: ChangeWatch | undefined;
  /** Context for the model beside a tool result. */
  resultContext?: ResultContext;
  record?: (event: AgentEvent, input?: PartListUnion) => void;
  /** Default: `reportError`, which writes to the temporary directory. */
  reportError?: ReportError;
  prices?: LedgerOptions['prices'];
  /** See openTelemetry. */
  telemetry?: TelemetryPort | undefined;
  /** Records every decision on a call; see `openAudit`. */
  audit?: Audit | undefined;
  /** The last turn of every prompt must be JSON in this format, see `createAnswerFormat`. */
  answerFormat?: AnswerFormat | undefined;
  /** The session's spending limits. */
  budget?: BudgetLimits | undefined;
  retry?: RetryLimits;
  /** One id for all prompts of a one-shot program. */
  prompt_id?: string;
  /** The number of the first prompt, where a session goes on that had prompts before. */
  promptCount?: number | undefined;
  clock?: Clock;
}

export interface AgentLimits {
  /** No limit when it is 0, negative or absent. */
  maxSessionTurns?: number;
  compressionThreshold?: number;
  /** The number of tool output characters a model receives at once. */
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

/** The options left to wire once the spending is open and the defaults are set. */
export interface WiringOptions extends Omit<
  AgentOptions,
  'generator' | 'budget' | 'prices' | 'sessionId' | 'tempDirectory'
> {
  sessionId: string;
  /** Called only when a file is about to be stored there. */
  tempDirectory(): string;
  /** The session of the user that a sub-agent works for; absent for that session itself. */
  rootSession?: string | undefined;
  /** The sub-agent that is wired; absent for a session of the user's own. */
  subagent?: string | undefined;
  /** The bounds of commands now, for the audit log; undefined without a sandbox. */
  commandBounds?: (() => CommandBounds | undefined) | undefined;
  /** Puts something between the tools and their callers. */
  guardTools?: ((tools: ToolLookup) => Promise<ToolLookup>) | undefined;
  /** See AgentSessionOptions. */
  concealInput?: AgentSessionOptions['concealInput'];
  /** See AgentSessionOptions. */
  endAfter?: AgentSessionOptions['endAfter'];
  /** See AgentSessionOptions. */
  prepare?: ((signal: AbortSignal) => AsyncGenerator<AgentEvent, void>) | undefined;
}

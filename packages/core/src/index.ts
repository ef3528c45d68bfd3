/**
 * The public surface of @castor/core: the product's names and every name of docs/documents.md. What only the cli needs
 * is in program.ts; test/house/entries.test.ts keeps the two apart.
 */

// The protocol: what goes over the wire, the events and errors, and the records of tools and calls. All of it is contract.
export * from './protocol/content.ts';
export * from './protocol/origin.ts';
export * from './protocol/errors.ts';
export * from './protocol/events.ts';
export * from './protocol/agent-events.ts';
export * from './protocol/tool-calls.ts';
export * from './protocol/tools.ts';
export type { UserHints } from './protocol/user-hints.ts';

// Agents: the session that runs prompts, and what it is created from.
export { createAgent } from './agent/create-agent.ts';
export type { Agent } from './agent/create-agent.ts';
export { ALLOW_EVERYTHING } from './agent/default-policy.ts';
export type { AgentFeatures, AgentLimits, AgentOptions } from './agent/agent-options.ts';
export { AgentSession } from './agent/agent-session.ts';
export type { AgentSessionOptions } from './agent/agent-session.ts';
export type { PromptOptions } from './agent/prompt-options.ts';
export type { SchedulerPort } from './agent/scheduler-port.ts';
export { createWorkspaceAgent } from './agent/workspace-agent.ts';
export type { WorkspaceAgent } from './agent/workspace-agent.ts';
export type { WorkspaceAgentOptions } from './agent/workspace-options.ts';
export { computeSources } from './config/sources.ts';
export type { Source, SourceKind } from './protocol/source.ts';
export { SystemPromptError } from './context/system-prompt-file.ts';
export type { ContextFile, ContextFileOptions, LoadedContext } from './context/context-files.ts';
export type { FileReferences, ReferencedFiles, ResolvedReference } from './context/file-references.ts';

// Models: generators, names, presets.
export { createGeminiGenerator } from './provider/gemini/generator.ts';
export type { GeminiGenerator, GeminiGeneratorOptions } from './provider/gemini/generator.ts';
export type { ContentGenerator, LlmRole } from './provider/content-generator.ts';
export { DEFAULT_GEMINI_FLASH_MODEL, DEFAULT_MODEL, resolveModel, tokenLimit } from './routing/models.ts';
export { ModelConfigError } from './routing/model-configs.ts';
export type { ModelConfigKey, ModelConfigResolver, ResolvedModelConfig } from './routing/model-config.ts';
export { GEMINI_CATALOGUE } from './provider/catalogue/gemini-catalogue.ts';
export type { ModelCatalogue, ModelFacts } from './provider/catalogue/model-catalogue.ts';
export { calculateRequestTokenCount, estimateTokenCount } from './provider/token-estimate.ts';

// Tools: a tool of one's own, and what the built-in ones are made from.
export { defineTool } from './tools/define-tool.ts';
export type { ExecuteContext, ToolDefinition, ToolOutput, ToolUpdate } from './tools/define-tool.ts';
export type { FromSchema, JsonSchema } from './tools/from-schema.ts';
export { ToolRegistry } from './tools/tool-registry.ts';
export { IgnoreRules } from './tools/files/ignore-rules.ts';
export { BackgroundProcesses } from './tools/shell/background.ts';
export type { BackgroundProcess, BackgroundProcessesOptions } from './tools/shell/background.ts';
export type { ShellOutcome, ShellRequest } from './tools/shell/shell-outcome.ts';
export type { TerminalDisplay, TerminalSink, TerminalSize } from './tools/shell/terminal-display.ts';
export type { OutputBounds } from './tools/tool-output.ts';

export { Workspace } from './tools/files/workspace.ts';
export type { WorkspaceOptions } from './tools/files/workspace.ts';
export { FileStore } from './tools/files/file-store.ts';
export { ReadLedger } from './tools/files/read-ledger.ts';
export { ShellRunner } from './tools/shell/shell-runner.ts';
export type { ShellRunnerOptions } from './tools/shell/shell-runner.ts';
export { createChildEnvironment } from './tools/shell/child-environment.ts';
export type { ChildEnvironmentOptions } from './tools/shell/child-environment.ts';
export { createBuiltinTools } from './tools/builtin/index.ts';
export type { BuiltinToolDependencies } from './tools/builtin/index.ts';
export { createAskUserTool } from './tools/builtin/ask-user.ts';
export { createGlobTool } from './tools/builtin/glob.ts';
export { createGoogleWebSearchTool } from './tools/builtin/google-web-search.ts';
export { createGrepSearchTool } from './tools/builtin/grep-search.ts';
export { createListBackgroundProcessesTool } from './tools/builtin/list-background-processes.ts';
export { createListDirectoryTool } from './tools/builtin/list-directory.ts';
export { createReadBackgroundOutputTool } from './tools/builtin/read-background-output.ts';
export { createReadFileTool } from './tools/builtin/read-file.ts';
export { createReadManyFilesTool } from './tools/builtin/read-many-files.ts';
export { createReplaceTool } from './tools/builtin/replace.ts';
export { createRunShellCommandTool } from './tools/builtin/run-shell-command.ts';
export { createWebFetchTool } from './tools/builtin/web-fetch.ts';
export { createWriteFileTool } from './tools/builtin/write-file.ts';
export { createWriteTodosTool } from './tools/builtin/write-todos.ts';

// The policy: which calls run, which are asked about, which are denied.
export { PolicyEngine } from './policy/policy-engine.ts';
export type { PolicyEngineOptions } from './policy/policy-engine.ts';
export { loadPolicies, PolicyFileError } from './policy/policy-loader.ts';
export type { LoadedPolicies, PolicyLoaderOptions } from './policy/policy-loader.ts';
export { PolicyAdapter } from './agent/policy-adapter.ts';
export type { PolicyAdapterOptions } from './agent/policy-adapter.ts';
export type { ApprovalMode } from './policy/approval-mode.ts';
export type { PolicyRule } from './policy/rule.ts';
export type { PolicyPort, PolicyQuestion, PolicyVerdict } from './scheduler/ports.ts';

// Spending: budgets, prices and the numbers of a session.
export { BudgetError } from './spending/budget.ts';
export type { BudgetLimits } from './spending/budget.ts';
export { Ledger } from './spending/ledger.ts';
export { mergePrices } from './spending/merge-prices.ts';
export type { SessionMetrics } from './spending/session-metrics.ts';

// Sessions on disk: list them and go on in one.
export { openSession } from './records/open-session.ts';
export type { OpenedSession, OpenSessionOptions } from './records/open-session.ts';
export { listSessions } from './records/session-list.ts';
export type { ProjectSessions } from './records/project-sessions.ts';
export type { SessionSummary } from './records/session-list.ts';
export { SessionError } from './records/session-error.ts';
export type { SessionErrorReason } from './records/session-error.ts';

// Hooks: ports inside the process, and layers of hook programs.
export type { AfterAgentDecision, AfterAgentInput, AgentHooks, BeforeAgentDecision } from './client/agent-hooks.ts';
export type { AfterModelDecision, BeforeModelDecision, ModelHooks, ToolSelection } from './chat/model-hooks.ts';
export type { AfterToolDecision, BeforeToolDecision, ToolHooks } from './scheduler/ports.ts';
export type { HookExecution } from './hooks/hook-events.ts';
export type { HookLayer } from './hooks/hook-layer.ts';
export type { SessionHooks } from './hook-ports/open-hooks.ts';

// The transcript: what a person sees, as a fold of the events.
export { createTranscript, getPendingItems, MessageType } from './transcript/transcript.ts';
export type {
  ChildView,
  FallbackQuestion,
  PendingCall,
  ShownResult,
  ToolCallView,
  Transcript,
  TranscriptItem,
} from './transcript/transcript.ts';
export { reduce } from './transcript/reduce.ts';
export { createTranscriptStore } from './transcript/store.ts';
export type { TranscriptStore } from './transcript/store.ts';
export { findEnclosingCodeBlockStart, findLastSafeSplitPoint, isIndexInsideCodeBlock } from './transcript/split.ts';
export { StreamingState, deriveStreamingState } from './transcript/streaming-state.ts';

// Telemetry, debugging and time.
export { openTelemetry, TelemetrySettingsError } from './telemetry/open-telemetry.ts';
export type { TelemetryContext, TelemetryPort, TelemetrySettings } from './telemetry/open-telemetry.ts';
export type { Happening } from './telemetry/happenings.ts';
export { debugLogger } from './util/debug-logger.ts';
export type { DebugLevel, DebugSink } from './util/debug-logger.ts';
export { systemClock } from './util/clock.ts';
export type { Clock } from './util/clock.ts';

// The rooms below an agent, for programs that use one alone: chat.
export { GeminiChat } from './chat/gemini-chat.ts';
export type { GeminiChatOptions } from './chat/gemini-chat-options.ts';
export type { SendMessageParameters } from './chat/send-arguments.ts';
export { createUserContent, isFunctionResponse, mergePartListUnions } from './chat/parts.ts';
export { partListUnionToString, toParts } from './util/part-list.ts';
export { extractThought, getCitations, getResponseText, parseThought } from './chat/response.ts';
export { isValidResponse } from './chat/stream-check.ts';
export { StreamEventType, toStreamEvent } from './chat/stream-events.ts';
export type { StreamEvent } from './chat/stream-events.ts';
export type { ChatRecorder, RecordedAnswer } from './chat/chat-recorder.ts';
export { findIndexAfterFraction } from './chat/history-places.ts';
export { INVALID_CONTENT_RETRY_OPTIONS } from './provider/retry-plan.ts';
export type { RetryLimits } from './provider/retry-plan.ts';
export { retryWithBackoff } from './provider/retry.ts';
export type { RetryOptions } from './provider/retry.ts';

// One turn and its consumers.
export { Turn } from './turn/turn.ts';
export type { TurnChat, TurnOptions } from './turn/turn.ts';
export { OptimizedTurn } from './turn/optimized-turn.ts';
export type { CollectedTurn, RunnableTurn, TurnResult, TurnStatus } from './turn/collect-turn.ts';
export { TurnEventProcessor } from './turn/turn-event-processor.ts';
export type { ProcessedTurn } from './turn/turn-event-processor.ts';
export { RealTimeEventListener } from './turn/real-time-event-listener.ts';
export type { EventHandler, EventValue } from './turn/real-time-event-listener.ts';
export { BatchTurnProcessor } from './turn/batch-turn-processor.ts';
export type { BatchItemResult, BatchRequest } from './turn/batch-turn-processor.ts';
export { BufferedTurnProcessor } from './turn/buffered-turn-processor.ts';
export { TurnErrorHandler } from './turn/turn-error-handler.ts';
export type { TurnErrorContext } from './turn/turn-error-handler.ts';
export { TurnRecoveryManager } from './turn/turn-recovery-manager.ts';
export { createReportError, reportError } from './turn/report-error.ts';
export type { ReportErrorOptions } from './turn/report-error.ts';
export type { ReportContext, ReportError } from './turn/turn-failure.ts';

// The client around a turn, and the choice of its model.
export { AnswerSchemaError, createAnswerFormat, parseAnswer } from './client/answer-format.ts';
export type { AnswerFormat } from './client/answer-format.ts';
export { GeminiClient, MAX_TURNS } from './client/gemini-client.ts';
export type { GeminiClientOptions } from './client/gemini-client.ts';
export { COMPRESSION_PRESERVE_THRESHOLD, COMPRESSION_TOKEN_THRESHOLD } from './client/compression.ts';
export { LoopDetectionService } from './client/loops/loop-detection.ts';
export type { DetectedLoop, LoopCheck, LoopDetectionOptions, LoopType } from './client/loops/loop-detection.ts';
export type { LoopJudge, LoopJudgeInput, LoopJudgement } from './client/loops/loop-judge.ts';
export { checkNextSpeaker } from './client/next-speaker.ts';
export type { NextSpeaker, NextSpeakerResponse } from './client/next-speaker.ts';
export { UtilityModel } from './client/utility-model.ts';
export type { JsonModel, Question as UtilityQuestion, UtilityModelOptions } from './client/utility-model.ts';
export type { IdeFile, IdeState } from './client/ide-context.ts';
export { createFallback, handleFlashFallback } from './routing/fallback.ts';
export type { Fallback, FallbackOptions, FlashFallbackOptions } from './routing/fallback.ts';
export type { FallbackAsk, FallbackDecision } from './routing/fallback-decision.ts';
export { policyChain } from './routing/fallback-chains.ts';
export type { ModelPolicy, PolicyChain, PolicyChainOptions } from './routing/fallback-chains.ts';
export { ModelAvailability } from './routing/availability.ts';
export { applyModelSelection } from './routing/model-selection.ts';
export type { AppliedModel, ModelSelectionOptions, ModelSelectionSource } from './routing/model-selection.ts';
export { ModelRouter } from './routing/router.ts';
export type { ModelRouterOptions, RoutingContext, RoutingDecision } from './routing/router.ts';

// The life of a call.
export { CoreToolScheduler } from './scheduler/core-tool-scheduler.ts';
export type { CoreToolSchedulerOptions } from './scheduler/core-tool-scheduler.ts';
export { ToolExecutor } from './scheduler/tool-executor.ts';
export type { ToolExecutionContext, ToolExecutorOptions } from './scheduler/tool-executor.ts';
export { createCancelledResult, createErrorResult, createSuccessResult } from './scheduler/call-results.ts';
export type { CallRecorder, ResultContext, ToolLookup } from './scheduler/ports.ts';

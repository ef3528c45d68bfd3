/** The public surface of @castor/core: what engineers embed. */

export * from './protocol/content.ts';
export * from './protocol/errors.ts';
export * from './protocol/events.ts';
export * from './protocol/agent-events.ts';
export * from './protocol/tool-calls.ts';
export * from './protocol/tools.ts';

export type { ContentGenerator, LlmRole } from './provider/content-generator.ts';
export { readModelConfigs } from './routing/model-config-settings.ts';
export { ModelConfigError } from './routing/model-configs.ts';
export type { ModelConfigKey, ModelConfigResolver, ResolvedModelConfig } from './routing/model-config.ts';
export { createGeminiGenerator } from './provider/gemini/generator.ts';
export type { GeminiGeneratorOptions } from './provider/gemini/generator.ts';
export type { GeminiGenerator } from './provider/gemini/generator.ts';
export { parseCustomHeaders } from './provider/gemini/endpoint.ts';
export { proxyFromEnvironment } from './provider/http/proxy-environment.ts';
export {
  createFileAppender,
  createRecordingGenerator,
  createReplayGenerator,
  loadReplayGenerator,
} from './provider/replay.ts';
export { OFFLINE_MODEL, createOfflineGenerator } from './provider/offline/offline-generator.ts';
export type { FolderEntry, OfflineFolder } from './provider/offline/folder.ts';
export { DEFAULT_GEMINI_FLASH_MODEL, DEFAULT_MODEL, isAutoModel, resolveModel, tokenLimit } from './routing/models.ts';
export { calculateRequestTokenCount, estimateTokenCount } from './provider/token-estimate.ts';
export { retryWithBackoff } from './provider/retry.ts';
export type { RetryOptions } from './provider/retry.ts';
export { INVALID_CONTENT_RETRY_OPTIONS } from './provider/retry-plan.ts';
export type { RetryLimits } from './provider/retry-plan.ts';

export { GeminiChat } from './chat/gemini-chat.ts';
export type { GeminiChatOptions } from './chat/gemini-chat-options.ts';
export type { SendMessageParameters } from './chat/send-arguments.ts';
export {
  createUserContent,
  isFunctionResponse,
  mergePartListUnions,
  partListUnionToString,
  toParts,
} from './chat/parts.ts';
export { extractThought, getCitations, getResponseText, parseThought } from './chat/response.ts';
export { isValidResponse } from './chat/stream-check.ts';
export { StreamEventType, toStreamEvent } from './chat/stream-events.ts';
export type { StreamEvent } from './chat/stream-events.ts';
export type { ChatRecorder, RecordedAnswer } from './chat/chat-recorder.ts';
export type { AfterModelDecision, BeforeModelDecision, ModelHooks, ToolSelection } from './chat/model-hooks.ts';
export { findIndexAfterFraction } from './chat/history.ts';

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

export { GeminiClient, MAX_TURNS } from './client/gemini-client.ts';
export type { GeminiClientOptions } from './client/gemini-client.ts';
export type { AfterAgentDecision, AfterAgentInput, AgentHooks, BeforeAgentDecision } from './client/agent-hooks.ts';
export { COMPRESSION_PRESERVE_THRESHOLD, COMPRESSION_TOKEN_THRESHOLD } from './client/compression.ts';
export { LoopDetectionService } from './client/loops/loop-detection.ts';
export type {
  DetectedLoop,
  LoopCheck,
  LoopDetectionOptions,
  LoopJudge,
  LoopJudgeInput,
  LoopJudgement,
  LoopType,
} from './client/loops/loop-detection.ts';
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

export { defineTool } from './tools/define-tool.ts';
export type { ToolDefinition } from './tools/define-tool.ts';
export { ToolRegistry } from './tools/tool-registry.ts';
export { findRipgrep } from './tools/grep/ripgrep.ts';
export { IgnoreRules } from './tools/files/ignore-rules.ts';

export { APPROVAL_MODES, parseApprovalMode, toCliName } from './policy/approval-mode.ts';
export type { ApprovalMode } from './policy/approval-mode.ts';
export { PolicyEngine } from './policy/policy-engine.ts';
export type { PolicyEngineOptions } from './policy/policy-engine.ts';
export { describeProblem, loadPolicies, PolicyFileError } from './policy/policy-loader.ts';
export type { LoadedPolicies, PolicyLoaderOptions } from './policy/policy-loader.ts';
export { TrustedFolders } from './policy/trusted-folders.ts';
export type { TrustAnswer, TrustLevel, TrustQuestion } from './policy/trusted-folders.ts';
export type { PolicyRule } from './policy/rule.ts';
export { explainVerdict } from './policy/explain.ts';
export { runRuleTests } from './policy/rule-tests.ts';

export { CoreToolScheduler } from './scheduler/core-tool-scheduler.ts';
export type { CoreToolSchedulerOptions } from './scheduler/core-tool-scheduler.ts';
export { ToolExecutor } from './scheduler/tool-executor.ts';
export type { ToolExecutionContext, ToolExecutorOptions } from './scheduler/tool-executor.ts';
export type { OutputBounds } from './tools/tool-output.ts';
export { createCancelledResult, createErrorResult, createSuccessResult } from './scheduler/call-results.ts';
export type {
  AfterToolDecision,
  BeforeToolDecision,
  CallRecorder,
  PolicyPort,
  PolicyQuestion,
  PolicyVerdict,
  ResultContext,
  ToolHooks,
  ToolLookup,
} from './scheduler/ports.ts';

export { AgentSession } from './agent/agent-session.ts';
export type { AgentSessionOptions, PromptOptions } from './agent/agent-session.ts';
export type { SchedulerPort } from './agent/scheduler-port.ts';
export { createAgent } from './agent/create-agent.ts';
export type { Agent } from './agent/create-agent.ts';
export type { AgentFeatures, AgentLimits, AgentOptions } from './agent/agent-options.ts';
export { createWorkspaceAgent } from './agent/workspace-agent.ts';
export type { WorkspaceAgent } from './agent/workspace-agent.ts';
export type { WorkspaceAgentOptions } from './agent/workspace-options.ts';
export { Budget, BudgetError } from './spending/budget.ts';
export type { BudgetLimits } from './spending/budget.ts';
export { createEditProposal } from './agent/edit-proposal.ts';
export type { EditProposalOptions } from './agent/edit-proposal.ts';
export { createEnvironmentContext } from './context/environment-context.ts';
export { createSystemPrompt } from './context/system-prompt.ts';
export { SystemPromptError, readSystemPrompt, resolveSystemPromptFile } from './context/system-prompt-file.ts';
export { loadContextFiles } from './context/context-files.ts';
export type { ContextFile, ContextFileOptions, LoadContextOptions, LoadedContext } from './context/context-files.ts';
export { loadCommandFiles } from './context/command-files.ts';
export { computeSources } from './config/sources.ts';
export { readSourceFile } from './config/source-file.ts';
export { findPlaces } from './util/find-places.ts';
export type { Source, SourceKind } from './protocol/source.ts';
export type { CommandFile, LoadedCommandFiles } from './context/command-files.ts';
export { JustInTimeContext } from './context/just-in-time-context.ts';
export type { FileReferences, ReferencedFiles, ResolvedReference } from './context/file-references.ts';
export type { BackgroundProcess } from './tools/shell/background.ts';
export { describeTooMuchOutput } from './tools/shell/output-limit.ts';
export type { ShellOutcome } from './tools/shell/shell-outcome.ts';
export type { TerminalDisplay, TerminalSink, TerminalSize } from './tools/shell/terminal-display.ts';
export { Ledger } from './spending/ledger.ts';
export { PRICES, PRICES_AS_OF } from './spending/prices-data.ts';
export { mergePrices } from './spending/prices.ts';
export { loadPrices } from './spending/user-prices.ts';
export { toStreamStats } from './spending/session-metrics.ts';
export type { SessionMetrics } from './spending/session-metrics.ts';

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
export { allCalls } from './transcript/tool-group.ts';
export { createTranscriptStore } from './transcript/store.ts';
export type { TranscriptStore } from './transcript/store.ts';
export { findEnclosingCodeBlockStart, findLastSafeSplitPoint, isIndexInsideCodeBlock } from './transcript/split.ts';
export { StreamingState, deriveStreamingState } from './transcript/streaming-state.ts';

export { SessionRecorder } from './records/session-recorder.ts';
export type { SessionRecorderOptions } from './records/session-recorder.ts';
export { createSessionId } from './records/session-id.ts';
export { deleteCheckpoint, listCheckpoints, readCheckpoint, saveCheckpoint } from './records/checkpoint-files.ts';
export type { CheckpointSummary, SavedCheckpoint } from './records/checkpoint-files.ts';
export { openSession } from './records/open-session.ts';
export { createSessionFrom } from './records/session-copy.ts';
export type { OpenedSession, OpenSessionOptions } from './records/open-session.ts';
export { SessionError } from './records/session-error.ts';
export type { SessionErrorReason } from './records/session-error.ts';
export { listSessions } from './records/session-list.ts';
export type { ProjectSessions, SessionSummary } from './records/session-list.ts';
export { findSession } from './records/session-find.ts';
export { deleteSession } from './records/session-delete.ts';
export { loadSession } from './records/load-session.ts';
export { searchSessions } from './records/session-search.ts';
export type { SearchOptions, SessionMatch } from './records/session-search.ts';
export { listRewindPoints, revertEdits } from './records/rewind.ts';
export type { RecordedEdit, RevertedEdits, RewindPoint } from './records/rewind.ts';
export { cleanUpSessions } from './records/session-retention.ts';
export type { CleanUpOptions, CleanUpResult, SessionRetention } from './records/session-retention.ts';
export { resolveProjectDirectory } from './config/project-registry.ts';
export { systemClock } from './util/clock.ts';
export type { Clock } from './util/clock.ts';
export { debugLogger } from './util/debug-logger.ts';
export type { DebugLevel, DebugSink } from './util/debug-logger.ts';
export { makeDirectory } from './util/make-directory.ts';
export { replaceFile } from './util/replace-file.ts';

export { loadSettings } from './config/load-settings.ts';
export type { LoadedSettings, LoadSettingsOptions } from './config/load-settings.ts';
export type { SettingExplanation, SettingSource } from './config/explain-setting.ts';
export type { SettingsLayer, SettingsScope } from './config/settings-layer.ts';
export { findSetting, listSettings } from './config/settings-table.ts';
export type { FoundSetting, NamedSetting, Settings } from './config/settings-table.ts';
export { createSettingsSchema } from './config/settings-schema.ts';
export { fitShape } from './config/setting-shape.ts';
export type { Shape } from './config/setting-shape.ts';
export { loadConfiguration } from './config/load-configuration.ts';
export type { Configuration, LoadConfigurationOptions } from './config/load-configuration.ts';
export { userSettingsPath, workspaceSettingsPath } from './config/paths.ts';
export { SettingsError } from './config/settings-error.ts';
export { saveSetting, writeMigrations } from './config/edit-settings.ts';
export { parseJsonText } from './config/json-text.ts';
export { readEnvFile } from './config/env-file.ts';
export type { EnvFile, EnvFileOptions } from './config/env-file.ts';

export type { Happening } from './telemetry/happenings.ts';
export { openTelemetry, TelemetrySettingsError } from './telemetry/open-telemetry.ts';
export type { TelemetryContext, TelemetryPort, TelemetrySettings } from './telemetry/open-telemetry.ts';
export type { HookExecution } from './hooks/hook-events.ts';

export { HOOK_EVENTS } from './hooks/hook-events.ts';
export type { HookEventName, HookOutput, HookPayloads, HookSpecificOutput } from './hooks/hook-events.ts';
export type { HookLayer } from './hooks/hook-layer.ts';
export type { SessionHooks } from './hook-ports/open-hooks.ts';
export { readHookFiles, toHookLayers } from './hook-ports/hook-layers.ts';
export { consentToHooks, inspectHooks, tryHooks } from './hook-ports/hook-inspection.ts';
export type { InspectedHook, InspectedHooks, TriedHooks } from './hook-ports/hook-inspection.ts';

export { editDistance } from './util/edit-distance.ts';
export { isInside } from './util/is-inside.ts';
export { isRecord } from './util/is-record.ts';
export { JsonMistake, parseJsonItems, toValue } from './util/json-with-comments.ts';
export { countOf, toOneLine } from './util/short-text.ts';

/**
 * @castor/core/program: what our own cli needs beside the public surface. It promises nothing to other programs: a name
 * may change or go with any version.
 */

// Settings and where things live on disk.
export { loadConfiguration } from './config/load-configuration.ts';
export type { Configuration } from './config/load-configuration.ts';
export { explainSetting } from './config/explain-setting.ts';
export type { SettingExplanation, SettingSource } from './config/explain-setting.ts';
export type { SettingsLayer, SettingsScope } from './config/settings-layer.ts';
export { findSetting, listSettings } from './config/settings-table.ts';
export { noEffectOf } from './config/table/no-effect.ts';
export type { FoundSetting, NamedSetting, Settings } from './config/settings-table.ts';
export { createSettingsSchema } from './config/settings-schema.ts';
export { fitShape } from './config/setting-shape.ts';
export type { Shape } from './config/setting-shape.ts';
export { SettingsError } from './config/settings-error.ts';
export { previewSetting, saveSetting, writeMigrations } from './config/edit-settings.ts';
export { lineOf, parseJsonText } from './config/json-text.ts';
export { parseTomlText } from './config/toml-text.ts';
export { ENVIRONMENT_VARIABLES } from './config/environment-variables.ts';
export {
  projectDirectory,
  systemDefaultsPath,
  systemSettingsPath,
  userDirectory,
  userSettingsPath,
  workspaceSettingsPath,
} from './config/paths.ts';
export { findProjectDirectories, resolveProjectDirectory } from './config/project-registry.ts';
export { readSourceFile } from './config/source-file.ts';
export { isProjectTrusted } from './protocol/source.ts';
export type { SourceValues } from './protocol/source.ts';

// The audit log and the gate for connections.
export { AuditError, openAudit } from './audit/open-audit.ts';
export type { Audit } from './audit/open-audit.ts';
export type { AuditLine } from './audit/audit-entry.ts';
export { readPublicKey } from './audit/audit-keys.ts';
export { exportAudit, verifyExport } from './audit/export-log.ts';
export { readAuditLines, verifyAudit } from './audit/read-log.ts';
export type { AuditFilter } from './audit/read-log.ts';
export type { AuditReport } from './audit/verify-log.ts';
export { actingFor, admitUrl, guardOutgoing, OutgoingError, watchOutgoing } from './util/outgoing.ts';
export type { AnnouncedOutgoing, OutgoingGuard } from './util/outgoing.ts';

// Extensions: what is installed, changes of it, the values of their settings.
export { hasJournal, repairExtensions } from './extensions/change-journal.ts';
export { checkForUpdate } from './extensions/check-updates.ts';
export type { UpdateState } from './extensions/check-updates.ts';
export { disable, enable, isEnabled, readEnablement } from './extensions/enablement.ts';
export { ExtensionError } from './extensions/extension-error.ts';
export { ExtensionManager } from './extensions/extension-manager.ts';
export type { ConfiguredExtension, ManagerPort } from './extensions/extension-manager.ts';
export { findProblems } from './extensions/extension-problems.ts';
export { fetchFolder, folderFormat } from './extensions/fetch-folder.ts';
export type { FetchedFolder } from './extensions/fetch-folder.ts';
export { refusalOf } from './extensions/install-rules.ts';
export { extensionId } from './extensions/installation.ts';
export { loadExtensions, toSource } from './extensions/load-extensions.ts';
export type { Extension, InstalledExtensions } from './extensions/load-extensions.ts';
export { readManifest } from './extensions/manifest.ts';
export type { ExtensionSetting } from './extensions/manifest.ts';
export { forgetSettingValues, readSettingValues, writeSettingValue } from './extensions/setting-values.ts';
export type { SecretStore, ValueScope } from './extensions/setting-values.ts';

// Context files, custom commands and the system prompt.
export { countUnreadCommands, loadCommandFiles } from './context/command-files.ts';
export type { CommandFile, CommandFileOptions } from './context/command-files.ts';
export { loadContextFiles } from './context/context-files.ts';
export { readSystemPrompt, resolveSystemPromptFile } from './context/system-prompt-file.ts';

// Skills: lists, installing, removing.
export { loadSkills } from './skills/load-skills.ts';
export { findInstallable } from './skills/find-installable.ts';
export type { InstallableSkill } from './skills/find-installable.ts';
export { checkSkill, copySkill, isPlaced, linkSkill, removeSkill, visitSkill } from './skills/place-skills.ts';
export { SkillError } from './skills/skill-error.ts';
export { findSkillFolders } from './skills/skill-folders.ts';
export type { Skill } from './skills/skill.ts';

// Hooks: inspection, consent and trials.
export { HOOK_EVENTS } from './hooks/hook-events.ts';
export type { HookEventName, HookOutput, HookPayloads, HookSpecificOutput } from './hooks/hook-events.ts';
export { readHookFiles } from './hook-ports/hook-files.ts';
export { toHookLayers } from './hook-ports/hook-layers.ts';
export { readFormText } from './mcp/elicitation.ts';
export type { FormField, FormValue, ServerAnswer, ServerQuestion } from './protocol/server-questions.ts';
export { consentToHooks, inspectHooks, tryHooks } from './hook-ports/hook-inspection.ts';
export type { InspectedHook, InspectedHooks, TriedHooks } from './hook-ports/hook-inspection.ts';

// MCP servers outside an agent: which run, trying them, signing in.
export { checkServers } from './mcp/check-servers.ts';
export type { CheckedServer } from './mcp/check-servers.ts';
export { chooseServers } from './mcp/choose-servers.ts';
export type { ChosenServers } from './mcp/choose-servers.ts';
export { describeFailure, isSignInMissing, McpConnection } from './mcp/connection.ts';
export type { IdleEntry } from './mcp/mcp-manager.ts';
export { openNetworkTransport } from './mcp/network-transport.ts';
export type { RpcTransport } from './mcp/rpc-session.ts';
export { StdioTransport } from './mcp/stdio-transport.ts';
export type { McpServer } from './mcp/server-config.ts';
export { readDisabledServers, writeServerEnabled } from './mcp/server-enablement.ts';
export { describeServer } from './mcp/server-consent.ts';
export type { UnsettledServer } from './mcp/server-consent.ts';
export { consentToServers, serversOfProject } from './mcp/server-inspection.ts';
export { toMcpLayers } from './mcp/server-layer.ts';
export type { McpLayer } from './mcp/server-layer.ts';
export { readMcpManifests } from './mcp/server-manifests.ts';
export type { OpenKeyring } from './mcp/sign-in/keyring.ts';
export { SignInError } from './mcp/sign-in/sign-in-error.ts';
export type { SignInPorts } from './mcp/sign-in/sign-in.ts';
export { SignIns } from './mcp/sign-in/sign-ins.ts';
export type { SignInState } from './mcp/sign-in/sign-ins.ts';
export { toNamed } from './mcp/server-state.ts';
export { tryServer } from './mcp/try-server.ts';
export type { TriedServer } from './mcp/try-server.ts';

// The policy: its command line, and trusted folders.
export { parseApprovalMode, toCliName } from './policy/approval-mode.ts';
export { explainVerdict } from './policy/explain.ts';
export { describeProblem } from './policy/policy-loader.ts';
export { runRuleTests } from './policy/rule-tests.ts';
export { findUnknownServerTools } from './policy/unknown-server-tools.ts';
export { setTrust } from './policy/set-trust.ts';
export { TrustedFolders } from './policy/trusted-folders.ts';
export type { TrustLevel } from './policy/trusted-folders.ts';

// Models: what flags and variables say of a provider, the offline model, recorded answers.
export { hasIgnoredHeader, parseCustomHeaders } from './provider/gemini/endpoint.ts';
export { proxyFromEnvironment } from './provider/http/proxy-environment.ts';
export { describeInvalidProxy } from './provider/http/route.ts';
export { createOfflineGenerator } from './provider/offline/offline-generator.ts';
export type { FolderEntry, OfflineFolder } from './provider/offline/folder.ts';
export { openProvider } from './provider/open-provider.ts';
export type { OpenProvider } from './provider/open-provider.ts';
export { parseProviderModel } from './provider/provider-model.ts';
export { createProviderSwitch } from './provider/provider-switch.ts';
export type { ProviderSwitch } from './provider/provider-switch.ts';
export { PROVIDERS } from './provider/providers.ts';
export type { ProtocolName, ProviderRow } from './provider/providers.ts';
export type { ChatQuirks } from './provider/chat-completions/quirks.ts';
export { bundledModels } from './provider/catalogue/bundled-models.ts';
export type { ModelTable } from './provider/catalogue/bundled-models.ts';
export { downloadModels } from './provider/catalogue/download-models.ts';
export { familyOf } from './provider/catalogue/model-families.ts';
export { listModels } from './provider/catalogue/list-models.ts';
export type { ListedModel } from './provider/catalogue/model-list.ts';
export type { ModelPrice } from './provider/catalogue/model-catalogue.ts';
export type { KnownModel } from './provider/catalogue/provider-catalogue.ts';
export { createEndpoint } from './provider/wire/endpoint.ts';
export type { EndpointKey } from './provider/wire/endpoint.ts';
export type { WireEndpoint } from './provider/wire/wire-protocol.ts';
export { createVertexEndpoint } from './provider/vertex/endpoint.ts';
export { findCredentialsPlace, parseGoogleCredentials } from './provider/vertex/google-credentials.ts';
export type { GoogleCredentials } from './provider/vertex/google-credentials.ts';
export { createTokenSource } from './provider/vertex/token-source.ts';
export { tapHttp } from './provider/http/http-tap.ts';
export { createFileAppender, createRecordingGenerator, loadReplayGenerator } from './recordings/recorded-answers.ts';
export { parseRecording, RECORDING_FORMAT, toContent } from './recordings/recording-lines.ts';
export type { FileContent, FileLine, Recording } from './recordings/recording-lines.ts';
export { RunPlayer } from './recordings/run-player.ts';
export type { ReplayReport } from './recordings/run-player.ts';
export { RunRecorder } from './recordings/run-recorder.ts';
export type { RunTape } from './recordings/run-tape.ts';
export { restorePaths, Scrubber } from './recordings/scrubber.ts';
export { tapeTools } from './recordings/taped-tools.ts';
export { writeContents } from './recordings/workspace-state.ts';
export { readModelConfigs } from './routing/model-config-settings.ts';

export { findProgram, KNOWN_SERVERS } from './diagnostics/server-table.ts';

// Sessions on disk: checkpoints, search, rewind, cleaning up.
export { findSessionRoot, listAllSessions } from './records/all-sessions.ts';
export { findDamagedSessions } from './records/damaged-sessions.ts';
export { deleteCheckpoint, listCheckpoints, readCheckpoint, saveCheckpoint } from './records/checkpoint-files.ts';
export { loadSession } from './records/load-session.ts';
export { listRewindPoints, revertEdits, rewindTo } from './records/rewind.ts';
export type { RecordedEdit, RewindPoint } from './records/rewind.ts';
export { createSessionFrom } from './records/session-copy.ts';
export { deleteSession } from './records/session-delete.ts';
export {
  convertForeignSession,
  findForeignSession,
  listForeignSessions,
  readForeignHistory,
  searchForeignSessions,
} from './records/foreign-sessions.ts';
export type { ForeignAgentName } from './records/foreign-sessions.ts';
export { findSession } from './records/session-find.ts';
export { createSessionId } from './records/session-id.ts';
export { SessionRecorder } from './records/session-recorder.ts';
export { cleanUpSessions } from './records/session-retention.ts';
export { searchSessions } from './records/session-search.ts';

// What surfaces share with the runtime.
export { createEditProposal } from './agent/edit-proposal.ts';
export { toStreamStats } from './spending/session-metrics.ts';
export { costOfAnswers } from './spending/cost-of-answers.ts';
export { loadPrices } from './spending/user-prices.ts';
export { describeRequestFailure } from './protocol/failure-sentence.ts';
export { describeFailedCommand, readFailedCommand } from './transcript/command-failure.ts';
export { allCalls } from './transcript/tool-group.ts';
export { findRipgrep } from './tools/grep/ripgrep.ts';
export type { AgentDefinition } from './subagents/agent-definition.ts';
export type { AgentsChange } from './subagents/agent-registry.ts';
export type { SessionAgents } from './subagents/session-agents.ts';
export type { ChildRecord } from './records/session-children.ts';
export { sweepWorktrees } from './subagents/worktree.ts';
export { describeTooMuchOutput } from './tools/shell/output-limit.ts';

// Sandboxes.
export { readGrants, revokeGrants, saveGrant } from './sandbox/grants.ts';
export { isOpenable } from './sandbox/hidden-paths.ts';
export { readSandboxFile } from './sandbox/sandbox-file.ts';
export { parseHostEntry } from './sandbox/network/host-list.ts';
export { findLeaks } from './secrets/find-leaks.ts';
export type { LeakReport } from './secrets/find-leaks.ts';
export { SandboxError } from './sandbox/sandbox-error.ts';
export { openSandboxBench } from './sandbox/sandbox-bench.ts';
export { SANDBOX_PROFILES } from './sandbox/sandbox-profile.ts';
export type { SandboxProfile } from './sandbox/sandbox-profile.ts';
export { createRedaction } from './tools/shell/redact-environment.ts';
export { probeBubblewrap } from './sandbox/probe-bubblewrap.ts';

// Leaves.
export { parseFrontMatter, splitFrontMatter } from './util/front-matter.ts';
export { editDistance } from './util/edit-distance.ts';
export { findPlaces } from './util/find-places.ts';
export { isInside } from './util/is-inside.ts';
export { isRecord } from './util/is-record.ts';
export { JsonMistake, parseJsonItems, toValue } from './util/json-with-comments.ts';
export { makeDirectory } from './util/make-directory.ts';
export { replaceFile } from './util/replace-file.ts';
export { SECRET_NAME, SECRET_VALUE } from './util/secret-patterns.ts';
export { isSecretVariable } from './util/secret-variables.ts';
export { countOf, toOneLine } from './util/short-text.ts';

// Undo of what a session changed.
export { describeChange } from './undo/describe-changes.ts';
export type { DescribedChange } from './undo/describe-changes.ts';
export { collectUndoStore } from './undo/live-points.ts';
export { sweepStore } from './undo/sweep-store.ts';
export { isListed, listChangedSessions, listSession, openUndoFor } from './undo/changed-sessions.ts';
export type { ChangedSession } from './undo/changed-sessions.ts';
export { openSessionUndo } from './undo/open-session-undo.ts';
export type { OpenedUndo } from './undo/open-session-undo.ts';
export { sessionChanges } from './undo/session-changes.ts';
export type { FinishedUndo, UndoDesk } from './undo/undo-desk.ts';
export { NotInSession, UndoError } from './undo/undo-preview.ts';
export type { ListedPrompt, UndoOutcome, UndoPreview, UndoSelection } from './undo/undo-preview.ts';

// Branches of a session and its folder.
export { tokensSince } from './records/session-branch.ts';
export type { Branch } from './undo/branch-registry.ts';
export { changesSince, createBranch, dropBranch, findBranch, listBranches, unmergedChanges } from './undo/branches.ts';
export { mergeBranch } from './undo/merge-branch.ts';
export type { MergeResult } from './undo/merge-branch.ts';

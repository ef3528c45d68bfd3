import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSettings } from '@castor/core/program';
import { describe, expect, it } from 'vitest';

/** Where each setting is read, by file or folder. A setting that is read nowhere belongs into no-effect.ts. */
const USES: Readonly<Record<string, readonly string[]>> = {
  'packages/cli/src/tui': [
    'ide.enabled',
    'ui.escapePastedAtSymbols',
    'ui.hideContextSummary',
    'security.enablePermanentToolApproval',
    'security.autoAddToPolicyByDefault',
    'context.fileFiltering.enableFuzzySearch',
    'general.enableNotifications',
    'general.notificationMethod',
    'ui.hideWindowTitle',
    'ui.showStatusInTitle',
    'ui.dynamicWindowTitle',
    'castor.statusLine',
    'ui.hideFooter',
    'ui.showSpinner',
    'ui.collapseDrawerDuringApproval',
    'ui.loadingPhrases',
    'ui.customWittyPhrases',
    'general.vimMode',
    'ui.theme',
    'ui.autoThemeSwitching',
    'ui.terminalBackgroundPollingInterval',
    'ui.customThemes',
    'ui.inlineThinkingMode',
    'ui.hideTips',
    'ui.compactToolOutput',
    'ui.hideBanner',
    'ui.showLineNumbers',
    'ui.showCitations',
    'ui.showModelInfoInChat',
    'ui.useAlternateBuffer',
    'ui.useBackgroundColor',
    'ui.errorVerbosity',
    'ui.accessibility.screenReader',
    'tools.shell.showColor',
    'ui.footer.items',
    'ui.footer.hideCWD',
    'ui.footer.hideModelInfo',
    'ui.footer.hideContextPercentage',
    'ui.showMemoryUsage',
    'ui.showHomeDirectoryWarning',
    'ui.showCompatibilityWarnings',
    'experimental.modelSteering',
  ],
  'packages/cli/src/start/airgap.ts': ['castor.airgap'],
  'packages/cli/src/start/audit.ts': ['castor.audit.enabled', 'castor.audit.required'],
  'packages/cli/src/start/agent-options.ts': [
    'castor.diagnostics.mode',
    'castor.diagnostics.servers',
    'castor.diagnostics.formatters',
    'castor.diagnostics.timeout',
    'castor.readFilesOf',
    'general.checkpointing.enabled',
    'castor.undo.coverage',
    'agents.overrides',
    'agents.maxConcurrent',
    'agents.maxDepth',
    'experimental.enableAgents',
    'skills.disabled',
    'skills.enabled',
    'mcp.allowed',
    'mcp.excluded',
    'mcp.promptWait',
    'mcp.toolBudget',
    'mcp.startLimit',
    'useWriteTodos',
    'general.plan.enabled',
    'general.plan.directory',
    'general.plan.modelRouting',
    'general.retryFetchErrors',
    'general.maxAttempts',
    'model.maxSessionTurns',
    'model.compressionThreshold',
    'model.disableLoopDetection',
    'model.skipNextSpeakerCheck',
    'context.fileName',
    'context.readAgentsFile',
    'context.importFormat',
    'context.includeDirectoryTree',
    'context.memoryBoundaryMarkers',
    'context.loadMemoryFromIncludeDirectories',
    'context.fileFiltering.respectGitIgnore',
    'context.fileFiltering.respectGeminiIgnore',
    'context.fileFiltering.enableRecursiveFileSearch',
    'context.fileFiltering.customIgnoreFilePaths',
    'tools.shell.enableInteractiveShell',
    'tools.shell.backgroundCompletionBehavior',
    'tools.shell.pager',
    'tools.shell.inactivityTimeout',
    'tools.shell.maxOutputBytes',
    'tools.shell.enableShellOutputEfficiency',
    'tools.discoveryCommand',
    'tools.callCommand',
    'tools.useRipgrep',
    'tools.truncateToolOutputThreshold',
    'security.disableAlwaysAllow',
    'experimental.directWebFetch',
  ],
  'packages/core/src/mcp/server-layer.ts': ['mcp.serverCommand'],
  'packages/cli/src/commands/mcp.ts': ['admin.mcp.enabled'],
  'packages/cli/src/start/approval.ts': [
    'policyPaths',
    'adminPolicyPaths',
    'general.defaultApprovalMode',
    'context.includeDirectories',
    'tools.core',
    'tools.allowed',
    'tools.confirmationRequired',
    'mcp.autoAllowInHeadless',
    'tools.exclude',
    'security.disableYoloMode',
  ],
  'packages/cli/src/start/server-grants.ts': ['mcpServers', 'admin.mcp.config', 'admin.mcp.requiredConfig'],
  'packages/cli/src/start/auth-type.ts': [
    'security.auth.selectedType',
    'security.auth.enforcedType',
    'security.auth.useExternal',
  ],
  'packages/cli/src/start/credentials.ts': ['castor.model', 'model.name', 'model.offline', 'model.streamIdleTimeoutMs'],
  'packages/cli/src/providers': ['providers', 'castor.smallModel'],
  'packages/cli/src/editor-command.ts': ['general.preferredEditor', 'general.openEditorInNewWindow'],
  'packages/cli/src/generators/open-generator.ts': ['advanced.dnsResolutionOrder'],
  'packages/cli/src/headless/run.ts': ['output.format'],
  'packages/cli/src/start/choose-extensions.ts': ['security.allowedExtensions', 'security.blockGitExtensions'],
  'packages/cli/src/commands/extensions-config.ts': ['experimental.extensionConfig'],
  'packages/cli/src/start/sandbox.ts': [
    'tools.sandbox',
    'tools.sandboxAllowedPaths',
    'tools.sandboxNetworkAccess',
    'tools.autoAllowSandboxed',
    'security.toolSandboxing',
  ],
  'packages/cli/src/start/start.ts': ['security.enableConseca', 'security.folderTrust.enabled'],
  'packages/core/src/client/tool-output-masking.ts': [
    'contextManagement.tools.outputMasking.protectionThresholdTokens',
    'contextManagement.tools.outputMasking.minPrunableThresholdTokens',
    'contextManagement.tools.outputMasking.protectLatestTurn',
  ],
  'packages/core/src/config/load-configuration.ts': ['advanced.excludedEnvVars', 'advanced.ignoreLocalEnv'],
  'packages/core/src/config/migrate-settings.ts': ['ui.accessibility.enableLoadingPhrases'],
  // Editors read it.
  'packages/core/src/config/settings-table.ts': ['$schema'],
  'packages/core/src/hooks/hook-config.ts': ['hooksConfig.enabled', 'hooksConfig.disabled'],
  'packages/core/src/hooks/hook-events.ts': [
    'hooks.BeforeTool',
    'hooks.AfterTool',
    'hooks.BeforeAgent',
    'hooks.AfterAgent',
    'hooks.Notification',
    'hooks.SessionStart',
    'hooks.SessionEnd',
    'hooks.PreCompress',
    'hooks.BeforeModel',
    'hooks.AfterModel',
    'hooks.BeforeToolSelection',
  ],
  'packages/core/src/routing/model-config-settings.ts': [
    'modelConfigs.aliases',
    'modelConfigs.customAliases',
    'modelConfigs.customOverrides',
    'modelConfigs.overrides',
  ],
  'packages/core/src/records/session-retention.ts': [
    'general.sessionRetention.enabled',
    'general.sessionRetention.maxAge',
    'general.sessionRetention.maxCount',
    'general.sessionRetention.minRetention',
  ],
  'packages/core/src/telemetry/open-telemetry.ts': [
    'telemetry.enabled',
    'telemetry.traces',
    'telemetry.target',
    'telemetry.otlpEndpoint',
    'telemetry.otlpProtocol',
    'telemetry.logPrompts',
    'telemetry.outfile',
  ],
  'packages/core/src/tools/shell/redact-environment.ts': [
    'security.environmentVariableRedaction.allowed',
    'security.environmentVariableRedaction.blocked',
    'security.environmentVariableRedaction.enabled',
  ],
};

function keysOf(settings: readonly { key: string }[]): string[] {
  return settings.map(({ key }) => key);
}

/** The text of a file, or of all files below a folder but the tests. */
function sourcesOf(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'));
  return sources.map((name) => readFileSync(join(path, name), 'utf8')).join('\n');
}

const ROOT = new URL('../../../', import.meta.url);

describe('every setting', () => {
  it('is used somewhere, or is marked as having no effect', () => {
    const used = new Set(Object.values(USES).flat());
    const settings = listSettings();
    const keys = keysOf(settings);
    expect({
      neither: keysOf(settings.filter(({ key, noEffect }) => !used.has(key) && noEffect === undefined)),
      both: keysOf(settings.filter(({ key, noEffect }) => used.has(key) && noEffect !== undefined)),
      unknown: [...used].filter((key) => !keys.includes(key)),
    }).toEqual({ neither: [], both: [], unknown: [] });
  });

  it.each(Object.entries(USES))('is read where it is said to be: %s', (file, keys) => {
    const text = sourcesOf(fileURLToPath(new URL(file, ROOT)));
    const isRead = (key: string) => text.includes(key.split('.').at(-1) ?? key);
    expect(keys.filter((key) => !isRead(key))).toEqual([]);
  });
});

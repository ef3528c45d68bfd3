/**
 * The settings without an effect, so that the documentation can say so. `planned`: what it
 * belongs to is not built yet. `compatibility`: others write it, and Castor has nothing to
 * switch. Every other setting does what its sentence says (settings-in-use.test.ts).
 */

export type NoEffect = 'planned' | 'compatibility';

/** A name that ends in a dot stands for all below it. */
const PLANNED = [
  'mcpServers',
  'mcp.',
  'extensions.',
  'skills.',
  'agents.',
  'ide.',
  'billing.',
  'general.devtools',
  'general.enableAutoUpdate',
  'general.enableAutoUpdateNotification',
  'general.checkpointing.enabled',
  'general.debugKeystrokeLogging',
  'general.topicUpdateNarration',
  'general.logRagSnippets',
  'ui.showShortcutsHint',
  'ui.footer.showLabels',
  'ui.footer.hideSandboxStatus',
  'ui.showUserIdentity',
  'ui.debugRainbow',
  'telemetry.useCollector',
  'telemetry.useCliAuth',
  'model.summarizeToolOutput',
  'modelConfigs.modelDefinitions',
  'modelConfigs.modelIdResolutions',
  'modelConfigs.classifierIdResolutions',
  'modelConfigs.modelChains',
  'context.fileFiltering.enableFileWatcher',
  'tools.sandboxAllowedPaths',
  'tools.sandboxNetworkAccess',
  'security.blockGitExtensions',
  'security.allowedExtensions',
  'advanced.bugCommand',
  'hooksConfig.notifications',
  'contextManagement.historyWindow.',
  'contextManagement.messageLimits.',
  'contextManagement.tools.distillation.',
  'experimental.gemma',
  'experimental.voiceMode',
  'experimental.voice.',
  'experimental.enableAgents',
  'experimental.worktrees',
  'experimental.extensionManagement',
  'experimental.extensionConfig',
  'experimental.extensionRegistry',
  'experimental.extensionRegistryURI',
  'experimental.extensionReloading',
  'experimental.useOSC52Paste',
  'experimental.taskTracker',
  'experimental.dynamicModelConfiguration',
  'experimental.gemmaModelRouter.',
  'experimental.stressTestProfile',
  'experimental.generalistProfile',
  'experimental.powerUserProfile',
  'experimental.contextManagement',
  'experimental.autoMemory',
  'experimental.topicUpdateNarration',
];

const COMPATIBILITY = [
  'privacy.usageStatisticsEnabled',
  'advanced.autoConfigureMemory',
  'context.discoveryMaxDirs',
  'tools.disableLLMCorrection',
  'ui.renderProcess',
  'ui.terminalBuffer',
  'ui.incrementalRendering',
  'experimental.adk.',
  'experimental.useOSC52Copy',
  // Only a remote administrator may set these, and there is none to ask.
  'admin.',
];

export function noEffectOf(key: string): NoEffect | undefined {
  if (isAmong(PLANNED, key)) return 'planned';
  return isAmong(COMPATIBILITY, key) ? 'compatibility' : undefined;
}

function isAmong(names: readonly string[], key: string): boolean {
  return names.some((name) => (name.endsWith('.') ? key.startsWith(name) : key === name));
}

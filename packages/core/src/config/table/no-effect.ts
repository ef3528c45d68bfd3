/**
 * Lists the settings without an effect, so that the documentation can say so. `planned`: the
 * feature is not built yet. `compatibility`: other programs write the setting, and Castor has
 * no such switch. Every other setting works as its summary says (settings-in-use.test.ts).
 */

export type NoEffect = 'planned' | 'compatibility';

/** A name that ends in a dot covers all settings below it. */
const PLANNED = [
  'agents.browser.',
  'ide.hasSeenNudge',
  'billing.',
  'general.devtools',
  'general.enableAutoUpdate',
  'general.enableAutoUpdateNotification',
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
  'advanced.bugCommand',
  'hooksConfig.notifications',
  'contextManagement.historyWindow.',
  'contextManagement.messageLimits.',
  'contextManagement.tools.distillation.',
  'experimental.gemma',
  'experimental.voiceMode',
  'experimental.voice.',
  'experimental.worktrees',
  'experimental.extensionRegistry',
  'experimental.extensionRegistryURI',
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
  'extensions.',
  'experimental.extensionManagement',
  'experimental.extensionReloading',
  'privacy.usageStatisticsEnabled',
  'advanced.autoConfigureMemory',
  'context.discoveryMaxDirs',
  'tools.disableLLMCorrection',
  'ui.renderProcess',
  'ui.terminalBuffer',
  'ui.incrementalRendering',
  'experimental.adk.',
  'experimental.useOSC52Copy',
  // Only a remote administrator may set these, and Castor has no connection to one.
  'admin.secureModeEnabled',
  'admin.extensions.',
  'admin.skills.',
];

export function noEffectOf(key: string): NoEffect | undefined {
  if (isAmong(PLANNED, key)) return 'planned';
  return isAmong(COMPATIBILITY, key) ? 'compatibility' : undefined;
}

function isAmong(names: readonly string[], key: string): boolean {
  return names.some((name) => (name.endsWith('.') ? key.startsWith(name) : key === name));
}

/** Builds the options of the agent for any surface, from what the start decided. Plain fields; it opens nothing. */

import { readModelConfigs, resolveSystemPromptFile, toHookLayers, toMcpLayers } from '@castor/core/program';
import type { WorkspaceAgentOptions } from '@castor/core';
import type { Settings } from '@castor/core/program';
import { chooseSandbox } from './sandbox.ts';
import { loadTrustedConfiguration } from './start.ts';
import type { Start } from './start.ts';
import { USER_HINTS } from './user-hints.ts';

declare const CASTOR_VERSION: string;

type ChosenOptions = Omit<WorkspaceAgentOptions, 'generator' | 'secrets' | 'sessionId'>;

/** Throws ModelConfigError for invalid presets of models. */
export function toAgentOptions(start: Start): ChosenOptions & { mcp: NonNullable<ChosenOptions['mcp']> } {
  const { approval, choice, budget, cwd, home, environment, trustedFolder, sources, settings } = start;
  const { access } = choice;
  const { discoveryCommand, callCommand } = settings.tools;
  return {
    model: choice.model,
    root: cwd,
    home,
    environment,
    trustedFolder,
    sources,
    approvalMode: approval.mode,
    rules: approval.rules,
    includeDirectories: approval.includeDirectories,
    limits: toLimits(settings),
    retry: { maxAttempts: settings.general.maxAttempts, retryNetworkErrors: settings.general.retryFetchErrors },
    features: toFeatures(settings),
    modelConfigs: readModelConfigs(settings.modelConfigs),
    outputMasking: settings.contextManagement.tools.outputMasking,
    toolSettings: toToolSettings(settings),
    redaction: settings.security.environmentVariableRedaction,
    sandbox: chooseSandbox(start),
    planSettings: {
      enabled: settings.general.plan.enabled,
      ...(settings.general.plan.directory === undefined
        ? start.extensions?.plans
        : { directory: settings.general.plan.directory }),
    },
    allowsAlways: !settings.security.disableAlwaysAllow,
    tellsTree: settings.context.includeDirectoryTree,
    searchesReferences: settings.context.fileFiltering.enableRecursiveFileSearch,
    // The offline model follows rules, not instructions: it needs no instructions and no note that they are missing.
    context: access.kind === 'offline' ? NO_CONTEXT_FILES : toContextOptions(settings),
    ignore: toIgnore(settings),
    hookLayers: toHookLayers(start.configuration.layers),
    mcp: toMcpOptions(start),
    skills: toSkillOptions(settings),
    agents: toAgentsOptions(start),
    undo: settings.castor.undo.coverage,
    diagnostics: toDiagnostics(settings),
    checkpointing: settings.general.checkpointing.enabled,
    hints: USER_HINTS,
    isTrustedForRun: isTrustedForRun(start.args, environment),
    systemPrompt: {
      file: resolveSystemPromptFile(environment['GEMINI_SYSTEM_MD'], { root: cwd, home }),
      writeTo: resolveSystemPromptFile(environment['GEMINI_WRITE_SYSTEM_MD'], { root: cwd, home }),
    },
    ...(discoveryCommand && callCommand && { toolCommands: { discovery: discoveryCommand, call: callCommand } }),
    budget,
    policyPaths: approval.policyPaths,
    adminPolicyPaths: approval.adminPolicyPaths,
  };
}

/** Without a program to run nothing is loaded after an edit. */
function toDiagnostics({ castor: { diagnostics } }: Settings): ChosenOptions['diagnostics'] {
  const { mode, servers, formatters, timeout } = diagnostics;
  const isIdle = mode === 'off' && Object.keys(formatters).length === 0;
  return isIdle ? undefined : { mode, servers, formatters, limitMs: timeout * 1000 };
}

function toLimits({ model, tools }: Settings): NonNullable<ChosenOptions['limits']> {
  const { truncateToolOutputThreshold: threshold } = tools;
  return {
    maxSessionTurns: model.maxSessionTurns,
    compressionThreshold: model.compressionThreshold,
    // Without a limit the whole output is kept, up to the model's window.
    toolOutput: threshold > 0 ? threshold : Number.POSITIVE_INFINITY,
  };
}

function toFeatures({ model, general }: Settings): NonNullable<ChosenOptions['features']> {
  return {
    loopDetection: !model.disableLoopDetection,
    nextSpeakerCheck: !model.skipNextSpeakerCheck,
    planRouting: general.plan.modelRouting,
  };
}

function toToolSettings({ tools, experimental, useWriteTodos }: Settings): NonNullable<ChosenOptions['toolSettings']> {
  const { shell, useRipgrep } = tools;
  return {
    interactiveShell: shell.enableInteractiveShell,
    pager: shell.pager,
    inactivityTimeoutMs: shell.inactivityTimeout * 1000,
    maxOutputBytes: shell.maxOutputBytes,
    asksForShortOutput: shell.enableShellOutputEfficiency,
    whenBackgroundEnds: shell.backgroundCompletionBehavior,
    useRipgrep,
    directWebFetch: experimental.directWebFetch,
    writeTodos: useWriteTodos,
  };
}

function toAgentsOptions({ settings, args, configuration }: Start): NonNullable<ChosenOptions['agents']> {
  const { overrides, maxConcurrent, maxDepth } = settings.agents;
  return {
    ...{ overrides, maxConcurrent, maxDepth },
    projectOverrides: configuration.layers.find(({ scope }) => scope === 'workspace')?.values['agents'],
    isEnabled: settings.experimental.enableAgents,
    acknowledgesAll: args.acknowledgeAgents,
    findDocumentation: async () => (await import('./documentation.ts')).documentationFolder(),
  };
}

/** For the list of slash commands. */
export function toListOptions({ home, settings }: Pick<Start, 'home' | 'settings'>) {
  return { home, skills: toSkillOptions(settings), readFilesOf: settings.castor.readFilesOf };
}

function toSkillOptions({ skills, admin, castor }: Settings): NonNullable<ChosenOptions['skills']> {
  return {
    enabled: skills.enabled && admin.skills.enabled,
    disabled: skills.disabled,
    readsClaude: castor.readFilesOf?.includes('claude') ?? false,
  };
}

/** A flag or a variable trusts the folder for this run, as it is now. */
export function isTrustedForRun({ skipTrust }: Start['args'], environment: Start['environment']): boolean {
  return skipTrust === true || environment['GEMINI_CLI_TRUST_WORKSPACE'] === 'true';
}

function toMcpOptions(start: Start): McpOptions {
  const { args, settings, configuration } = start;
  const { promptWait, toolBudget } = settings.mcp;
  return {
    layers: toMcpLayers(configuration.layers),
    reloadLayers: () => toMcpLayers(loadTrustedConfiguration(start).configuration.layers),
    restrictions: toServerRestrictions(args, configuration),
    promptWaitMs: promptWait * 1000,
    openKeyring: async (service) => (await import('../mcp-keyring.ts')).createOpenKeyring(process.env)(service),
    toolBudget,
    clientVersion: CASTOR_VERSION,
  };
}

type McpOptions = NonNullable<ChosenOptions['mcp']>;

export function toServerRestrictions(
  { allowedMcpServerNames: named }: Start['args'],
  { settings: { mcp, admin }, layers }: Pick<Start['configuration'], 'settings' | 'layers'>,
): NonNullable<McpOptions['restrictions']> {
  const { allowed, excluded, startLimit } = mcp;
  const ceiling = (layers.find(({ scope }) => scope === 'system')?.values['mcp'] ?? {}) as Partial<Settings['mcp']>;
  const ofAdmin = { ...admin.mcp, allowed: ceiling.allowed, excluded: ceiling.excluded };
  return { allowed, excluded, admin: ofAdmin, named, startLimitMs: startLimit * 1000 };
}

function toIgnore({ context: { fileFiltering } }: Settings): NonNullable<ChosenOptions['ignore']> {
  return {
    git: fileFiltering.respectGitIgnore,
    gemini: fileFiltering.respectGeminiIgnore,
    customIgnoreFiles: fileFiltering.customIgnoreFilePaths,
  };
}

const NO_CONTEXT_FILES = { fileNames: [], readAgentsFile: false };

export function toContextOptions({ context }: Settings): NonNullable<ChosenOptions['context']> {
  const { fileName, importFormat } = context;
  return {
    ...(fileName !== undefined && { fileNames: typeof fileName === 'string' ? [fileName] : fileName }),
    importFormat,
    readAgentsFile: context.readAgentsFile,
    boundaryMarkers: context.memoryBoundaryMarkers,
    loadFromIncludeDirectories: context.loadMemoryFromIncludeDirectories,
  };
}

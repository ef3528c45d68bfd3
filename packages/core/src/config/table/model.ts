/** Settings of models, their context, and agents. */

import { BOOLEAN, choice, count, flag, optionalChoice, setting, text, texts, TEXTS } from '../define-setting.ts';
import type { Shape } from '../setting-shape.ts';

type JsonObject = Readonly<Record<string, unknown>>;
type JsonObjects = Readonly<Record<string, JsonObject>>;

const OBJECT: Shape = { type: 'object' };
const OBJECTS: Shape = { type: 'object', additionalProperties: OBJECT };
const POSITIVE: Shape = { type: 'integer', minimum: 1 };

function objects(summary: string) {
  return setting<JsonObjects>(OBJECTS, {}, summary);
}

function objectList(summary: string) {
  return setting<readonly JsonObject[]>({ type: 'array', items: OBJECT }, [], summary);
}

export const model = {
  name: text('The model: a name or an alias such as auto, pro or flash.'),
  maxSessionTurns: count(
    -1,
    'The maximum number of turns in a session; -1 for no limit. 0 ends a headless run before its first turn and is no limit elsewhere.',
    { minimum: -1 },
  ),
  summarizeToolOutput: setting<Readonly<Record<string, { readonly tokenBudget?: number }>> | undefined>(
    { type: 'object', additionalProperties: { type: 'object', properties: { tokenBudget: POSITIVE } } },
    undefined,
    'Tools whose long output a model summarises, each with a budget: {"run_shell_command": {"tokenBudget": 2000}}.',
  ),
  compressionThreshold: setting<number>(
    { type: 'number', minimum: 0, maximum: 1 },
    0.5,
    'The fraction of the context window at which Castor compresses the history.',
  ),
  disableLoopDetection: flag(false, 'Disables the loop detector.'),
  skipNextSpeakerCheck: flag(true, 'Skips the request that checks whether the answer was finished.'),
  offline: flag(false, 'Uses the built-in offline model, which sends nothing.', {
    project: 'tighten',
    // A misspelt value would send what must not leave.
    whenInvalid: 'refuse',
  }),
  streamIdleTimeoutMs: count(300_000, 'Milliseconds without data after which Castor ends a stream and retries.', {
    minimum: 1,
  }),
};

export const modelConfigs = {
  aliases: objects('Replaces the built-in presets by name.'),
  customAliases: objects('Your own presets by name: {extends, modelConfig}.'),
  customOverrides: objectList('Settings for matching requests, after the built-in ones: {match, modelConfig}.'),
  overrides: objectList('Replaces the built-in settings for matching requests.'),
  modelDefinitions: objects('Model definitions by name.'),
  modelIdResolutions: objects('The model that a name resolves to, by condition.'),
  classifierIdResolutions: objects('The model that a classifier answer resolves to.'),
  modelChains: setting<Readonly<Record<string, readonly JsonObject[]>>>(
    { type: 'object', additionalProperties: { type: 'array', items: OBJECT } },
    {},
    'Chains of fallback models, by name.',
  ),
};

export const agents = {
  overrides: setting<JsonObjects>(
    { type: 'object', additionalProperties: { type: 'object', properties: { enabled: BOOLEAN } } },
    {},
    'Settings of sub-agents by name, `*` for all: {enabled, modelConfig, runConfig, tools, mcpServers}.',
  ),
  maxConcurrent: count(5, 'How many sub-agents work at once.', { minimum: 1, maximum: 50 }, { project: 'never' }),
  maxDepth: count(
    1,
    'How deep sub-agents may start others; 1: not at all.',
    { minimum: 1, maximum: 5 },
    { project: 'never' },
  ),
  browser: {
    sessionMode: choice(['persistent', 'isolated', 'existing'], 'persistent', 'The browser profile of the agent.'),
    headless: flag(false, 'Runs the browser without a window.'),
    profilePath: text('The profile folder.'),
    visualModel: text('The model that reads screenshots of pages.'),
    allowedDomains: texts(['github.com', '*.google.com', 'localhost'], 'The domains that the browser may open.'),
    disableUserInput: flag(true, 'Blocks user input while the agent controls the browser.'),
    maxActionsPerTask: count(100, 'The maximum number of actions per task.', { minimum: 1 }),
    confirmSensitiveActions: flag(false, 'Asks before sensitive actions.', { project: 'tighten' }),
    blockFileUploads: flag(false, 'Blocks file uploads.', { project: 'tighten' }),
  },
};

export const context = {
  fileName: setting<string | readonly string[] | undefined>(
    { anyOf: [{ type: 'string' }, TEXTS] },
    undefined,
    'The name or names of context files; default: GEMINI.md.',
  ),
  readAgentsFile: flag(true, 'Reads AGENTS.md where there is no GEMINI.md beside it.'),
  importFormat: optionalChoice(['tree', 'flat'], 'The layout of imports in context files.'),
  includeDirectoryTree: flag(true, 'Sends the top of the directory tree to the model at the start.'),
  discoveryMaxDirs: count(
    200,
    'Kept for compatibility: Castor reads context files of subfolders when a tool reaches them.',
  ),
  memoryBoundaryMarkers: texts(['.git'], 'The markers of the topmost folder in which Castor looks for context files.'),
  includeDirectories: texts([], 'Additional workspace directories.', { merge: 'concat' }),
  loadMemoryFromIncludeDirectories: flag(false, 'Reads context files of those folders too.'),
  fileFiltering: {
    respectGitIgnore: flag(true, 'Excludes files that .gitignore names.'),
    respectGeminiIgnore: flag(true, 'Excludes files that .geminiignore names.'),
    enableFileWatcher: flag(false, 'Watches files for the suggestions after @.'),
    enableRecursiveFileSearch: flag(true, 'Searches all subfolders for the text after @.'),
    enableFuzzySearch: flag(true, 'Matches files fuzzily.'),
    customIgnoreFilePaths: texts([], 'Additional ignore files.', { merge: 'union' }),
  },
};

const tokens = (defaultValue: number, summary: string) => count(defaultValue, summary, { minimum: 1 });

export const contextManagement = {
  historyWindow: {
    maxTokens: tokens(150_000, 'Tokens of history at which Castor shortens it.'),
    retainedTokens: tokens(40_000, 'Tokens of history to keep.'),
  },
  messageLimits: {
    normalMaxTokens: tokens(2_500, 'Tokens to keep of an older message.'),
    retainedMaxTokens: tokens(12_000, 'Tokens to keep of a recent message.'),
    normalizationHeadRatio: setting<number>(
      { type: 'number', minimum: 0, maximum: 1 },
      0.25,
      'The fraction of a shortened message that keeps its beginning.',
    ),
  },
  tools: {
    distillation: {
      maxOutputTokens: tokens(10_000, 'Tokens of output above which Castor distils it.'),
      summarizationThresholdTokens: tokens(20_000, 'Tokens of output above which a model summarises it.'),
    },
    outputMasking: {
      protectionThresholdTokens: tokens(50_000, 'Tokens of recent output that Castor never masks.'),
      minPrunableThresholdTokens: tokens(30_000, 'The minimum number of tokens that masking must save.'),
      protectLatestTurn: flag(true, 'Never masks the latest turn.'),
    },
  },
};

/** Settings of models, of what they are told, and of agents. */

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
    'Turns of a session after which it stops; -1 for no limit. 0 ends a headless run at once and is no limit elsewhere.',
    { minimum: -1 },
  ),
  summarizeToolOutput: setting<Readonly<Record<string, { readonly tokenBudget?: number }>> | undefined>(
    { type: 'object', additionalProperties: { type: 'object', properties: { tokenBudget: POSITIVE } } },
    undefined,
    'Tools whose long output a model shortens, each with a budget: {"run_shell_command": {"tokenBudget": 2000}}.',
  ),
  compressionThreshold: setting<number>(
    { type: 'number', minimum: 0, maximum: 1 },
    0.5,
    'The part of the context window at which the history is compressed.',
  ),
  disableLoopDetection: flag(false, 'Lets the model repeat itself.'),
  skipNextSpeakerCheck: flag(true, 'Does not ask a model whether the answer was finished.'),
  offline: flag(false, 'Uses the built-in offline model; nothing is sent anywhere.', { project: 'tighten' }),
  streamIdleTimeoutMs: count(300_000, 'Milliseconds of silence after which a stream is given up and tried again.', {
    minimum: 1,
  }),
};

export const modelConfigs = {
  aliases: objects('Replaces the built-in presets by name.'),
  customAliases: objects('Presets of your own by name: {extends, modelConfig}.'),
  customOverrides: objectList('Settings for matching requests, after the built-in ones: {match, modelConfig}.'),
  overrides: objectList('Replaces the built-in settings for matching requests.'),
  modelDefinitions: objects('What is known of a model, by name.'),
  modelIdResolutions: objects('Which model a name stands for, by condition.'),
  classifierIdResolutions: objects('Which model a classifier answer stands for.'),
  modelChains: setting<Readonly<Record<string, readonly JsonObject[]>>>(
    { type: 'object', additionalProperties: { type: 'array', items: OBJECT } },
    {},
    'Which models stand in for one another, by name of the chain.',
  ),
};

export const agents = {
  overrides: setting<JsonObjects>(
    { type: 'object', additionalProperties: { type: 'object', properties: { enabled: BOOLEAN } } },
    {},
    'Settings of single sub-agents by name: {enabled, runConfig, modelConfig}.',
  ),
  browser: {
    sessionMode: choice(
      ['persistent', 'isolated', 'existing'],
      'persistent',
      'Which browser profile the agent works in.',
    ),
    headless: flag(false, 'Without a window.'),
    profilePath: text('The profile folder.'),
    visualModel: text('The model that looks at pages.'),
    allowedDomains: texts(['github.com', '*.google.com', 'localhost'], 'Where the browser may go.'),
    disableUserInput: flag(true, 'Keeps people from clicking while the agent does.'),
    maxActionsPerTask: count(100, 'Actions of one task.', { minimum: 1 }),
    confirmSensitiveActions: flag(false, 'Asks before sensitive actions.', { project: 'tighten' }),
    blockFileUploads: flag(false, 'Never uploads a file.', { project: 'tighten' }),
  },
};

export const context = {
  fileName: setting<string | readonly string[] | undefined>(
    { anyOf: [{ type: 'string' }, TEXTS] },
    undefined,
    'The name, or names, of context files; default GEMINI.md.',
  ),
  readAgentsFile: flag(true, 'Reads AGENTS.md where there is no GEMINI.md beside it.'),
  importFormat: optionalChoice(['tree', 'flat'], 'How imports in context files are laid out.'),
  includeDirectoryTree: flag(true, 'Tells the model the top of the tree of the folder, at the start.'),
  discoveryMaxDirs: count(
    200,
    'Kept for compatibility: context files of deeper folders are read when a tool gets there.',
  ),
  memoryBoundaryMarkers: texts(['.git'], 'What marks the folder above which no context file is looked for.'),
  includeDirectories: texts([], 'Further folders of the workspace.', { merge: 'concat' }),
  loadMemoryFromIncludeDirectories: flag(false, 'Reads context files of those folders too.'),
  fileFiltering: {
    respectGitIgnore: flag(true, 'Leaves out what .gitignore names.'),
    respectGeminiIgnore: flag(true, 'Leaves out what .geminiignore names.'),
    enableFileWatcher: flag(false, 'Watches the files offered after @.'),
    enableRecursiveFileSearch: flag(true, 'Searches all folders for what is typed after @.'),
    enableFuzzySearch: flag(true, 'Finds files by scattered letters.'),
    customIgnoreFilePaths: texts([], 'Further ignore files.', { merge: 'union' }),
  },
};

const tokens = (defaultValue: number, summary: string) => count(defaultValue, summary, { minimum: 1 });

export const contextManagement = {
  historyWindow: {
    maxTokens: tokens(150_000, 'Tokens of history at which it is shortened.'),
    retainedTokens: tokens(40_000, 'Tokens that are kept then.'),
  },
  messageLimits: {
    normalMaxTokens: tokens(2_500, 'Tokens of an older message that are kept.'),
    retainedMaxTokens: tokens(12_000, 'Tokens of a recent message that are kept.'),
    normalizationHeadRatio: setting<number>(
      { type: 'number', minimum: 0, maximum: 1 },
      0.25,
      'The part of a shortened message that is its beginning.',
    ),
  },
  tools: {
    distillation: {
      maxOutputTokens: tokens(10_000, 'Tokens of output above which it is distilled.'),
      summarizationThresholdTokens: tokens(20_000, 'Tokens of output above which a model sums it up.'),
    },
    outputMasking: {
      protectionThresholdTokens: tokens(50_000, 'Tokens of recent output that are never masked.'),
      minPrunableThresholdTokens: tokens(30_000, 'Tokens that masking must save to be done.'),
      protectLatestTurn: flag(true, 'Never masks the latest turn.'),
    },
  },
};

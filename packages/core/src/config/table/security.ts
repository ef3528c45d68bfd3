/** Settings of safety, of what a remote administrator says, and of what is being tried out. */

import { choice, count, flag, setting, text, texts } from '../define-setting.ts';
import type { SettingExtras } from '../define-setting.ts';
import type { Shape } from '../setting-shape.ts';

const RESTRICTION: SettingExtras<boolean> = { project: 'tighten', whenInvalid: { use: true } };

export const security = {
  toolSandboxing: flag(
    false,
    'Runs each tool in a sandbox of its own. Castor has none yet, and ends with 44 where one is asked for.',
    RESTRICTION,
  ),
  disableYoloMode: flag(false, 'Refuses the mode in which nothing is asked.', RESTRICTION),
  disableAlwaysAllow: flag(false, 'Approvals hold for one call only.', RESTRICTION),
  enablePermanentToolApproval: flag(false, 'Offers approvals for all later sessions.', { project: 'never' }),
  autoAddToPolicyByDefault: flag(
    false,
    'Such an approval is the proposed one, in a trusted folder, for edits and pages.',
    { project: 'never' },
  ),
  blockGitExtensions: flag(false, 'Refuses extensions from git.', RESTRICTION),
  allowedExtensions: texts([], 'Patterns of the sources extensions may come from; empty for any.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  folderTrust: {
    enabled: flag(true, 'Asks whether a folder is trusted; off means that every folder is.', {
      project: 'never',
      whenInvalid: { use: true },
    }),
  },
  environmentVariableRedaction: {
    allowed: texts([], 'Names that are never removed.', { project: 'never' }),
    blocked: texts([], 'Names that are always removed.'),
    enabled: flag(false, 'Removes variables that look like secrets from the environment of commands.', RESTRICTION),
  },
  auth: {
    selectedType: text(
      'How requests are authorised: oauth-personal, gemini-api-key, vertex-ai, compute-default-credentials, gateway.',
      { project: 'never' },
    ),
    enforcedType: text('The only way requests may be authorised.', { project: 'never', whenInvalid: 'refuse' }),
    useExternal: setting<boolean | undefined>(
      { type: 'boolean' },
      undefined,
      'Leaves authorisation to somebody else: no key of yours is asked for.',
      { project: 'never' },
    ),
  },
  enableConseca: flag(
    false,
    'Checks each call against what the prompt asked for. Castor cannot yet, and ends with 52 where it is asked for.',
    RESTRICTION,
  ),
};

const REMOTE = ' Only what a remote administrator says counts, never a file.';

export const admin = {
  secureModeEnabled: flag(false, `No yolo mode.${REMOTE}`),
  extensions: { enabled: flag(true, `Extensions may be used.${REMOTE}`) },
  mcp: {
    enabled: flag(true, `Servers may be used.${REMOTE}`),
    config: setting<Readonly<Record<string, unknown>>>({ type: 'object' }, {}, `The only servers.${REMOTE}`),
    requiredConfig: setting<Readonly<Record<string, unknown>>>(
      { type: 'object' },
      {},
      `Servers that are always used.${REMOTE}`,
    ),
  },
  skills: { enabled: flag(true, `Skills may be used.${REMOTE}`) },
};

const GEMMA_CLASSIFIER: Shape = { type: 'object', properties: { host: { type: 'string' }, model: { type: 'string' } } };

export const experimental = {
  gemma: flag(true, 'Offers Gemma models.'),
  voiceMode: flag(false, 'Takes prompts by voice.'),
  voice: {
    activationMode: choice(['push-to-talk', 'toggle'], 'push-to-talk', 'How listening starts.'),
    backend: choice(['gemini-live', 'whisper'], 'gemini-live', 'Who understands speech.'),
    whisperModel: text('The Whisper model.'),
    stopGracePeriodMs: count(4_000, 'Milliseconds of silence that end a prompt.'),
  },
  adk: {
    agentSessionNoninteractiveEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
    agentSessionInteractiveEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
    agentSessionSubagentEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
  },
  enableAgents: flag(true, 'Offers sub-agents.'),
  worktrees: flag(false, 'Offers sessions in a git worktree of their own.'),
  extensionManagement: flag(true, 'Offers commands for extensions.'),
  extensionConfig: flag(true, 'Extensions may have settings.'),
  extensionRegistry: flag(false, 'Looks for extensions in a registry.'),
  extensionRegistryURI: text('The registry of extensions.', { project: 'never' }),
  extensionReloading: flag(false, 'Loads changed extensions without a restart.'),
  useOSC52Paste: flag(false, 'Pastes through the terminal.'),
  useOSC52Copy: flag(false, 'Kept for compatibility: /copy always goes through the terminal.'),
  taskTracker: flag(false, 'Offers a tracker of tasks to the model.'),
  modelSteering: flag(false, 'What is typed while the agent works reaches the model at once.'),
  directWebFetch: flag(false, 'Fetches pages without asking a model.'),
  dynamicModelConfiguration: flag(false, 'Takes what is known of models from modelConfigs.'),
  gemmaModelRouter: {
    enabled: flag(false, 'A local Gemma model chooses the model.'),
    autoStartServer: flag(false, 'Starts its server.', { project: 'never' }),
    binaryPath: text('Its program.', { project: 'never' }),
    classifier: setting<Readonly<Record<string, unknown>>>(
      GEMMA_CLASSIFIER,
      {},
      'Its address and model: {host, model}.',
      { project: 'never' },
    ),
  },
  stressTestProfile: flag(false, 'A profile of context management for tests under load.'),
  generalistProfile: flag(false, 'A profile of context management for any work.'),
  powerUserProfile: flag(false, 'A profile of context management for long sessions.'),
  contextManagement: flag(false, 'Shortens the history piece by piece (contextManagement).'),
  autoMemory: flag(false, 'Writes down what a session taught.'),
  topicUpdateNarration: flag(false, 'Deprecated: use general.topicUpdateNarration.'),
};

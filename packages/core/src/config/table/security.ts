/** Settings of security, remote administration, and experiments. */

import { choice, count, flag, setting, text, texts } from '../define-setting.ts';
import type { SettingExtras } from '../define-setting.ts';
import type { Shape } from '../setting-shape.ts';

const RESTRICTION: SettingExtras<boolean> = { project: 'tighten', whenInvalid: { use: true } };

export const security = {
  toolSandboxing: flag(false, 'Runs each command in its own sandbox, as tools.sandbox: true does.', RESTRICTION),
  disableYoloMode: flag(false, 'Disables YOLO mode.', RESTRICTION),
  disableAlwaysAllow: flag(false, 'Limits approvals to one call.', RESTRICTION),
  enablePermanentToolApproval: flag(false, 'Offers approvals for all future sessions.', { project: 'never' }),
  autoAddToPolicyByDefault: flag(false, 'Preselects that approval for edits and pages in a trusted folder.', {
    project: 'never',
  }),
  blockGitExtensions: flag(false, 'Rejects extensions from git.', RESTRICTION),
  allowedExtensions: texts([], 'Patterns of allowed extension sources; empty allows any.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  folderTrust: {
    enabled: flag(true, 'Asks whether a folder is trusted; false trusts every folder.', {
      project: 'never',
      whenInvalid: { use: true },
    }),
  },
  environmentVariableRedaction: {
    allowed: texts(
      [],
      'Names of variables that commands get though they hold secrets; `*` stands for any characters.',
      {
        project: 'never',
      },
    ),
    blocked: texts([], 'Names that Castor always removes.'),
    enabled: flag(
      false,
      'Removes also variables that only look like secrets from the environment of commands; those that hold one are always removed.',
      RESTRICTION,
    ),
  },
  auth: {
    selectedType: text(
      'How requests are authorised: oauth-personal, gemini-api-key, vertex-ai, compute-default-credentials, gateway.',
      { project: 'never' },
    ),
    enforcedType: text('The only allowed way to authorise requests.', { project: 'never', whenInvalid: 'refuse' }),
    useExternal: setting<boolean | undefined>(
      { type: 'boolean' },
      undefined,
      'Leaves authorisation to an external program: Castor asks for no key.',
      { project: 'never' },
    ),
  },
  enableConseca: flag(
    false,
    'Checks each call against the request of the prompt. Unsupported yet: Castor exits with 52 when it is enabled.',
    RESTRICTION,
  ),
};

const REMOTE = ' Only a remote administrator can set it.';
const ADMINISTRATOR = " Only the administrator's settings file can set it.";
const CLOSED = { whenInvalid: 'refuse' } as const;

export const admin = {
  secureModeEnabled: flag(false, `Disables YOLO mode.${REMOTE}`),
  extensions: { enabled: flag(true, `Allows extensions.${REMOTE}`) },
  mcp: {
    enabled: flag(true, `Allows MCP servers.${ADMINISTRATOR}`, CLOSED),
    config: setting<Readonly<Record<string, unknown>>>(
      { type: 'object' },
      {},
      `The only allowed MCP servers by name, with their \`url\`, \`type\` and \`trust\`; empty: no restriction.${ADMINISTRATOR}`,
      CLOSED,
    ),
    requiredConfig: setting<Readonly<Record<string, unknown>>>(
      { type: 'object' },
      {},
      `MCP servers with a url that are always configured.${ADMINISTRATOR}`,
      CLOSED,
    ),
  },
  skills: { enabled: flag(true, `Allows skills.${REMOTE}`) },
};

const GEMMA_CLASSIFIER: Shape = { type: 'object', properties: { host: { type: 'string' }, model: { type: 'string' } } };

export const experimental = {
  gemma: flag(true, 'Offers Gemma models.'),
  voiceMode: flag(false, 'Takes prompts by voice.'),
  voice: {
    activationMode: choice(['push-to-talk', 'toggle'], 'push-to-talk', 'How voice input starts.'),
    backend: choice(['gemini-live', 'whisper'], 'gemini-live', 'The speech recognition backend.'),
    whisperModel: text('The Whisper model.'),
    stopGracePeriodMs: count(4_000, 'Milliseconds of silence that end a prompt.'),
  },
  adk: {
    agentSessionNoninteractiveEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
    agentSessionInteractiveEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
    agentSessionSubagentEnabled: flag(false, 'Kept for compatibility: Castor has one loop.'),
  },
  enableAgents: flag(true, 'Offers sub-agents.'),
  worktrees: flag(false, 'Offers sessions in their own git worktree.'),
  extensionManagement: flag(true, 'Offers commands for extensions.'),
  extensionConfig: flag(true, 'Allows settings of extensions.'),
  extensionRegistry: flag(false, 'Looks for extensions in a registry.'),
  extensionRegistryURI: text('The registry of extensions.', { project: 'never' }),
  extensionReloading: flag(false, 'Loads changed extensions without a restart.'),
  useOSC52Paste: flag(false, 'Pastes through the terminal.'),
  useOSC52Copy: flag(false, 'Kept for compatibility: /copy always goes through the terminal.'),
  taskTracker: flag(false, 'Offers a task tracker to the model.'),
  modelSteering: flag(false, 'Sends text typed while the agent works with its next request.'),
  directWebFetch: flag(false, 'Fetches pages without a request to a model.'),
  dynamicModelConfiguration: flag(false, 'Reads model definitions from modelConfigs.'),
  gemmaModelRouter: {
    enabled: flag(false, 'Selects the model with a local Gemma model.'),
    autoStartServer: flag(false, 'Starts the Gemma server.', { project: 'never' }),
    binaryPath: text('The program of the Gemma server.', { project: 'never' }),
    classifier: setting<Readonly<Record<string, unknown>>>(
      GEMMA_CLASSIFIER,
      {},
      'The address and model of the Gemma classifier: {host, model}.',
      { project: 'never' },
    ),
  },
  stressTestProfile: flag(false, 'A context management profile for load tests.'),
  generalistProfile: flag(false, 'A context management profile for general work.'),
  powerUserProfile: flag(false, 'A context management profile for long sessions.'),
  contextManagement: flag(false, 'Shortens the history gradually (contextManagement).'),
  autoMemory: flag(false, 'Saves what the agent learned in a session.'),
  topicUpdateNarration: flag(false, 'Deprecated: use general.topicUpdateNarration.'),
};

/** Settings of the program as such, of its reports and of what it sends where. */

import { choice, count, flag, optionalChoice, setting, text, textOr, texts } from '../define-setting.ts';

export const general = {
  preferredEditor: text(
    'The editor that opens for a change: vscode, vscodium, windsurf, cursor, zed, antigravity, vim, neovim, emacs, hx, sublimetext, lapce, nova, bbedit.',
    { project: 'never' },
  ),
  openEditorInNewWindow: flag(false, 'Opens a graphical editor in a window of its own.'),
  vimMode: flag(false, 'Vim keys in the prompt.'),
  defaultApprovalMode: choice(
    ['default', 'auto_edit', 'plan'],
    'default',
    'What tools may do without asking when no flag says so; yolo is a flag only.',
  ),
  devtools: flag(false, 'Opens the developer tools of the terminal surface.'),
  enableAutoUpdate: flag(true, 'Updates the program by itself.'),
  enableAutoUpdateNotification: flag(true, 'Says when there is a newer version.'),
  enableNotifications: flag(false, 'Notifies the desktop when the agent waits or is done.'),
  notificationMethod: choice(['auto', 'osc9', 'osc777', 'bell'], 'auto', 'How the terminal is asked to notify.'),
  checkpointing: {
    enabled: flag(false, 'Keeps a snapshot of the project before each change by a tool.'),
  },
  plan: {
    enabled: flag(true, 'Offers plan mode.'),
    directory: text('Where plans are kept; default the temporary folder of the session.'),
    modelRouting: flag(true, 'Plans with the larger model and carries out with the faster one.'),
  },
  retryFetchErrors: flag(true, 'Tries again when the connection fails.'),
  maxAttempts: count(10, 'Attempts for one request.', { minimum: 1, maximum: 10 }),
  debugKeystrokeLogging: flag(false, 'Logs each key for debugging.'),
  sessionRetention: {
    enabled: flag(true, 'Deletes old sessions.', { project: 'never' }),
    maxAge: textOr('30d', 'Sessions older than this are deleted: a number with h, d, w or m.', { project: 'never' }),
    maxCount: setting<number | undefined>(
      { type: 'integer', minimum: 1 },
      undefined,
      'Sessions of a project that are kept.',
      { project: 'never' },
    ),
    minRetention: textOr('1d', 'Sessions younger than this are never deleted.', { project: 'never' }),
  },
  topicUpdateNarration: flag(true, 'The model says what it turns to, in one line.'),
  logRagSnippets: flag(false, 'Logs what a search for context found.'),
};

export const output = {
  format: choice(['text', 'json', 'stream-json'], 'text', 'The output format when no flag says so.'),
};

export const ide = {
  enabled: flag(false, 'Connects to the editor the terminal runs in.'),
  hasSeenNudge: flag(false, 'Whether the editor connection has been offered.'),
};

export const privacy = {
  usageStatisticsEnabled: flag(true, 'Kept for compatibility: Castor sends no usage statistics, whatever this says.', {
    project: 'never',
  }),
};

export const telemetry = {
  enabled: flag(false, 'Records telemetry. Off means no cost and no connection.'),
  traces: flag(false, 'Records traces with the contents of requests.'),
  target: choice(['local', 'gcp'], 'local', 'Where telemetry goes when there is no outfile.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  otlpEndpoint: textOr('http://localhost:4317', 'The OTLP collector.', { project: 'never' }),
  otlpProtocol: choice(['grpc', 'http'], 'grpc', 'The protocol of the OTLP collector.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  logPrompts: flag(true, 'Includes the text of prompts.'),
  outfile: text('Appends telemetry to this file instead of any connection.', { project: 'never' }),
  useCollector: flag(false, 'Sends to a collector of your own instead of to Google Cloud directly.', {
    project: 'never',
  }),
  useCliAuth: flag(false, 'Sends to Google Cloud with the credentials of the program.', { project: 'never' }),
};

export const billing = {
  overageStrategy: choice(['ask', 'always', 'never'], 'ask', 'Whether paid credits are used when the quota is gone.', {
    project: 'never',
  }),
  vertexAi: {
    requestType: optionalChoice(['dedicated', 'shared'], 'Which Vertex AI throughput is used.', { project: 'never' }),
    sharedRequestType: optionalChoice(['priority', 'flex'], 'Which kind of shared Vertex AI throughput is used.', {
      project: 'never',
    }),
  },
};

export const advanced = {
  autoConfigureMemory: flag(true, 'Kept for compatibility: Castor does not start itself again with a larger heap.'),
  dnsResolutionOrder: optionalChoice(['ipv4first', 'verbatim'], 'The order of addresses a name resolves to.'),
  excludedEnvVars: texts(
    ['DEBUG', 'DEBUG_MODE'],
    'Names that are not taken from a .env file outside a .gemini folder.',
    { merge: 'union' },
  ),
  ignoreLocalEnv: flag(false, 'Ignores .env files outside .gemini folders.', { project: 'tighten' }),
  bugCommand: setting<{ readonly urlTemplate?: string } | undefined>(
    { type: 'object', properties: { urlTemplate: { type: 'string' } } },
    undefined,
    'The address /bug opens, with {title} and {info}.',
    { project: 'never' },
  ),
};

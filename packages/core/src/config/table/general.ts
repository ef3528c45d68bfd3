/** Settings of the program in general, its reports, and the data it sends. */

import { choice, count, flag, optionalChoice, setting, text, textOr, texts } from '../define-setting.ts';

export const general = {
  preferredEditor: text(
    'The editor for prompts and proposed edits: vscode, vscodium, windsurf, cursor, zed, antigravity, vim, neovim, emacs, hx, sublimetext, lapce, nova, bbedit.',
    { project: 'never' },
  ),
  openEditorInNewWindow: flag(false, 'Opens a graphical editor in a new window.'),
  vimMode: flag(false, 'Enables vim keys in the prompt.'),
  defaultApprovalMode: choice(
    ['default', 'auto_edit', 'plan'],
    'default',
    'The approval mode when no flag sets one; yolo is available as a flag only.',
  ),
  devtools: flag(false, 'Opens the developer tools of the terminal surface.'),
  enableAutoUpdate: flag(true, 'Updates the program automatically.'),
  enableAutoUpdateNotification: flag(true, 'Notifies about a newer version.'),
  enableNotifications: flag(false, 'Sends a desktop notification when the agent waits or has finished.'),
  notificationMethod: choice(['auto', 'osc9', 'osc777', 'bell'], 'auto', 'The notification method of the terminal.'),
  checkpointing: {
    enabled: flag(false, 'Writes a restore point before each edit, for /restore; /undo works without it.'),
  },
  plan: {
    enabled: flag(true, 'Offers plan mode.'),
    directory: text('The folder of plans; default: the temporary folder of the session.'),
    modelRouting: flag(true, 'Uses the larger model for planning and the faster one for implementation.'),
  },
  retryFetchErrors: flag(true, 'Retries when the connection fails.'),
  maxAttempts: count(10, 'The maximum number of attempts per request.', { minimum: 1, maximum: 10 }),
  debugKeystrokeLogging: flag(false, 'Logs each key for debugging.'),
  sessionRetention: {
    enabled: flag(true, 'Deletes old sessions.', { project: 'never' }),
    maxAge: textOr('30d', 'Deletes sessions older than this: a number with h, d, w or m.', { project: 'never' }),
    maxCount: setting<number | undefined>(
      { type: 'integer', minimum: 1 },
      undefined,
      'The number of sessions to keep per project.',
      { project: 'never' },
    ),
    minRetention: textOr('1d', 'Never deletes sessions younger than this.', { project: 'never' }),
  },
  topicUpdateNarration: flag(true, 'The model announces each new topic in one line.'),
  logRagSnippets: flag(false, 'Logs the results of context searches.'),
};

export const output = {
  format: choice(['text', 'json', 'stream-json'], 'text', 'The output format when no flag sets one.'),
};

export const ide = {
  enabled: flag(false, 'Connects to the editor that contains the terminal.'),
  hasSeenNudge: flag(false, 'Whether the editor connection has been offered.'),
};

export const privacy = {
  usageStatisticsEnabled: flag(true, 'Kept for compatibility: Castor never sends usage statistics.', {
    project: 'never',
  }),
};

export const telemetry = {
  enabled: flag(false, 'Records telemetry. While it is off, Castor opens no connection for it.'),
  traces: flag(false, 'Records traces with the contents of requests.'),
  target: choice(['local', 'gcp'], 'local', 'The destination of telemetry without an outfile.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  otlpEndpoint: textOr('http://localhost:4317', 'The OTLP collector.', { project: 'never' }),
  otlpProtocol: choice(['grpc', 'http'], 'grpc', 'The protocol of the OTLP collector.', {
    project: 'never',
    whenInvalid: 'refuse',
  }),
  logPrompts: flag(true, 'Includes the text of prompts.'),
  outfile: text('Appends telemetry to this file instead of sending it.', { project: 'never' }),
  useCollector: flag(false, 'Sends telemetry to your own collector instead of directly to Google Cloud.', {
    project: 'never',
  }),
  useCliAuth: flag(false, 'Sends telemetry to Google Cloud with the credentials of the program.', { project: 'never' }),
};

export const billing = {
  overageStrategy: choice(
    ['ask', 'always', 'never'],
    'ask',
    'Whether to use paid credits after the quota is exhausted.',
    {
      project: 'never',
    },
  ),
  vertexAi: {
    requestType: optionalChoice(['dedicated', 'shared'], 'The Vertex AI throughput.', { project: 'never' }),
    sharedRequestType: optionalChoice(['priority', 'flex'], 'The kind of shared Vertex AI throughput.', {
      project: 'never',
    }),
  },
};

export const advanced = {
  autoConfigureMemory: flag(true, 'Kept for compatibility: Castor does not restart itself with a larger heap.'),
  dnsResolutionOrder: optionalChoice(['ipv4first', 'verbatim'], 'The order of the addresses of a host name.'),
  excludedEnvVars: texts(
    ['DEBUG', 'DEBUG_MODE'],
    'Names that Castor ignores in a .env file outside a .gemini folder.',
    { merge: 'union' },
  ),
  ignoreLocalEnv: flag(false, 'Ignores .env files outside .gemini folders.', { project: 'tighten' }),
  bugCommand: setting<{ readonly urlTemplate?: string } | undefined>(
    { type: 'object', properties: { urlTemplate: { type: 'string' } } },
    undefined,
    'The URL that /bug opens, with {title} and {info}.',
    { project: 'never' },
  ),
};

/** Settings of tools, MCP servers, hooks, skills and extensions. */

import {
  BOOLEAN,
  choice,
  count,
  flag,
  optionalTexts,
  setting,
  text,
  TEXT,
  TEXT_MAP,
  textOr,
  TEXTS,
  texts,
} from '../define-setting.ts';
import type { Shape } from '../setting-shape.ts';

export interface SandboxSettings {
  readonly enabled?: boolean;
  readonly command?: string;
  readonly image?: string;
  readonly allowedPaths?: readonly string[];
  readonly networkAccess?: boolean;
}

const SANDBOX: Shape = {
  anyOf: [
    BOOLEAN,
    TEXT,
    {
      type: 'object',
      properties: { enabled: BOOLEAN, command: TEXT, image: TEXT, allowedPaths: TEXTS, networkAccess: BOOLEAN },
    },
  ],
};

export const tools = {
  sandbox: setting<boolean | string | SandboxSettings | undefined>(
    SANDBOX,
    undefined,
    'Runs each command in a sandbox (true, bwrap, sandbox-exec), or the whole program in a container (docker, podman, runsc, lxc); or {enabled, command, image, allowedPaths, networkAccess}.',
    { project: 'tighten', projectKeys: ['enabled', 'command'], whenInvalid: { use: true } },
  ),
  sandboxAllowedPaths: texts([], 'Additional folders that the sandbox may write.', { project: 'never' }),
  sandboxNetworkAccess: flag(false, 'Lets the sandbox reach package registries.', {
    project: 'never',
  }),
  autoAllowSandboxed: choice(
    ['never', 'auto_edit', 'always'],
    'auto_edit',
    'When a command in the sandbox needs no approval.',
    { project: 'never' },
  ),
  shell: {
    enableInteractiveShell: flag(true, 'Runs commands in their own terminal, so they can read input.'),
    backgroundCompletionBehavior: choice(
      ['silent', 'inject', 'notify'],
      'silent',
      'The reaction to the end of a background command: none (silent), a message for the user (notify), or also for the model (inject).',
    ),
    pager: textOr('cat', 'The pager of commands.'),
    showColor: flag(true, 'Shows the colours of commands.'),
    inactivityTimeout: count(300, 'Seconds without output after which Castor ends a command; 0 for no limit.'),
    maxOutputBytes: count(
      64 * 1024 * 1024,
      'Bytes of output after which Castor stops a command, in the background too; 0 for no limit.',
    ),
    enableShellOutputEfficiency: flag(true, 'Asks the model to keep output short.'),
  },
  core: optionalTexts('The only available built-in tools; run_shell_command(git) names a command.', {
    whenInvalid: { use: [] },
  }),
  allowed: optionalTexts('Tools that need no approval; run_shell_command(git) names a command.'),
  confirmationRequired: optionalTexts('Tools that always need an approval.', { whenInvalid: { use: ['*'] } }),
  exclude: optionalTexts('Tools that Castor never runs.', { merge: 'union', whenInvalid: 'refuse' }),
  discoveryCommand: text('A command that lists additional tools as JSON.'),
  callCommand: text('A command that runs a listed tool.'),
  useRipgrep: flag(true, 'Searches with ripgrep if it is available.'),
  truncateToolOutputThreshold: count(
    40_000,
    'Characters of output above which Castor writes the rest to a file; 0 or less: only the context window limits it.',
    {
      minimum: -1,
    },
  ),
  disableLLMCorrection: flag(true, 'Kept for compatibility: Castor does not ask a model to correct an edit.'),
};

export const mcp = {
  serverCommand: text('A command that starts an MCP server.'),
  allowed: optionalTexts('The only MCP servers that Castor uses.', {
    merge: 'intersect',
    whenInvalid: { use: [] },
  }),
  excluded: optionalTexts('MCP servers that Castor never uses.', { merge: 'concat', whenInvalid: 'refuse' }),
  autoAllowInHeadless: flag(false, 'Lets tools of MCP servers run without approval where no user can be asked.', {
    project: 'never',
  }),
  promptWait: count(5, 'How many seconds the first prompt waits for MCP servers that are still connecting.', {
    minimum: 0,
  }),
  toolBudget: count(8192, 'Bytes of MCP tool declarations above which tools are announced by name; 0: no limit.', {
    minimum: 0,
  }),
  startLimit: count(30, 'How many seconds an MCP server may take to connect and to list its tools.', { minimum: 1 }),
};

export interface McpServerSettings {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly httpUrl?: string;
  readonly tcp?: string;
  readonly type?: 'stdio' | 'sse' | 'http';
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly trust?: boolean;
  readonly description?: string;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly sampling?: 'off' | 'ask' | 'allow';
  readonly oauth?: Readonly<Record<string, unknown>>;
  readonly authProviderType?: string;
  readonly targetAudience?: string;
  readonly targetServiceAccount?: string;
}

export const MCP_SERVER: Shape = {
  type: 'object',
  properties: {
    command: TEXT,
    args: TEXTS,
    env: TEXT_MAP,
    cwd: TEXT,
    url: TEXT,
    httpUrl: TEXT,
    tcp: TEXT,
    type: { type: 'string', enum: ['stdio', 'sse', 'http'] },
    headers: TEXT_MAP,
    timeout: { type: 'number', minimum: 0 },
    trust: BOOLEAN,
    description: TEXT,
    includeTools: TEXTS,
    excludeTools: TEXTS,
    sampling: { type: 'string', enum: ['off', 'ask', 'allow'] },
    oauth: { type: 'object' },
    authProviderType: {
      type: 'string',
      enum: ['dynamic_discovery', 'google_credentials', 'service_account_impersonation'],
    },
    targetAudience: TEXT,
    targetServiceAccount: TEXT,
  },
};

export const mcpServers = setting<Readonly<Record<string, McpServerSettings>>>(
  { type: 'object', additionalProperties: MCP_SERVER },
  {},
  'MCP servers by name.',
  { merge: 'shallow' },
);

/** The raw form with its required types; the hook room validates names of events and matchers. */
export interface HookGroupSettings {
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly hooks?: readonly HookSettings[];
}

export interface HookSettings {
  readonly type?: string;
  readonly command?: string;
  readonly name?: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const HOOK: Shape = {
  type: 'object',
  properties: {
    type: TEXT,
    command: TEXT,
    name: TEXT,
    timeout: { type: 'number', minimum: 0 },
    description: TEXT,
    env: TEXT_MAP,
  },
};

const HOOK_GROUPS: Shape = {
  type: 'array',
  items: {
    type: 'object',
    properties: { matcher: TEXT, sequential: BOOLEAN, hooks: { type: 'array', items: HOOK } },
  },
};

function hookEvent(moment: string) {
  return setting<readonly HookGroupSettings[]>(HOOK_GROUPS, [], `Hooks that run ${moment}.`, { merge: 'concat' });
}

export const hooks = {
  BeforeTool: hookEvent('before a tool'),
  AfterTool: hookEvent('after a tool'),
  BeforeAgent: hookEvent('when a prompt arrives'),
  AfterAgent: hookEvent('when the agent has finished a prompt'),
  Notification: hookEvent('when Castor notifies the user'),
  SessionStart: hookEvent('when a session starts'),
  SessionEnd: hookEvent('when a session ends'),
  PreCompress: hookEvent('before the history is compressed'),
  BeforeModel: hookEvent('before a request to the model'),
  AfterModel: hookEvent('after each piece of an answer'),
  BeforeToolSelection: hookEvent('before the model chooses tools'),
};

export const hooksConfig = {
  enabled: flag(true, 'Runs hooks.'),
  disabled: texts([], 'Hooks that never run, by name or command.', { merge: 'union' }),
  notifications: flag(true, 'Shows running hooks.'),
};

export const skills = {
  enabled: flag(true, 'Offers skills to the model.'),
  disabled: texts([], 'Skills that Castor never offers.', { merge: 'union' }),
};

export const extensions = {
  disabled: texts([], 'Disabled extensions.', { merge: 'union' }),
  workspacesWithMigrationNudge: texts([], 'Folders in which Castor has offered to migrate extensions.', {
    merge: 'union',
  }),
};

/** Settings of model providers beside the Gemini API, and Castor's own: its model, other agents' files, undo. */

import { BOOLEAN, choice, flag, setting, text, TEXT, TEXT_MAP, TEXTS } from '../define-setting.ts';
import type { Shape } from '../setting-shape.ts';

const COUNT: Shape = { type: 'integer', minimum: 1 };
const PRICE: Shape = { type: 'number', minimum: 0 };

const oneOf = (...names: string[]): Shape => ({ type: 'string', enum: names });
const object = (properties: Readonly<Record<string, Shape>>): Shape => ({ type: 'object', properties });

/** What a user knows of a model. */
export interface ModelSettings {
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly input?: readonly ('text' | 'image' | 'pdf')[];
  readonly tools?: boolean;
  readonly reasoning?: ReasoningSettings;
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly cacheWrite?: number;
  };
}

export interface ReasoningSettings {
  readonly field?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  readonly echo?: 'always' | 'calls' | 'never';
  readonly knob?: 'effort' | 'openrouter' | 'deepseek' | 'thinking-type' | 'enable-thinking';
}

/** Deviations of a server from its protocol; the built-in providers have theirs. */
export interface QuirkSettings {
  readonly systemRole?: 'system' | 'developer';
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  readonly streamOptions?: boolean;
  readonly toolChoice?: boolean;
  readonly cacheKey?: boolean;
  readonly cacheControl?: boolean;
  readonly callIdLength?: number;
  readonly bridgeAfterTool?: boolean;
  readonly openSchemas?: boolean;
  readonly formBesideTools?: boolean;
  readonly reasoningApart?: boolean;
  readonly textCalls?: boolean;
  readonly extraContent?: boolean;
  readonly reasoning?: ReasoningSettings;
  readonly headersTimeoutMs?: number;
}

export interface ProviderSettings {
  readonly name?: string;
  readonly protocol?: 'chat' | 'responses' | 'anthropic' | 'ollama';
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly apiKeyCommand?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, ModelSettings>>;
  readonly quirks?: QuirkSettings;
}

const REASONING = object({
  field: oneOf('reasoning_content', 'reasoning', 'reasoning_details'),
  echo: oneOf('always', 'calls', 'never'),
  knob: oneOf('effort', 'openrouter', 'deepseek', 'thinking-type', 'enable-thinking'),
});

const MODEL = object({
  contextWindow: COUNT,
  maxOutput: COUNT,
  input: { type: 'array', items: oneOf('text', 'image', 'pdf') },
  tools: BOOLEAN,
  reasoning: REASONING,
  price: object({ input: PRICE, output: PRICE, cached: PRICE, cacheWrite: PRICE }),
});

const QUIRKS = object({
  systemRole: oneOf('system', 'developer'),
  maxTokensField: oneOf('max_tokens', 'max_completion_tokens'),
  streamOptions: BOOLEAN,
  toolChoice: BOOLEAN,
  cacheKey: BOOLEAN,
  cacheControl: BOOLEAN,
  callIdLength: COUNT,
  bridgeAfterTool: BOOLEAN,
  openSchemas: BOOLEAN,
  formBesideTools: BOOLEAN,
  reasoningApart: BOOLEAN,
  textCalls: BOOLEAN,
  extraContent: BOOLEAN,
  reasoning: REASONING,
  headersTimeoutMs: COUNT,
});

/** One provider of the user's. Without `properties` for a key: keys belong into the environment, never into a file. */
const PROVIDER = object({
  name: TEXT,
  // An unknown name is kept, so that the provider is refused where it is used: without it, Chat Completions would be spoken.
  protocol: { anyOf: [oneOf('chat', 'responses', 'anthropic', 'ollama'), TEXT] },
  baseUrl: TEXT,
  apiKeyEnv: TEXT,
  apiKeyCommand: TEXTS,
  headers: TEXT_MAP,
  models: { type: 'object', additionalProperties: MODEL },
  quirks: QUIRKS,
});

export const providers = setting<Readonly<Record<string, ProviderSettings>>>(
  { type: 'object', additionalProperties: PROVIDER },
  {},
  'Providers by id: {protocol, baseUrl, apiKeyEnv, apiKeyCommand, headers, models, quirks}. Never a key: apiKeyEnv names its variable, apiKeyCommand is the command that prints it.',
  // An address, a header or a command of a project would receive or reveal the keys of the user.
  { project: 'never' },
);

/** Agents whose files the user may let Castor read. */
export type ForeignAgent = 'claude' | 'codex';
const FOREIGN_AGENTS: readonly ForeignAgent[] = ['claude', 'codex'];

const PROGRAMS: Shape = {
  type: 'object',
  additionalProperties: object({ command: TEXT, args: TEXTS, extensions: TEXTS }),
};

/** A program that runs after an edit. */
export interface EditProgram {
  readonly command: string;
  readonly args?: readonly string[];
  readonly extensions: readonly string[];
}

export const castor = {
  model: text('The model of Castor, as provider/model or a Gemini name. It precedes model.name.'),
  smallModel: text('The model beside the conversation, as provider/model of the same provider.'),
  statusLine: text(
    'A command whose first line stands in the rule above the prompt, instead of ui.footer.items. It gets the session as JSON on stdin (docs/keys.md).',
    // It would run what a project says.
    { project: 'never' },
  ),
  readFilesOf: setting<readonly ForeignAgent[] | undefined>(
    { type: 'array', items: { type: 'string', enum: FOREIGN_AGENTS } },
    undefined,
    'Other agents whose files Castor reads: claude for .claude/skills and .claude/commands, codex for ~/.codex/prompts.',
    { project: 'never' },
  ),
  airgap: flag(false, 'Reaches nothing but the host of the model.', {
    project: 'never',
    whenInvalid: { use: true },
  }),
  audit: {
    enabled: flag(true, 'Records decisions on calls and outgoing connections in the audit log.', {
      project: 'never',
      whenInvalid: { use: true },
    }),
    required: flag(false, 'Refuses what cannot be recorded in the audit log, and enables it.', {
      project: 'never',
      whenInvalid: { use: true },
    }),
  },
  undo: {
    coverage: choice(
      ['auto', 'everything', 'edits', 'off'],
      'auto',
      'What can be undone: auto for everything that changes in the workspace, but only edits in home folders and very large trees; everything there too; edits only; or nothing.',
      { project: 'never' },
    ),
  },
  diagnostics: {
    mode: choice(
      ['auto', 'on', 'off'],
      'auto',
      'Asks language servers for new errors after an edit: those below and quick ones (auto), or every known one that is installed (on).',
    ),
    servers: setting<Readonly<Record<string, EditProgram>>>(
      PROGRAMS,
      {},
      'Language servers by name: {command, args, extensions}. They speak on stdin and stdout.',
      { project: 'never' },
    ),
    formatters: setting<Readonly<Record<string, EditProgram>>>(
      PROGRAMS,
      {},
      'Programs that format or fix a file after an edit, by name: {command, args, extensions}; {file} in args is its path.',
      { project: 'never' },
    ),
    timeout: setting<number>(
      { type: 'number', minimum: 0.1 },
      3,
      'Seconds that an edit waits for each of these programs.',
    ),
  },
};

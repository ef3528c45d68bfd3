/**
 * Chooses the model and its credentials from flags, settings and the environment. It opens nothing. The offline model
 * is never a fallback: only its name, its setting or CASTOR_OFFLINE selects it.
 */

import { hasIgnoredHeader, parseProviderModel } from '@castor/core/program';
import type { Settings } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { assertUsableAuth, chooseAuthType, describeReplacedAuth } from './auth-type.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';

export interface GeminiAccess {
  kind: 'gemini';
  /** Whether requests go to Vertex AI, with the Google credentials of the user. */
  isVertex?: true;
  apiKey?: string;
  baseUrl?: string;
  bearer: boolean;
  /** `Name: value, Name2: value2`. */
  customHeaders?: string | undefined;
  streamIdleTimeoutMs?: number;
}

/** A model of another provider; `generators/` finds its address and key. */
export interface ProviderModelAccess {
  kind: 'provider';
  /** As `provider/model`, behind an alias too. */
  named: string;
  /** For names without a provider, where Gemini is configured too. */
  gemini?: GeminiAccess | undefined;
}

export type ModelAccess =
  | GeminiAccess
  | ProviderModelAccess
  | { kind: 'offline' }
  /** Answers from a recording. */
  | { kind: 'replay'; path: string; strict: boolean };

export interface ModelChoice {
  /** As requested; the router resolves an alias. */
  model: string;
  access: ModelAccess;
  /** Where answers are recorded, if anywhere. */
  recordTo?: string | undefined;
  /** How requests are authorised, by Gemini CLI's name; absent where nothing is sent. */
  authType?: string | undefined;
  /** What the user should know about the login. */
  warnings: readonly string[];
}

export interface ModelQuestion {
  args: CliArguments;
  settings: Pick<Settings, 'castor' | 'model' | 'modelConfigs' | 'providers' | 'security'>;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Throws an ExitError when no model can be reached. */
export function chooseModel(question: ModelQuestion): ModelChoice {
  const { args, settings } = question;
  const model = requestedModel(question);
  const { recordResponses } = args;
  const access = chooseAccess(question, model);
  const choice = { model, access, recordTo: recordResponses };
  if (access.kind !== 'gemini') return { ...choice, warnings: [] };
  const { auth } = settings.security;
  const warnings = [describeReplacedAuth(auth, question.environment), describeIgnoredHeader(access)];
  return {
    ...choice,
    authType: chooseAuthType(auth, question.environment),
    warnings: warnings.filter((warning) => warning !== undefined),
  };
}

function describeIgnoredHeader({ customHeaders }: GeminiAccess): string | undefined {
  if (!hasIgnoredHeader(customHeaders)) return undefined;
  return 'GEMINI_CLI_CUSTOM_HEADERS has an entry without the form "Name: value", which is ignored.';
}

/** An empty flag or variable of a script names no model. */
export function requestedModel({
  args,
  settings,
  environment,
}: Pick<ModelQuestion, 'args' | 'environment'> & { settings: Pick<Settings, 'castor' | 'model'> }): string {
  const names = [
    args.model,
    environment['CASTOR_MODEL'],
    environment['GEMINI_MODEL'],
    settings.castor.model,
    settings.model.name,
  ];
  const name = names.map((each) => each?.trim()).find(Boolean) ?? 'auto';
  // The prefix only says what a plain name means anyway.
  return name.replace(/^(?:gemini|google)\/(?=.)/i, '');
}

/** The model that a user's own alias stands for, through the aliases it refines; else the name itself. */
export function modelBehind(name: string, aliases: Settings['modelConfigs']['customAliases'], depth = 9): string {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  const { model } = (alias?.['modelConfig'] ?? {}) as { model?: unknown };
  if (typeof model === 'string') return model;
  const base = alias?.['extends'];
  return typeof base === 'string' && depth > 0 ? modelBehind(base, aliases, depth - 1) : name;
}

function chooseAccess({ args, settings, environment }: ModelQuestion, model: string): ModelAccess {
  const { fakeResponses, fakeResponsesNonStrict } = args;
  if (fakeResponsesNonStrict !== undefined) return { kind: 'replay', path: fakeResponsesNonStrict, strict: false };
  if (fakeResponses !== undefined) return { kind: 'replay', path: fakeResponses, strict: true };
  // Offline guarantees that nothing is sent, whatever model is named.
  if (model.trim() === 'offline' || settings.model.offline) return { kind: 'offline' };
  const named = modelBehind(model, settings.modelConfigs.customAliases);
  if (parseProviderModel(named)) {
    const gemini = isGeminiUsable(settings, environment) ? geminiAccess(settings, environment) : undefined;
    return { kind: 'provider', named, gemini };
  }
  assertUsableAuth(settings, environment);
  return geminiAccess(settings, environment);
}

function isGeminiUsable(settings: ModelQuestion['settings'], environment: ModelQuestion['environment']): boolean {
  try {
    assertUsableAuth(settings, environment);
    return true;
  } catch {
    // The reason is told when the user asks for a Gemini model.
    return false;
  }
}

function geminiAccess(
  { model, security }: ModelQuestion['settings'],
  environment: ModelQuestion['environment'],
): GeminiAccess {
  const apiKey = environment['GEMINI_API_KEY']?.trim();
  const baseUrl = environment['GOOGLE_GEMINI_BASE_URL']?.trim();
  const customHeaders = environment['GEMINI_CLI_CUSTOM_HEADERS'];
  const streamIdleTimeoutMs = milliseconds('CASTOR_STREAM_IDLE_TIMEOUT_MS', environment) ?? model.streamIdleTimeoutMs;
  return {
    kind: 'gemini',
    ...(chooseAuthType(security.auth, environment) === 'vertex-ai' && { isVertex: true }),
    bearer: environment['GEMINI_API_KEY_AUTH_MECHANISM']?.trim() === 'bearer',
    ...(apiKey && { apiKey }),
    ...(baseUrl && { baseUrl }),
    customHeaders,
    streamIdleTimeoutMs,
  };
}

function milliseconds(name: string, environment: ModelQuestion['environment']): number | undefined {
  const value = environment[name]?.trim();
  if (!value) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw new ExitError(
      ExitCode.Settings,
      `${name} must be a whole number of milliseconds from 1 to 999999999 (eleven days), not ${JSON.stringify(value)}.`,
    );
  }
  return Number(value);
}

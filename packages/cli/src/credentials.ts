/**
 * Which model answers and with what credentials, from flags and the environment.
 * It decides and opens nothing. The offline model is never a fallback: only its
 * name or CASTOR_OFFLINE chooses it.
 */

import type { CliArguments } from './args.ts';
import { ExitCode, ExitError } from './exit-codes.ts';

export interface GeminiAccess {
  kind: 'gemini';
  apiKey?: string;
  baseUrl?: string;
  bearer: boolean;
  /** `Name: value, Name2: value2`. */
  customHeaders?: string;
  streamIdleTimeoutMs?: number;
}

export type ModelAccess =
  | GeminiAccess
  | { kind: 'offline' }
  /** Answers from a recording. */
  | { kind: 'replay'; path: string; strict: boolean };

export interface ModelChoice {
  /** As asked for; an alias is resolved by whoever sends. */
  model: string;
  access: ModelAccess;
  /** Where answers are recorded, if anywhere. */
  recordTo?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws an ExitError when nobody could answer. */
export function chooseModel(args: CliArguments, env: Environment): ModelChoice {
  const model = args.model ?? (env['GEMINI_MODEL'] || 'auto');
  const { recordResponses } = args;
  const access = chooseAccess(args, env, model);
  return { model, access, ...(recordResponses !== undefined && { recordTo: recordResponses }) };
}

function chooseAccess(args: CliArguments, env: Environment, model: string): ModelAccess {
  const { fakeResponses, fakeResponsesNonStrict } = args;
  if (fakeResponsesNonStrict !== undefined) return { kind: 'replay', path: fakeResponsesNonStrict, strict: false };
  if (fakeResponses !== undefined) return { kind: 'replay', path: fakeResponses, strict: true };
  // Offline is a promise that nothing is sent, so it holds whatever model is named.
  if (model.trim() === 'offline' || isOn(env['CASTOR_OFFLINE'])) return { kind: 'offline' };
  return geminiAccess(env);
}

function geminiAccess(env: Environment): GeminiAccess {
  const apiKey = env['GEMINI_API_KEY']?.trim();
  const baseUrl = env['GOOGLE_GEMINI_BASE_URL']?.trim();
  if (!apiKey && !baseUrl) throw new ExitError(ExitCode.Unauthorized, NO_CREDENTIALS);
  const customHeaders = env['GEMINI_CLI_CUSTOM_HEADERS'];
  const streamIdleTimeoutMs = milliseconds('CASTOR_STREAM_IDLE_TIMEOUT_MS', env);
  return {
    kind: 'gemini',
    bearer: env['GEMINI_API_KEY_AUTH_MECHANISM']?.trim() === 'bearer',
    ...(apiKey && { apiKey }),
    ...(baseUrl && { baseUrl }),
    ...(customHeaders && { customHeaders }),
    ...(streamIdleTimeoutMs !== undefined && { streamIdleTimeoutMs }),
  };
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function milliseconds(name: string, env: Environment): number | undefined {
  const value = env[name]?.trim();
  if (!value) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw new ExitError(
      ExitCode.Settings,
      `${name} must be a number of milliseconds above 0, not ${JSON.stringify(value)}.`,
    );
  }
  return Number(value);
}

const NO_CREDENTIALS = `there is no key for a model. Ways to go on:
  GEMINI_API_KEY=…           a key from https://aistudio.google.com/apikey
  GOOGLE_GEMINI_BASE_URL=…   the address of a gateway that needs no key of yours
  castor --model offline …   the built-in offline model: a few fixed jobs, no network`;

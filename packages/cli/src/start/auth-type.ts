/**
 * Chooses how requests are authorised, by Gemini CLI's names, and whether Castor supports that. Pure. A key that is set
 * replaces an unsupported login; without one the error lists the ways that work.
 */

import type { Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

/** No model can be reached with the credentials that are set. */
export class AccessError extends ExitError {
  /** False where an administrator enforces another login. */
  readonly isKeyEnough: boolean;

  constructor(message: string, { enforcedType }: AuthSettings) {
    super(ExitCode.Unauthorized, message);
    this.isKeyEnough = !enforcedType || enforcedType === 'gemini-api-key';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;
type AuthSettings = Settings['security']['auth'];

/** What requests to the Gemini API depend on. */
export type GeminiSettings = Pick<Settings, 'security' | 'providers'>;

/** The login a run uses: the requested one, or a key that is set where Castor does not support the requested one. */
export function chooseAuthType(settings: AuthSettings, environment: Environment): string | undefined {
  const type = requestedType(settings, environment);
  return isReplacedByKey(type, settings, environment) ? 'gemini-api-key' : type;
}

/** One line for the user when a key stands in for a login that Castor does not support. */
export function describeReplacedAuth(settings: AuthSettings, environment: Environment): string | undefined {
  const type = requestedType(settings, environment);
  return isReplacedByKey(type, settings, environment) ? `${type} is not available, using GEMINI_API_KEY` : undefined;
}

/** The setting, else the variables, in the order of Gemini CLI. */
function requestedType({ selectedType }: AuthSettings, environment: Environment): string | undefined {
  if (selectedType) return selectedType;
  if (environment['GOOGLE_GENAI_USE_GCA'] === 'true') return 'oauth-personal';
  if (environment['GOOGLE_GENAI_USE_VERTEXAI'] === 'true') return 'vertex-ai';
  if (environment['GOOGLE_GEMINI_BASE_URL']?.trim()) return 'gateway';
  if (environment['GEMINI_API_KEY']?.trim()) return 'gemini-api-key';
  const isOnGoogleMachine =
    environment['CLOUD_SHELL'] === 'true' || environment['GEMINI_CLI_USE_COMPUTE_ADC'] === 'true';
  return isOnGoogleMachine ? 'compute-default-credentials' : undefined;
}

const SUPPORTED: ReadonlySet<string | undefined> = new Set(['gateway', 'gemini-api-key']);

/** A login enforced by an administrator is binding; a key does not replace it. */
function isReplacedByKey(type: string | undefined, settings: AuthSettings, environment: Environment): boolean {
  const { enforcedType, useExternal = false } = settings;
  if (type === undefined || isUsable(type, environment) || SUPPORTED.has(type) || useExternal) return false;
  return Boolean(environment['GEMINI_API_KEY']?.trim()) && (!enforcedType || enforcedType === 'gemini-api-key');
}

/** The Gemini API has the variables of Gemini CLI; a setting beside them would be ignored silently. */
export function assertNoGeminiSettings(providers: Settings['providers']): void {
  if (!Object.keys(providers).some((id) => id.toLowerCase() === 'gemini')) return;
  throw new ExitError(
    ExitCode.Settings,
    'providers.gemini has no effect: remove it, and set GEMINI_API_KEY and GOOGLE_GEMINI_BASE_URL instead.',
  );
}

/** Throws an ExitError that names what is missing. */
export function assertUsableAuth({ security, providers }: GeminiSettings, environment: Environment): void {
  assertNoGeminiSettings(providers);
  const settings = security.auth;
  const type = chooseAuthType(settings, environment);
  const { enforcedType, useExternal = false } = settings;
  if (type === undefined && !useExternal) throw new AccessError(`GEMINI_API_KEY is not set. ${WAYS}`, settings);
  if (enforcedType && enforcedType !== type) {
    throw new AccessError(
      `The enforced authentication type is '${enforcedType}', but the current type is '${type ?? 'none'}'. Please re-authenticate with the correct type.`,
      settings,
    );
  }
  if (useExternal || isUsable(type, environment)) return;
  throw describeUnusable(type, settings);
}

function isUsable(type: string | undefined, environment: Environment): boolean {
  if (type === 'gateway') return Boolean(environment['GOOGLE_GEMINI_BASE_URL']?.trim());
  // As in Gemini CLI: a project, or a key of the express mode. Its credentials are found when it is opened.
  if (type === 'vertex-ai') {
    return ['GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_PROJECT_ID'].some((name) =>
      environment[name]?.trim(),
    );
  }
  return type === 'gemini-api-key' && Boolean(environment['GEMINI_API_KEY']?.trim());
}

function describeUnusable(type: string | undefined, settings: AuthSettings): AccessError {
  const { selectedType, enforcedType } = settings;
  if (type === 'gemini-api-key') {
    return new AccessError(`security.auth.selectedType needs a key, and GEMINI_API_KEY is not set. ${WAYS}`, settings);
  }
  const source = enforcedType
    ? 'security.auth.enforcedType'
    : selectedType
      ? 'security.auth.selectedType'
      : 'the environment';
  const missing = NEEDED_BY[type ?? ''];
  if (missing !== undefined) return new AccessError(`${source} asks for "${type}", which needs ${missing}.`, settings);
  if (enforcedType) {
    return new AccessError(
      `security.auth.enforcedType demands "${type}", which Castor does not support. Ask your administrator to allow "gemini-api-key", or use castor --model offline.`,
      settings,
    );
  }
  return new AccessError(`${source} asks for "${type}", which Castor does not support. ${WAYS}`, settings);
}

/** What a login that Castor supports lacks. */
const NEEDED_BY: Readonly<Record<string, string | undefined>> = {
  'vertex-ai':
    'a Google Cloud project or a key of its express mode: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY',
  gateway: 'the address of the gateway: set GOOGLE_GEMINI_BASE_URL',
};

const WAYS = `Options:
  GEMINI_API_KEY=…           a key from https://aistudio.google.com/apikey
  castor --model openai/…    another provider, by the key in its variable or stored with: castor login
  castor --model ollama/…    a server on this machine: castor models --local lists its models
  castor --model offline …   the built-in offline model: fixed rules, no network`;

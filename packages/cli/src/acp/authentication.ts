/**
 * Authentication: how the user of this process signs in. Credentials that the editor sends are used for this process and
 * never stored; a login that does not work is refused at once, and the one before it stays.
 */

import type { AuthenticateRequest } from '@agentclientprotocol/sdk';
import { isRecord } from '@castor/core/program';
import { AccessError } from '../start/auth-type.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a session starts with. */
export interface Login {
  readonly environment: Environment;
  readonly authType: string | undefined;
}

/** Logins of Gemini CLI, and ours. Which of them work is decided by the start. */
const METHODS: ReadonlySet<string> = new Set([
  ...['oauth-personal', 'gemini-api-key', 'vertex-ai', 'gateway', 'compute-default-credentials', 'cloud-shell'],
  'castor-login',
]);

/** The request itself cannot be used. */
export class InvalidLoginError extends Error {
  override name = 'InvalidLoginError';
}

const SETTING = /^security\.auth\.selectedType/;

export class Authentication {
  private readonly base: Environment;
  private given: Environment = {};
  private authType: string | undefined;

  constructor(environment: Environment) {
    this.base = environment;
  }

  get login(): Login {
    return { environment: { ...this.base, ...this.given }, authType: this.authType };
  }

  /** Tries the login with `check`, which throws when no model can be reached. */
  async authenticate(request: AuthenticateRequest, check: (login: Login) => Promise<void>): Promise<void> {
    const { methodId } = request;
    if (!METHODS.has(methodId)) throw new InvalidLoginError(`Unknown authentication method: ${methodId}`);
    const given = { ...this.given, ...readCredentials(request) };
    // In a terminal the user stored a key; it is found like any other.
    const authType = methodId === 'castor-login' ? undefined : methodId;
    await check({ environment: { ...this.base, ...given }, authType }).catch((error: unknown) => {
      // The editor chose the login, not a setting.
      if (error instanceof AccessError) error.message = error.message.replace(SETTING, 'The login');
      throw error;
    });
    this.given = given;
    this.authType = authType;
  }

  /** Forgets what the editor sent. */
  logout(): void {
    this.given = {};
    this.authType = undefined;
  }
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Also in the places older clients used. */
function readCredentials(request: AuthenticateRequest): Record<string, string> {
  const meta: unknown = request._meta;
  const given = isRecord(meta) ? meta : {};
  const key = given['api-key'] ?? given['apiKey'];
  const keyText = isRecord(key) ? (key['apiKey'] ?? key['key']) : key;
  const gateway = isRecord(given['gateway']) ? given['gateway'] : {};
  const { baseUrl, headers } = gateway;
  if (baseUrl !== undefined && baseUrl !== '' && !isAddress(baseUrl))
    throw new InvalidLoginError(`_meta.gateway.baseUrl must be an address, https://…, not ${JSON.stringify(baseUrl)}.`);
  const lines = isRecord(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`) : [];
  return {
    ...(typeof keyText === 'string' && keyText !== '' && { GEMINI_API_KEY: keyText }),
    ...(typeof baseUrl === 'string' && baseUrl !== '' && { GOOGLE_GEMINI_BASE_URL: baseUrl }),
    ...(lines.length > 0 && { GEMINI_CLI_CUSTOM_HEADERS: lines.join(', ') }),
  };
}

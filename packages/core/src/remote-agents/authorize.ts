/**
 * Opens the credential for the requests to a remote agent, by the `auth` key of its file: a key or a header with expanded
 * values, Google credentials, or a sign-in with OAuth that was stored before.
 */

import type { RequestAuthorization } from '../mcp/request-authorization.ts';
import type { OpenKeyring } from '../mcp/sign-in/keyring.ts';
import { mayCarrySecrets } from '../mcp/sign-in/safe-address.ts';
import { getErrorMessage, isAbortError } from '../protocol/errors.ts';
import type { AuthSettings } from '../subagents/agent-auth.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import type { Clock } from '../util/clock.ts';
import { debugLogger } from '../util/debug-logger.ts';
import type { AgentCard } from './agent-card.ts';
import { RemoteAgentError } from './remote-agent-error.ts';

export interface AuthorizeOptions {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  openKeyring?: OpenKeyring | undefined;
  /** Resolves with the trimmed output of a command line. */
  runCommand(command: string, signal: AbortSignal): Promise<string>;
  /** A sentence on how to sign in to an agent. */
  signInHint?: ((agent: string) => string) | undefined;
}

/** Throws RemoteAgentError. */
export async function openAuthorization(
  agent: RemoteAgent,
  { auth, card, url }: { auth: AuthSettings; card: AgentCard | undefined; url: URL },
  options: AuthorizeOptions,
): Promise<RequestAuthorization> {
  switch (auth.type) {
    case 'apiKey':
    case 'http':
      return new WrittenAuthorization(auth, options);
    case 'google-credentials':
      return openGoogle(url, auth.scopes, options);
    case 'oauth': {
      const { findSignIn } = await import('./remote-sign-in.ts');
      const found = await findSignIn(agent, { auth, card, url }, options);
      if (found) return found;
      throw new RemoteAgentError(
        `The agent ${agent.name} needs a sign-in.${options.signInHint ? ` ${options.signInHint(agent.name)}` : ''}`,
      );
    }
  }
}

type WrittenAuth = Extract<AuthSettings, { type: 'apiKey' | 'http' }>;

/** A credential as the file writes it. Only the output of a command can change while the program runs. */
class WrittenAuthorization implements RequestAuthorization {
  readonly problem = 'It rejected the credential of its file.';
  private readonly auth: WrittenAuth;
  private readonly options: AuthorizeOptions;
  private readonly outputs = new Map<string, string>();

  constructor(auth: WrittenAuth, options: AuthorizeOptions) {
    this.auth = auth;
    this.options = options;
  }

  async headers(signal: AbortSignal = NEVER): Promise<Record<string, string>> {
    const { auth } = this;
    const expand = async (text: string) => {
      const value = await this.expand(text, signal);
      debugLogger.hide(value);
      return value;
    };
    if (auth.type === 'apiKey') return { [auth.header.toLowerCase()]: await expand(auth.key) };
    if ('value' in auth) return { authorization: await expand(auth.value) };
    if ('token' in auth) return { authorization: `${auth.scheme} ${await expand(auth.token)}` };
    const pair = `${await expand(auth.username)}:${await expand(auth.password)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }

  async renew(): Promise<boolean> {
    const isPrinted = this.outputs.size > 0;
    this.outputs.clear();
    return isPrinted;
  }

  private async expand(text: string, signal: AbortSignal): Promise<string> {
    if (text.startsWith('$$') || text.startsWith('!!')) return text.slice(1);
    const [, name] = /^\$\{?(\w+)\}?$/.exec(text) ?? [];
    if (name !== undefined) {
      const value = this.options.environment[name];
      if (value === undefined || value === '')
        throw new RemoteAgentError(`The variable ${name} of its auth key is not set.`);
      return value;
    }
    if (!text.startsWith('!')) return text;
    const known = this.outputs.get(text);
    if (known !== undefined) return known;
    const output = await this.run(text.slice(1), signal);
    this.outputs.set(text, output);
    return output;
  }

  private async run(command: string, signal: AbortSignal): Promise<string> {
    let output;
    try {
      output = await this.options.runCommand(command, signal);
    } catch (error) {
      if (isAbortError(error)) throw error;
      throw new RemoteAgentError(`The command of its auth key failed: ${getErrorMessage(error)}`, { cause: error });
    }
    if (output === '') throw new RemoteAgentError('The command of its auth key printed nothing.');
    if (/[\r\n]/.test(output)) throw new RemoteAgentError('The command of its auth key printed more than one line.');
    return output;
  }
}

const NEVER = new AbortController().signal;
const GOOGLE_API = /(^|\.)googleapis\.com$/;
const CLOUD_RUN = /(^|\.)run\.app$/;

/** An access token for an API of Google, an ID token for a service on Cloud Run. */
async function openGoogle(
  url: URL,
  scopes: readonly string[] | undefined,
  { home, environment, clock }: AuthorizeOptions,
): Promise<RequestAuthorization> {
  const isApi = GOOGLE_API.test(url.hostname);
  if (!mayCarrySecrets(url) || url.protocol !== 'https:' || !(isApi || CLOUD_RUN.test(url.hostname)))
    throw new RemoteAgentError(
      `google-credentials needs an https address at googleapis.com or run.app, and the agent is at ${url.origin}.`,
    );
  const [{ findCredentials, GoogleAuthorization }, { createTokenSource }] = await Promise.all([
    import('../mcp/sign-in/google-authorization.ts'),
    import('../provider/vertex/token-source.ts'),
  ]);
  try {
    const { credentials } = await findCredentials({ home, environment });
    const what = isApi ? { scopes } : { audience: url.origin };
    return new GoogleAuthorization(createTokenSource(credentials, { clock, ...what }), {});
  } catch (error) {
    throw new RemoteAgentError(getErrorMessage(error), { cause: error });
  }
}

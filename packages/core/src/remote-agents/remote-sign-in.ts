/** The OAuth sign-in of a remote agent: PKCE in a browser, with the addresses of its file or its card; tokens are stored and renewed. */

import type { RequestAuthorization } from '../mcp/request-authorization.ts';
import type { McpServer } from '../mcp/server-config.ts';
import type { SignInPorts } from '../mcp/sign-in/sign-in.ts';
import { SignInError } from '../mcp/sign-in/sign-in-error.ts';
import { SignIns } from '../mcp/sign-in/sign-ins.ts';
import type { AuthSettings } from '../subagents/agent-auth.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import type { AgentCard } from './agent-card.ts';
import type { AuthorizeOptions } from './authorize.ts';
import { RemoteAgentError } from './remote-agent-error.ts';

export interface SignInPlace {
  auth: Extract<AuthSettings, { type: 'oauth' }>;
  card: AgentCard | undefined;
  url: URL;
}

/** Undefined: the user has not signed in. */
export async function findSignIn(
  agent: RemoteAgent,
  place: SignInPlace,
  options: AuthorizeOptions,
): Promise<RequestAuthorization | undefined> {
  return openSignIns(options).authorizationOf(toTarget(agent, place));
}

/** Rejects with RemoteAgentError, SignInError or AbortError. */
export async function signInTo(
  agent: RemoteAgent,
  place: SignInPlace,
  options: AuthorizeOptions,
  ports: SignInPorts,
): Promise<void> {
  const { settings } = place.auth;
  const { clientId, authorizationUrl, tokenUrl } = { ...place.card?.signIn, ...settings } as Record<string, unknown>;
  if (typeof clientId !== 'string')
    throw new RemoteAgentError(`Signing in to ${agent.name} needs auth.client_id in its file.`);
  if (typeof authorizationUrl !== 'string' || typeof tokenUrl !== 'string')
    throw new RemoteAgentError(
      `Signing in to ${agent.name} needs auth.authorization_url and auth.token_url in its file: its card names none.`,
    );
  try {
    await openSignIns(options).signIn(toTarget(agent, place), ports);
  } catch (error) {
    throw error instanceof SignInError ? new RemoteAgentError(error.message, { cause: error }) : error;
  }
}

function openSignIns({ home, environment, clock, openKeyring }: AuthorizeOptions): SignIns {
  return new SignIns({ home, environment, clock, openKeyring, purpose: 'a2a' });
}

/** The agent as the server that the sign-in is for. */
function toTarget(agent: RemoteAgent, { auth, card, url }: SignInPlace): McpServer {
  const { name, source, fingerprint = '' } = agent;
  return {
    name,
    source,
    fingerprint,
    address: { kind: 'http', url: url.href, headers: {} },
    timeoutMs: 0,
    startLimitMs: 0,
    trust: false,
    excludeTools: [],
    sampling: 'off',
    oauth: { ...card?.signIn, ...auth.settings },
  };
}

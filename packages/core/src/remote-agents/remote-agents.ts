/**
 * RemoteAgents: the remote agents of one session. It fetches their cards, keeps the conversation with each, runs a task
 * as one call and cancels it there when the user cancels it here. A failed or cut task is never told as a success.
 */

import type { SignInPorts } from '../mcp/sign-in/sign-in.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { builtin } from '../util/builtin-modules.ts';
import { readAuth } from '../subagents/agent-auth.ts';
import type { AuthSettings } from '../subagents/agent-auth.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import type { AgentCard } from './agent-card.ts';
import { describeCard, readCard } from './agent-card.ts';
import { openAuthorization } from './authorize.ts';
import type { AuthorizeOptions } from './authorize.ts';
import { RemoteAgentError } from './remote-agent-error.ts';
import { RemoteHttp } from './remote-http.ts';

/** What continues the conversation with one agent. */
export interface RemoteConversation {
  contextId?: string | undefined;
  /** A task that waits for the user, or was not ended. */
  taskId?: string | undefined;
}

/** One agent that was reached. */
export interface OpenedRemote {
  readonly card: AgentCard;
  readonly http: RemoteHttp;
}

export class RemoteAgents {
  private readonly options: AuthorizeOptions;
  private readonly opened = new Map<string, Promise<OpenedRemote>>();
  private readonly conversations = new Map<string, RemoteConversation>();

  constructor(options: AuthorizeOptions) {
    this.options = options;
  }

  get clock() {
    return this.options.clock;
  }

  conversationWith({ name }: RemoteAgent): RemoteConversation {
    let known = this.conversations.get(name);
    if (!known) this.conversations.set(name, (known = {}));
    return known;
  }

  /** Rejects with RemoteAgentError or AbortError; the next call tries again. */
  async open(agent: RemoteAgent, signal: AbortSignal): Promise<OpenedRemote> {
    const key = `${agent.name} ${agent.fingerprint ?? ''}`;
    let opening = this.opened.get(key);
    if (!opening) {
      opening = this.connect(agent, signal);
      this.opened.set(key, opening);
    }
    try {
      return await opening;
    } catch (error) {
      this.opened.delete(key);
      throw error;
    }
  }

  /** What the main model reads about an agent. */
  async describe(agent: RemoteAgent, signal: AbortSignal): Promise<string> {
    const { card } = await this.open(agent, signal);
    return describeCard(card, agent.description);
  }

  /** Signs in with OAuth. Rejects with RemoteAgentError or AbortError. */
  async signIn(agent: RemoteAgent, ports: SignInPorts): Promise<void> {
    const auth = authOf(agent);
    if (auth?.type !== 'oauth')
      throw new RemoteAgentError(`The agent ${agent.name} has no sign-in: its file has no auth key of the type oauth.`);
    const { card } = await this.open(agent, ports.signal);
    const { signInTo } = await import('./remote-sign-in.ts');
    await signInTo(agent, { auth, card, url: card.interface.url }, this.options, ports);
  }

  private async connect(agent: RemoteAgent, signal: AbortSignal): Promise<OpenedRemote> {
    const auth = authOf(agent);
    let card: AgentCard | undefined;
    const authorizations = new Map<string, ReturnType<typeof openAuthorization>>();
    const http = new RemoteHttp({
      environment: this.options.environment,
      authorize: async (url) => {
        if (!auth) return undefined;
        const found =
          authorizations.get(url.origin) ??
          openAuthorization(agent, { auth, card, url: card?.interface.url ?? url }, this.options);
        authorizations.set(url.origin, found);
        return found.catch((error: unknown) => {
          authorizations.delete(url.origin);
          throw error;
        });
      },
    });
    try {
      card =
        agent.cardJson === undefined ? await this.fetchCard(agent, http, signal) : readCard(JSON.parse(agent.cardJson));
      return { card, http };
    } catch (error) {
      http.close();
      throw error;
    }
  }

  private async fetchCard({ cardUrl = '' }: RemoteAgent, http: RemoteHttp, signal: AbortSignal): Promise<AgentCard> {
    const url = new URL(cardUrl);
    return readCard(await http.getCard(url, signal), url);
  }
}

function authOf({ auth }: RemoteAgent): AuthSettings | undefined {
  if (!auth) return undefined;
  const read = readAuth(auth);
  // The parser of the file has reported it before.
  if ('problem' in read) throw new RemoteAgentError(`Its auth key is invalid: ${read.problem}.`);
  return read;
}

export function newMessageId(): string {
  return builtin.crypto.randomUUID();
}

export function describeProblem(error: unknown): string {
  return error instanceof RemoteAgentError ? error.message : getErrorMessage(error);
}

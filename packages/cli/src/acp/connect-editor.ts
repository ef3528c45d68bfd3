/**
 * The methods an editor may call, and the editor as sessions use it. The protocol's library reads and checks the
 * messages; `initialize` was answered before it was loaded.
 */

import { agent, RequestError } from '@agentclientprotocol/sdk';
import type { AgentConnection, AgentContext, ClientCapabilities, Stream } from '@agentclientprotocol/sdk';
import { isRecord } from '@castor/core/program';
import type { AcpSessions, AcpSessionsOptions } from './acp-sessions.ts';
import type { Client } from './client.ts';
import { problemOf } from './prompt-content.ts';

export interface ConnectOptions extends Omit<AcpSessionsOptions, 'client'> {
  readonly stream: Stream;
  readonly capabilities: ClientCapabilities;
}

export interface Connected {
  readonly connection: AgentConnection;
  /** Ends every session, within this time as far as hooks are concerned. */
  endAll(limitMs: number): Promise<void>;
}

export function connectEditor({ stream, capabilities, ...options }: ConnectOptions): Connected {
  const editor = new Editor(capabilities);
  const opening = import('./acp-sessions.ts').then((module) => new module.AcpSessions({ ...options, client: editor }));
  // A request reports its failure.
  opening.catch(() => undefined);
  const connection = createApp(() => opening).connect(stream);
  editor.connect(connection);
  return {
    connection,
    async endAll(limitMs) {
      await (await opening).endAll(limitMs, AbortSignal.timeout(limitMs));
    },
  };
}

function createApp(sessions: () => Promise<AcpSessions>) {
  return agent({ name: 'castor' })
    .onRequest('authenticate', async ({ params }) => {
      await explained(async () => (await sessions()).authenticate(params));
      return {};
    })
    .onRequest('logout', async () => {
      (await sessions()).logout();
      return {};
    })
    .onRequest('session/new', ({ params }) =>
      explained(async () => {
        const session = await (await sessions()).create(params);
        // The library sends the response before the next phase of the loop; an editor ignores updates it gets earlier.
        setImmediate(() => session.introduce());
        return { sessionId: session.id, ...session.describe() };
      }),
    )
    .onRequest('session/load', ({ params }) =>
      explained(async () => {
        const session = await (await sessions()).resume(params);
        await session.replay();
        session.introduce();
        return session.describe();
      }),
    )
    .onRequest('session/resume', ({ params }) =>
      explained(async () => {
        const session = await (await sessions()).resume(params);
        session.introduce();
        return session.describe();
      }),
    )
    .onRequest('session/list', ({ params }) => explained(async () => (await sessions()).list(params)))
    .onRequest('session/close', ({ params }) =>
      explained(async () => {
        await (await sessions()).close(params.sessionId);
        return {};
      }),
    )
    .onRequest('session/delete', ({ params }) =>
      explained(async () => {
        await (await sessions()).delete(params.sessionId);
        return {};
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      explained(async () => {
        const all = await sessions();
        const session = all.find(params.sessionId);
        const problem = problemOf(params.prompt);
        if (problem !== undefined) throw RequestError.invalidParams({ details: problem }, problem);
        const response = await session.prompt(params.prompt, signal);
        all.cleanUp(session);
        return response;
      }),
    )
    .onNotification('session/cancel', async ({ params }) => (await sessions()).find(params.sessionId).cancel())
    .onRequest('session/cancel', readCancel, ({ params }) =>
      explained(async () => {
        (await sessions()).find(params.sessionId).cancel();
        return {};
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      explained(async () => {
        (await sessions()).find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      explained(async () => {
        const session = (await sessions()).find(params.sessionId);
        const { configId } = params;
        const value = 'value' in params ? String(params.value) : '';
        if (configId === 'mode') session.setMode(value);
        else if (configId === 'model') await session.chooseModel(value);
        else
          throw RequestError.invalidParams(
            { configId },
            `Unknown option: ${configId}. The options are mode and model.`,
          );
        return { configOptions: session.describe().configOptions };
      }),
    )
    .onRequest('session/set_model', readSetModel, ({ params }) =>
      explained(async () => {
        await (await sessions()).find(params.sessionId).setModel(params.modelId);
        return {};
      }),
    );
}

/** A notification by the protocol; an editor that sends it as a request must not wait for a prompt that goes on. */
function readCancel(params: unknown): { sessionId: string } {
  const { sessionId } = (params ?? {}) as Record<string, unknown>;
  if (typeof sessionId === 'string') return { sessionId };
  throw RequestError.invalidParams({}, 'session/cancel needs sessionId.');
}

/** A method of older versions of the protocol, which editors still use. */
function readSetModel(params: unknown): { sessionId: string; modelId: string } {
  const { sessionId, modelId } = (params ?? {}) as Record<string, unknown>;
  if (typeof sessionId === 'string' && typeof modelId === 'string' && modelId !== '') return { sessionId, modelId };
  throw RequestError.invalidParams({}, 'session/set_model needs sessionId and modelId.');
}

/** Errors the user can fix reach the editor as a sentence with the code of the protocol. */
async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { explainError } = await import('./explain-error.ts');
    throw explainError(error);
  }
}

/** The editor at the other end of the connection. */
class Editor implements Client {
  readonly capabilities: ClientCapabilities;
  private context: AgentContext | undefined;

  constructor(capabilities: ClientCapabilities) {
    this.capabilities = capabilities;
  }

  connect(connection: AgentConnection): void {
    this.context = connection.client;
  }

  async update(sessionId: string, update: Parameters<Client['update']>[1]): Promise<void> {
    await this.context?.notify('session/update', { sessionId, update }).catch(() => undefined);
  }

  request: Client['request'] = async (method, params, signal) => {
    if (!this.context) throw new Error('The editor is not connected.');
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer = await this.context.request(method, params, options);
    // What an editor sends is data: those who asked check the fields.
    return (isRecord(answer) ? answer : {}) as Partial<typeof answer>;
  };
}

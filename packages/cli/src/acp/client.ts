/** The editor, as sessions use it: what it offers, its updates, and the requests to it. Types only. */

import type {
  ClientCapabilities,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  SessionUpdate,
} from '@agentclientprotocol/sdk';

export interface Client {
  readonly capabilities: ClientCapabilities;
  /** Resolves when the editor keeps up. Never rejects: an editor that is gone needs no update. */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** Rejects when the signal aborts, without waiting for the editor. The answer is an object, whose fields may be anything. */
  request<Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
    signal: AbortSignal,
  ): Promise<Partial<ClientRequestResponsesByMethod[Method]>>;
}

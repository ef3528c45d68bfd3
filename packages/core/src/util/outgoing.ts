/**
 * The one gate for connections that leave the process: a room announces each with its purpose before it opens it. A guard
 * may refuse it, watchers learn of it, and the session and the call that act are known across waits.
 */

import type { AsyncLocalStorage } from 'node:async_hooks';

export type OutgoingPurpose =
  | 'model request'
  | 'model list'
  | 'model table'
  | 'credentials'
  | 'web fetch'
  | 'MCP server'
  | 'sign-in'
  | 'extension install'
  | 'sandbox proxy'
  | 'remote agent'
  | 'telemetry'
  | 'check';

export interface Outgoing {
  host: string;
  port: number;
  why: OutgoingPurpose;
  /** The proxy it goes through, as host and port. */
  via?: string | undefined;
}

/** On whose behalf something happens; each is absent where it is unknown. */
export interface Actor {
  session?: string | undefined;
  /** The call, by its id. */
  call?: string | undefined;
}

export interface AnnouncedOutgoing extends Outgoing, Actor {
  /** Why it was refused. */
  refusal?: string | undefined;
}

/** Undefined lets it pass; else the reason, as a sentence. */
export type OutgoingGuard = (connection: Outgoing) => string | undefined;
export type OutgoingWatcher = (connection: AnnouncedOutgoing) => void;

/** A connection that the guard refused. */
export class OutgoingError extends Error {
  override name = 'OutgoingError';
}

const watchers = new Set<OutgoingWatcher>();
let guard: OutgoingGuard | undefined;
let actors: AsyncLocalStorage<Actor> | undefined;

/** The result takes the watcher away again. A watcher that throws refuses the connection. */
export function watchOutgoing(watcher: OutgoingWatcher): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** Undefined takes the guard away. */
export function guardOutgoing(next: OutgoingGuard | undefined): void {
  guard = next;
}

/** Throws OutgoingError for a connection that may not be opened. */
export function admitOutgoing(connection: Outgoing, by: Actor = currentActor()): void {
  const refusal = guard?.(connection);
  noteOutgoing({ ...connection, ...by, ...(refusal !== undefined && { refusal }) });
  if (refusal !== undefined) throw new OutgoingError(refusal);
}

/** For a connection that was decided on elsewhere. */
export function noteOutgoing(connection: AnnouncedOutgoing): void {
  for (const watcher of watchers) watcher(connection);
}

/** The same for an address. */
export function admitUrl(url: URL, why: OutgoingPurpose, via?: string): void {
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  admitOutgoing({ host, port, why, ...(via !== undefined && { via }) });
}

export function currentActor(): Actor {
  return actors?.getStore() ?? {};
}

/** What `work` starts, also later, happens on behalf of this actor; what the actor does not say stays as it is. */
export function actingFor<T>(actor: Actor, work: () => T): T {
  actors ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<Actor>();
  return actors.run({ ...currentActor(), ...actor }, work);
}

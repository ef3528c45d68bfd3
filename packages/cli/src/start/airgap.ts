/**
 * `--airgap`: from the start on the process connects to nothing but the host of the model and asks for no other name. Two
 * walls: the gate that rooms announce connections to, and below it Node's own sockets and resolver, for one that did not
 * announce itself. It keeps what was refused.
 */

import { guardOutgoing, watchOutgoing } from '@castor/core/program';
import type { OutgoingGuard, Settings } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';

export const AIRGAP_NEEDS_SANDBOX = '--airgap needs it, because commands must not reach the network.';

export interface RefusedConnection {
  host: string;
  /** 0 for a question about a name. */
  port: number;
  why: string;
  times: number;
}

interface AirgapSources {
  args: Pick<CliArguments, 'airgap'>;
  settings: Pick<Settings, 'castor'>;
}

/** They go to the host of the model; `check` asks whether it accepts connections. */
const MODEL_PURPOSES: ReadonlySet<string> = new Set(['model request', 'model list', 'check']);

let entered: OutgoingGuard | undefined;
let refused: Map<string, RefusedConnection> | undefined;

/** The flag only turns it on: what the administrator wants stays. */
export function isAirgapped({ args, settings }: AirgapSources): boolean {
  return args.airgap === true || settings.castor.airgap;
}

/** What was refused until now; undefined without an airgap. */
export function refusedConnections(): RefusedConnection[] | undefined {
  return refused && [...refused.values()];
}

export function describeRefused(connections: readonly RefusedConnection[]): string {
  const each = connections.map(({ host, port, why, times }) => {
    const place = port === 0 ? host : `${host}:${port}`;
    return `${place} (${why}${times > 1 ? `, ${times} times` : ''})`;
  });
  return `--airgap refused: ${each.join(', ')}`;
}

/** Once for the process, and for good. Returns the guard of the gate. */
export function enterAirgap(): OutgoingGuard {
  if (entered) return entered;
  const kept = new Map<string, RefusedConnection>();
  refused = kept;
  const admitted = new Set<string>();
  const keep = ({ host, port, why }: Pick<RefusedConnection, 'host' | 'port' | 'why'>) => {
    const key = `${host} ${port} ${why}`;
    kept.set(key, { host, port, why, times: (kept.get(key)?.times ?? 0) + 1 });
  };
  watchOutgoing((connection) => {
    if (connection.refusal !== undefined) keep(connection);
  });
  entered = createGuard(admitted);
  guardOutgoing(entered);
  closeSockets(admitted, keep);
  closeResolver(admitted, keep);
  // Also for modules that imported a function by its name.
  process.getBuiltinModule('node:module').syncBuiltinESMExports();
  return entered;
}

/** The first request tells the host of the model: a later one to another provider is refused. */
function createGuard(admitted: Set<string>): OutgoingGuard {
  let model: string | undefined;
  return ({ host, port, why, via }) => {
    const name = toName(host, port);
    if (MODEL_PURPOSES.has(why)) model ??= name;
    // Tokens of Google are part of a request to its model.
    if (name !== model && why !== 'credentials')
      return `${name} is not reached: --airgap allows only the host of the model${model === undefined ? '' : `, ${model}`}.`;
    if (name === model && !MODEL_PURPOSES.has(why))
      return `${name} is not reached for this (${why}): --airgap allows only requests to the model.`;
    admitted.add(via ?? name);
    return undefined;
  };
}

type Keep = (connection: Pick<RefusedConnection, 'host' | 'port' | 'why'>) => void;

const UNANNOUNCED = 'not announced';

function closeSockets(admitted: ReadonlySet<string>, keep: Keep): void {
  const { Socket } = process.getBuiltinModule('node:net');
  const connect = Socket.prototype.connect as (this: unknown, ...given: unknown[]) => unknown;
  const guarded = function (this: InstanceType<typeof Socket>, ...given: unknown[]): unknown {
    const target = targetOf(given);
    if (target === undefined || admitted.has(toName(target.host, target.port))) return connect.apply(this, given);
    keep({ ...target, why: UNANNOUNCED });
    const { host, port } = target;
    process.nextTick(() => this.destroy(refusal(toName(host, port))));
    return this;
  };
  Object.assign(Socket.prototype, { connect: guarded });
}

function closeResolver(admitted: ReadonlySet<string>, keep: Keep): void {
  const dns = process.getBuiltinModule('node:dns');
  const isKnown = (name: string) => [...admitted].some((each) => each.startsWith(`${name}:`));
  const { lookup } = dns;
  const lookUp = dns.promises.lookup.bind(dns.promises);
  Object.assign(dns, {
    lookup(name: string, ...rest: unknown[]): unknown {
      if (isKnown(name)) return (lookup as (...given: unknown[]) => unknown)(name, ...rest);
      keep({ host: name, port: 0, why: UNANNOUNCED });
      const callback = rest.at(-1) as (error: Error) => void;
      process.nextTick(() => callback(refusal(name)));
      return {};
    },
  });
  Object.assign(dns.promises, {
    lookup(name: string, ...rest: unknown[]): Promise<unknown> {
      if (isKnown(name)) return (lookUp as (...given: unknown[]) => Promise<unknown>)(name, ...rest);
      keep({ host: name, port: 0, why: UNANNOUNCED });
      return Promise.reject(refusal(name));
    },
  });
}

/** Undefined for a socket of this computer's file system. */
function targetOf([first, second]: readonly unknown[]): { host: string; port: number } | undefined {
  // Node's own modules pass on their arguments as one list.
  const given: unknown = Array.isArray(first) ? (first as unknown[])[0] : first;
  if (typeof given === 'object' && given !== null) {
    const { path, host = 'localhost', port } = given as { path?: unknown; host?: string | null; port?: unknown };
    return path === undefined || path === null ? { host: host ?? 'localhost', port: Number(port) } : undefined;
  }
  if (typeof given === 'string' && !/^\d+$/.test(given)) return undefined;
  return { host: typeof second === 'string' ? second : 'localhost', port: Number(given) };
}

function toName(host: string, port: number): string {
  return `${host.replaceAll(/^\[|\]$/g, '')}:${port}`;
}

function refusal(name: string): Error {
  return Object.assign(new Error(`${name} is not reached: --airgap allows only the host of the model.`), {
    code: 'EACCES',
  });
}

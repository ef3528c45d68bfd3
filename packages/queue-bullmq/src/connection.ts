/** Opens the server of a queue by its address: BullMQ's backend and the book beside it, on one set of connections. */

import { createPostgresBackend, createRedisBackend } from 'bullmq';
import type { IQueueBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Book } from './book.ts';
import { PostgresBook } from './postgres-book.ts';
import { RedisBook } from './redis-book.ts';

export interface Connection {
  backend: IQueueBackend;
  book: Book;
  close(): Promise<void>;
}

/** Times of BullMQ's locks, in milliseconds. */
export interface LockTimes {
  lease: number;
  /** Between two looks for expired locks. */
  look: number;
}

const CONNECT_MS = 10_000;
const POOL = 4;
/** Tasks are given up by our own count of dead workers. */
const MOST_STALLS = 1_000_000;

/** Throws an Error for an address that is none, and the driver's error for a server that does not answer. */
export async function openConnection(address: string, times: LockTimes): Promise<Connection> {
  const url = parseAddress(address);
  const namespace = url.searchParams.get('namespace') ?? 'castor';
  url.searchParams.delete('namespace');
  const options = { lockDuration: times.lease, stalledInterval: times.look, maxStalledCount: MOST_STALLS };
  return url.protocol.startsWith('postgres')
    ? openPostgres(url, namespace, options)
    : openRedis(url, namespace, options);
}

const PROTOCOLS = ['redis:', 'rediss:', 'valkey:', 'valkeys:', 'postgres:', 'postgresql:'];

export function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && PROTOCOLS.includes(url.protocol)) return url;
  throw new Error(
    `"${withoutPassword(address)}" is not the address of a queue. Use redis://host:6379 or postgres://user@host/database.`,
  );
}

/** For messages: an address may hold a password. */
export function withoutPassword(address: string): string {
  return address.replace(/\/\/([^@/]*):[^@]*@/, '//$1:…@');
}

type BackendOptions = { lockDuration: number; stalledInterval: number; maxStalledCount: number };

async function openRedis(url: URL, namespace: string, options: BackendOptions): Promise<Connection> {
  const plain = url.href.replace(/^valkey/, 'redis');
  const client = new Redis(plain, {
    // Each command fails soon; the engine repeats what can be repeated.
    ...{ maxRetriesPerRequest: 0, connectTimeout: CONNECT_MS, lazyConnect: true },
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  });
  let last: Error | undefined;
  client.on('error', (error) => void (last = error));
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw last ?? error;
  }
  // The braces keep all keys on one node of a cluster.
  const prefix = `{${namespace}}`;
  const backend = createRedisBackend('castor', { connection: client, prefix, ...options } as never);
  backend.on('error', () => undefined);
  return {
    backend,
    book: new RedisBook(client, prefix),
    async close() {
      await backend.close().catch(() => undefined);
      client.disconnect();
    },
  };
}

async function openPostgres(url: URL, namespace: string, options: BackendOptions): Promise<Connection> {
  const connection = {
    ...{ connectionString: url.href, schema: namespace, migrate: true, max: POOL, keepAlive: true },
    ...{ connectionTimeoutMillis: CONNECT_MS, application_name: 'castor' },
  };
  const backend = createPostgresBackend('castor', { connection, ...options } as never);
  backend.on('error', () => undefined);
  try {
    await backend.waitUntilReady();
    const book = new PostgresBook(backend.connection.pool as unknown as Pool);
    await book.prepare();
    return { backend, book, close: () => backend.close() };
  } catch (error) {
    await backend.close().catch(() => undefined);
    throw error;
  }
}

/** Repeats what failed because the server could not be reached: it may be restarting. */

import { withoutPassword } from './connection.ts';

export interface PatienceOptions {
  address: string;
  /** How long a server may be away. */
  patienceMs: number;
  /** Called once for each time the server goes away. */
  onUnreachable?: ((message: string) => void) | undefined;
  /** From then on a short patience has to do. */
  stop?: AbortSignal | undefined;
}

/** The server of the queue did not answer for too long. */
export class QueueUnreachableError extends Error {
  constructor(address: string, cause: Error) {
    super(`The queue ${withoutPassword(address)} cannot be reached: ${describe(cause)}`, { cause });
    this.name = 'QueueUnreachableError';
  }
}

const CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  // Postgres: shutting down, crashed, starting, connection lost, too many clients.
  ...['57P01', '57P02', '57P03', '08000', '08001', '08003', '08006', '53300'],
]);
const WORDS =
  /connection terminated|connection is closed|connection timeout|max retries per request|timeout exceeded when trying to connect|socket closed|^LOADING|not queryable|connect ECONN|Stream isn't writeable/i;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
const LAST_PATIENCE_MS = 5_000;

export function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, errors } = error as Error & { code?: string; errors?: unknown[] };
  return CODES.has(code ?? '') || WORDS.test(error.message) || (errors?.some(isUnreachable) ?? false);
}

/** Throws QueueUnreachableError when the patience has ended, and every other error at once. */
export async function patiently<T>(work: () => Promise<T>, options: PatienceOptions): Promise<T> {
  const { address, patienceMs, onUnreachable, stop } = options;
  for (let waited = 0, waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const most = stop?.aborted ? Math.min(patienceMs, LAST_PATIENCE_MS) : patienceMs;
      if (waited >= most) throw new QueueUnreachableError(address, error);
      if (waited === 0) onUnreachable?.(new QueueUnreachableError(address, error).message);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waited += waitMs;
  }
}

function describe(error: Error & { errors?: Error[] }): string {
  // The client's words for a connection that it has lost.
  if (/max retries per request/i.test(error.message)) return 'the server does not answer.';
  const message = error.message || error.errors?.[0]?.message || error.name;
  return message.endsWith('.') ? message : `${message}.`;
}

/** Opens a queue by its address. */

import { isRunning } from '@castor/batch';
import type { BatchEngine } from '@castor/batch';
import { BullmqEngine } from './bullmq-engine.ts';
import type { EngineOptions } from './bullmq-engine.ts';
import { openConnection, parseAddress } from './connection.ts';
import { thisHolder } from './holder.ts';
import { patiently } from './patience.ts';
import type { PatienceOptions } from './patience.ts';

export interface QueueOptions extends Partial<Omit<PatienceOptions, 'address'>> {
  /** The name of this machine's state folder: what begun tasks left there belongs to it. */
  machine?: string | undefined;
  /** How long a worker that does not answer keeps its tasks, in milliseconds. */
  leaseMs?: number | undefined;
  /** How long the machine of a begun task has to come back before another one starts the task over. */
  graceMs?: number | undefined;
  /** What a task has spent on this machine, by its files. */
  spentHere?: EngineOptions['spentHere'];
  now?: EngineOptions['now'];
  /** For tests of dead workers. */
  isAlive?: EngineOptions['isAlive'];
}

const PATIENCE_MS = 10_000;
const LEASE_MS = 60_000;
const GRACE_MS = 60_000;

/** Throws an Error for an address that is none, and QueueUnreachableError. */
export async function openQueue(address: string, options: QueueOptions = {}): Promise<BatchEngine> {
  const { leaseMs: lease = LEASE_MS, graceMs: grace = GRACE_MS, patienceMs = PATIENCE_MS } = options;
  parseAddress(address);
  const patience = { ...options, address, patienceMs };
  const times = { lease, look: Math.max(1_000, lease / 4) };
  const connection = await patiently(() => openConnection(address, times), patience);
  return new BullmqEngine(connection, {
    ...{ lease, look: times.look, grace, patience, holder: thisHolder(options.machine) },
    spentHere: options.spentHere ?? (() => ({ cost: 0, tokens: 0 })),
    ...{ now: options.now ?? Date.now, isAlive: options.isAlive ?? (({ pid, started }) => isRunning(pid, started)) },
  });
}

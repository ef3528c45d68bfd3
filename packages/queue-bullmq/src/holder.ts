/**
 * Holder: what this process is to others. A host is one run of one system with its process numbers: on the same host, a dead process
 * is recognised at once. A machine is a state folder: it survives restarts, and so do the sessions in it.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { startTimeOf } from '@castor/batch';

export interface Holder {
  host: string;
  machine: string;
  pid: number;
  started: string;
  /** Locks of this process begin with it. */
  token: string;
}

export function thisHolder(machine: string | undefined): Holder {
  const { pid } = process;
  const host = hostOf();
  return {
    host,
    machine: machine ?? host,
    pid,
    started: startTimeOf(pid),
    token: `${hostname()}-${pid}-${crypto.randomUUID()}`,
  };
}

/** Two containers have the same boot and other process numbers. */
function hostOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()}-${boot}-${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    // A system without /proc: its name is the best there is.
    return hostname();
  }
}

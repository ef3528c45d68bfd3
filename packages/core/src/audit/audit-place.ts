/** Where the log of a user is on disk: a folder with a file for each day, and apart from it the key and the head. Pure. */

import { join } from 'node:path';
import { auditDirectory, auditStateDirectory } from '../config/paths.ts';

export interface AuditPlace {
  /** The files of the days. */
  logs: string;
  keyFile: string;
  publicKeyFile: string;
  headFile: string;
  lock: string;
}

export function auditPlace(home: string): AuditPlace {
  const state = auditStateDirectory(home);
  return {
    logs: auditDirectory(home),
    keyFile: join(state, 'signing.key'),
    publicKeyFile: join(state, 'public-key.pem'),
    headFile: join(state, 'head.json'),
    lock: join(state, 'lock'),
  };
}

const LOG_FILE = /^\d{4}-\d{2}-\d{2}\.jsonl$/;

/** The files among these names, the oldest first. */
export function logFiles(names: readonly string[]): string[] {
  return names.filter((name) => LOG_FILE.test(name)).sort();
}

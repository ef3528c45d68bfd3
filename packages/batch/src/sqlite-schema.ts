/** The tables of the embedded engine, and the one place that opens the database. */

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Other processes hold the database for a few milliseconds at a time. */
const BUSY_MS = 30_000;
const VERSION = 4;

const TABLES = `
CREATE TABLE IF NOT EXISTS batches (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, created_at INTEGER NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL,
  options TEXT NOT NULL, limits TEXT NOT NULL, served INTEGER NOT NULL, spent_cost REAL NOT NULL, is_cost_known INTEGER NOT NULL,
  spent_tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS tasks (
  batch TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, spec TEXT NOT NULL, provider TEXT NOT NULL, state TEXT NOT NULL,
  claim INTEGER NOT NULL DEFAULT 0, worker TEXT, failed_tries INTEGER NOT NULL DEFAULT 0, interruptions INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0, is_begun INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, started_at INTEGER,
  reserved_cost REAL NOT NULL DEFAULT 0, reserved_tokens INTEGER NOT NULL DEFAULT 0,
  spent_cost REAL NOT NULL DEFAULT 0, is_cost_known INTEGER NOT NULL DEFAULT 1, spent_tokens INTEGER NOT NULL DEFAULT 0,
  status TEXT, result TEXT, sequence INTEGER,
  PRIMARY KEY (batch, id)
) STRICT, WITHOUT ROWID;
DROP INDEX IF EXISTS tasks_by_state;
DROP INDEX IF EXISTS tasks_by_status;
CREATE INDEX IF NOT EXISTS tasks_by_standing ON tasks (batch, state, status, position);
CREATE INDEX IF NOT EXISTS running_tasks ON tasks (state) WHERE state = 'running';
CREATE UNIQUE INDEX IF NOT EXISTS results ON tasks (batch, sequence) WHERE sequence IS NOT NULL;
CREATE TABLE IF NOT EXISTS workers (id TEXT PRIMARY KEY, pid INTEGER NOT NULL, started TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS seekers (
  worker TEXT PRIMARY KEY, batch TEXT NOT NULL, places INTEGER NOT NULL, labels TEXT NOT NULL, asked_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS paces (provider TEXT PRIMARY KEY, at_once REAL NOT NULL, slowed_at INTEGER NOT NULL) STRICT;
`;

/** Throws the system's error, or one that names the file of a newer Castor. */
export function openDatabase(path: string): DatabaseSync {
  // SQLite would create it for all users.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > VERSION) throw new Error(`${path} was written by a newer version of Castor.`);
    if (version < VERSION) database.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA user_version = ${VERSION}; COMMIT;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

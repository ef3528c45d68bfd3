/**
 * The user's grants: paths and hosts that the commands of one folder may use, in a file of the user's, readable by its
 * owner only. A grant is kept by path or host, never by the name of a command.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';

export type GrantKind = 'write' | 'read' | 'host';

export interface Grant {
  kind: GrantKind;
  /** A path, or a host such as `example.org` or `example.org:8443`. */
  what: string;
  /** The folder whose commands may use it. */
  root: string;
}

const FILE = 'sandbox-grants.json';
const KINDS: ReadonlySet<unknown> = new Set<GrantKind>(['write', 'read', 'host']);

export function grantsPath(home: string): string {
  return join(home, '.gemini', FILE);
}

/** A missing or damaged file grants nothing. */
export function readGrants(home: string): Grant[] {
  try {
    const value: unknown = JSON.parse(readFileSync(grantsPath(home), 'utf8'));
    const listed = isRecord(value) ? value['grants'] : undefined;
    return Array.isArray(listed) ? listed.filter((each) => isGrant(each)) : [];
  } catch {
    return [];
  }
}

function isGrant(value: unknown): value is Grant {
  if (!isRecord(value)) return false;
  const { kind, what, root } = value;
  return KINDS.has(kind) && typeof what === 'string' && typeof root === 'string';
}

function isSame(left: Grant, right: Grant): boolean {
  return left.kind === right.kind && left.what === right.what && left.root === right.root;
}

export function saveGrant(home: string, grant: Grant): void {
  const others = readGrants(home).filter((each) => !isSame(each, grant));
  write(home, [...others, grant]);
}

/** The grants that were removed: all of this path or host, in any folder. */
export function revokeGrants(home: string, what: string): Grant[] {
  const grants = readGrants(home);
  const removed = grants.filter((grant) => grant.what === what);
  if (removed.length > 0)
    write(
      home,
      grants.filter((grant) => grant.what !== what),
    );
  return removed;
}

function write(home: string, grants: readonly Grant[]): void {
  replaceFile(grantsPath(home), `${JSON.stringify({ grants }, null, 2)}\n`);
}

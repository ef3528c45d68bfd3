/** The branches of a project, in one file beside its sessions: their folders, sessions and where they began. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { StoredChange } from './tree-state.ts';

export interface Branch {
  readonly name: string;
  /** Its folder. */
  readonly root: string;
  readonly sessionId: string;
  /** The session it was made from. */
  readonly from: string;
  /** The prompt before which it begins; absent: the end. */
  readonly at?: string | undefined;
  readonly createdAt: string;
  /** What merges made of files that both sides had changed: from the state in the branch to the one in the folder. */
  readonly joined?: readonly StoredChange[] | undefined;
}

/** `directory`: the project's own. Oldest first; a damaged file counts as empty. */
export function readBranches(directory: string): Branch[] {
  const path = fileOf(directory);
  if (!existsSync(path)) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const branches = isRecord(value) && Array.isArray(value['branches']) ? (value['branches'] as unknown[]) : [];
    return branches.filter(
      (each): each is Branch & Record<string, unknown> => isRecord(each) && typeof each['root'] === 'string',
    );
  } catch {
    // The folders are still there: only their names are lost.
    return [];
  }
}

export function writeBranches(directory: string, branches: readonly Branch[]): void {
  replaceFile(fileOf(directory), `${JSON.stringify({ branches }, undefined, 2)}\n`);
}

function fileOf(directory: string): string {
  return join(directory, 'branches.json');
}

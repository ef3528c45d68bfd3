/**
 * Reads a snapshot of Gemini CLI: a commit in the shadow repository of a project. Git only reads there; what differs from
 * the workspace becomes a plan that undo carries out. Files that are newer than the snapshot stay.
 */

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { runChild } from '../tools/run-child.ts';
import { comparePaths, toStoredPath } from './byte-path.ts';
import { fromStoredChange, isSameState } from './tree-state.ts';
import type { TreeChange, TreeState } from './tree-state.ts';
import type { UndoClient } from './undo-client.ts';
import { UndoError } from './undo-preview.ts';

export interface SnapshotOptions {
  readonly home: string;
  /** The project's own folder, whose name the shadow repository shares. */
  readonly directory: string;
  readonly commit: string;
  readonly client: UndoClient;
  readonly path: string;
}

const COMMIT = /^[0-9a-f]{7,64}$/;
const TIMEOUT_MS = 60_000;
const GONE = 'The checkpoint cannot be restored: its snapshot is not in the shadow repository of Gemini CLI any more.';

/** From the present to the snapshot. Throws UndoError. */
export async function planSnapshot({
  home,
  directory,
  commit,
  client,
  path: programs,
}: SnapshotOptions): Promise<TreeChange[]> {
  const shadow = join(userDirectory(home), 'history', basename(directory), '.git');
  if (!COMMIT.test(commit) || !existsSync(shadow)) throw new UndoError(GONE);
  const git = (...args: string[]) => runGit(shadow, home, programs, args);
  const listed = await git('ls-tree', '-r', '-z', commit);
  const entries = listed.toString('latin1').split('\0').flatMap(parseEntry);
  const present = await client.ask({ do: 'states', paths: entries.map(({ path }) => toStoredPath(path)) });
  const changes: TreeChange[] = [];
  for (const [index, { path, mode, blob }] of entries.entries()) {
    const now = fromStoredChange(present[index])?.after ?? null;
    const bytes = await git('cat-file', 'blob', blob);
    const after = await toState(mode, bytes, now, client);
    if (!isSameState(now, after)) changes.push({ path, before: now, after });
  }
  return changes.toSorted((left, right) => comparePaths(left.path, right.path));
}

function parseEntry(line: string): { mode: string; blob: string; path: string }[] {
  const [, mode = '', type, blob = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
  return type === 'blob' ? [{ mode, blob, path }] : [];
}

/** Git knows only whether a file is executable: the present mode stays as far as that agrees. */
async function toState(mode: string, bytes: Buffer, now: TreeState, client: UndoClient): Promise<TreeState> {
  if (mode === '120000') return { kind: 'link', target: bytes.toString('latin1') };
  const { content } = await client.ask({ do: 'put', bytes: bytes.toString('base64') });
  const isExecutable = mode === '100755';
  const current = now?.kind === 'file' ? now.mode : undefined;
  const agrees = current !== undefined && ((current & 0o100) !== 0) === isExecutable;
  return { kind: 'file', mode: agrees ? current : isExecutable ? 0o755 : 0o644, content, size: bytes.length };
}

async function runGit(shadow: string, home: string, programs: string, args: readonly string[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const { code } = await runChild({
    command: 'git',
    args: ['--git-dir', shadow, ...args],
    cwd: home,
    env: { PATH: programs, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
    onStdout: (chunk) => {
      chunks.push(chunk);
      return true;
    },
  });
  if (code !== 0) throw new UndoError(GONE);
  return Buffer.concat(chunks);
}

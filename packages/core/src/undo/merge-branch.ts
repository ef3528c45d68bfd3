/**
 * Merges a branch into the folder it came from: what only the branch changed is taken over, what both changed is merged
 * line by line with conflicts marked, and what cannot be merged is left alone and named. The session of the folder gets
 * a note, and the merge can be undone as a call of it.
 */

import type { ProjectSessions } from '../records/project-sessions.ts';
import { decodeText } from '../tools/files/text-file.ts';
import { applyAsCall } from './apply-as-call.ts';
import { toText } from './byte-path.ts';
import { changesSince, isTakenOver, noteJoined } from './branches.ts';
import type { Branch } from './branch-registry.ts';
import { mergeText } from './merge-text.ts';
import type { FileState, TreeChange, TreeState } from './tree-state.ts';
import type { UndoClient } from './undo-client.ts';

export interface MergeResult {
  readonly merged: readonly string[];
  /** Written with markers. */
  readonly conflicts: readonly string[];
  /** Changed in both in ways that no merge can join: as they were. */
  readonly leftAlone: readonly string[];
  readonly isVerified: boolean;
}

export interface MergeOptions extends ProjectSessions {
  readonly branch: Branch;
  /** Appends to the session's file. */
  readonly record: (record: object) => void;
  readonly tellModel: (sentence: string) => void;
}

export async function mergeBranch({ branch, record, tellModel, ...project }: MergeOptions): Promise<MergeResult> {
  const theirs = await changesSince(project, branch, branch.root);
  await theirs.client.close();
  const here = await changesSince(project, branch, project.root);
  const { client } = here;
  try {
    const changes: TreeChange[] = [];
    const conflicts: string[] = [];
    const leftAlone: string[] = [];
    const taken: TreeChange[] = [];
    for (const change of theirs.changes.values()) {
      const own = here.changes.get(change.path);
      if (!own) changes.push(change);
      else if (!isTakenOver(branch, change, own)) {
        const joined = await join(client, own, change, branch.name);
        if (!joined) leftAlone.push(toText(change.path));
        else {
          taken.push({ path: change.path, before: change.after, after: joined.state });
          changes.push({ path: change.path, before: own.after, after: joined.state });
          if (joined.conflicts > 0) conflicts.push(toText(change.path));
        }
      }
    }
    if (changes.length === 0) return { merged: [], conflicts, leftAlone, isVerified: true };
    const callId = `merge-${branch.name}-${Date.now().toString(36)}`;
    const description = `branch ${branch.name}`;
    const call = { callId, name: 'branch_merge', description, step: `/branch merge ${branch.name}` };
    const answer = await applyAsCall(client, record, call, changes);
    const merged = changes.map(({ path }) => toText(path));
    await noteJoined(project, branch.name, taken);
    tellModel(describeMerge(branch, merged, conflicts, leftAlone));
    return { merged, conflicts, leftAlone, isVerified: answer.isVerified && answer.skipped.length === 0 };
  } finally {
    await client.close();
  }
}

/** Undefined where the two changes cannot be joined. */
async function join(
  client: UndoClient,
  own: TreeChange,
  their: TreeChange,
  name: string,
): Promise<{ state: FileState; conflicts: number } | undefined> {
  const [base, ours, theirs] = await Promise.all(
    [own.before, own.after, their.after].map((state) => textOf(client, state)),
  );
  if (ours === undefined || theirs === undefined || own.after?.kind !== 'file' || their.after?.kind !== 'file')
    return undefined;
  const { text, conflicts } = mergeText(base ?? '', ours, theirs, { ours: 'this folder', theirs: `branch ${name}` });
  const bytes = Buffer.from(text);
  const { content } = await client.ask({ do: 'put', bytes: bytes.toString('base64') });
  const baseMode = own.before?.kind === 'file' ? own.before.mode : undefined;
  const mode = their.after.mode === baseMode ? own.after.mode : their.after.mode;
  return { state: { kind: 'file', mode, content, size: bytes.length }, conflicts };
}

async function textOf(client: UndoClient, state: TreeState): Promise<string | undefined> {
  if (state?.kind !== 'file') return undefined;
  const { bytes } = await client.ask({ do: 'read', content: state.content });
  const content = bytes === undefined ? undefined : Buffer.from(bytes, 'base64');
  return content === undefined || content.includes(0) ? undefined : decodeText(content).text;
}

function describeMerge(
  { name }: Branch,
  merged: readonly string[],
  conflicts: readonly string[],
  left: readonly string[],
): string {
  const shown = (paths: readonly string[]) => paths.slice(0, 30).join(', ');
  return [
    `The user merged the branch "${name}" into this folder: ${shown(merged) || 'nothing changed'}.`,
    ...(conflicts.length > 0 ? [`Conflicts are marked in ${shown(conflicts)}.`] : []),
    ...(left.length > 0 ? [`Changed in both and left alone: ${shown(left)}.`] : []),
    'Read files again before you rely on their content.',
  ].join(' ');
}

/**
 * handOver: brings the changes of an isolated run into the project by ordinary edits, each judged and approved like
 * any other. A file that changed meanwhile is merged; what cannot be applied is told and stays in the patch.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolContext } from '../protocol/tools.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { countOf } from '../util/short-text.ts';
import type { ChangedFile, Worktree } from './worktree.ts';

/** Runs edits in the project, as a scheduler does. */
export interface EditRunner {
  run(requests: readonly ToolCallRequestInfo[], signal: AbortSignal): AsyncGenerator<AgentEvent, CompletedToolCall[]>;
  isWaiting(callId: string): boolean;
  respond: Parameters<NonNullable<ToolContext['adopt']>>[0]['respond'];
  /** Writes the bytes of an applied edit where its text form differs from them. */
  writeExactly(path: string, bytes: Buffer): Promise<void>;
}

export interface HandOverOptions {
  worktree: Worktree;
  edits: EditRunner;
  agentId: string;
  /** Where the patch is kept. */
  patchFile: string;
  /** False: the changes are only kept as a patch. */
  applies: boolean;
  context: ToolContext;
}

/** What became of one file. */
interface FileOutcome {
  path: string;
  problem?: string;
}

const MAX_NAMED = 50;

/** Undefined when the run changed nothing. */
export async function* handOver(options: HandOverOptions): AsyncGenerator<AgentEvent, string | undefined> {
  const { worktree, applies, context } = options;
  const changes = await worktree.changes();
  if (changes.length === 0) return undefined;
  const patch = await keepPatch(worktree, options.patchFile);
  if (!applies)
    return `It changed ${countOf(changes.length, 'file')} in its worktree; nothing was applied. ${tellPatch(patch)}`;
  const outcomes: FileOutcome[] = [];
  for (const [index, change] of changes.entries()) {
    if (context.signal.aborted) break;
    outcomes.push(yield* applyChange(change, index, options));
  }
  return describe(outcomes, changes.length, patch);
}

/** Undefined without a change. */
export async function keepPatch(worktree: Worktree, file: string): Promise<string | undefined> {
  const patch = await worktree.patch();
  if (patch.length === 0) return undefined;
  makeDirectory(dirname(file));
  await writeFile(file, patch, { mode: 0o600 });
  return file;
}

async function* applyChange(
  change: ChangedFile,
  index: number,
  { worktree, edits, agentId, context }: HandOverOptions,
): AsyncGenerator<AgentEvent, FileOutcome> {
  const { path, target } = change;
  const planned = await planChange(change, worktree);
  if ('problem' in planned) return { path, problem: planned.problem };
  const permission = describePermission(change);
  if (planned.bytes === 'same') return { path, ...permission };
  const { bytes } = planned;
  const request: ToolCallRequestInfo = {
    callId: `${agentId}-apply-${index + 1}`,
    ...(bytes === null
      ? { name: 'apply_patch', args: { patch: `*** Begin Patch\n*** Delete File: ${target}\n*** End Patch` } }
      : { name: 'write_file', args: { file_path: target, content: bytes.toString('utf8') } }),
    isClientInitiated: false,
    prompt_id: agentId,
  };
  yield { type: GeminiEventType.ToolCallRequest, value: request };
  const release = context.adopt?.({
    async *prompt() {},
    asks: (id) => edits.isWaiting(id),
    respond: edits.respond,
    answerFallback: () => undefined,
  });
  try {
    const [completed] = yield* edits.run([request], context.signal);
    if (completed?.status !== 'success') return { path, problem: describeFailure(completed) };
    if (bytes !== null) await edits.writeExactly(target, bytes);
    return { path, ...permission };
  } finally {
    release?.();
  }
}

/** No edit sets permissions; a command would. */
function describePermission({ path, executable }: ChangedFile): Pick<FileOutcome, 'problem'> {
  if (executable === undefined) return {};
  const sign = executable === 'added' ? '+' : '-';
  return { problem: `its content is applied, its permission to execute is not (chmod ${sign}x ${path})` };
}

type Planned = { bytes: Buffer | null | 'same' } | { problem: string };

/** The content the file is to have; null to delete it. */
async function planChange(change: ChangedFile, worktree: Worktree): Promise<Planned> {
  const { kind, base, fresh, target, isSpecial } = change;
  if (isSpecial) return { problem: 'it is a link or a submodule, which only the patch can change' };
  if ((base?.includes(0) ?? false) || (fresh?.includes(0) ?? false))
    return { problem: 'it is a binary file, which only the patch can change' };
  const current = await readFile(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (current === null ? fresh === null : fresh !== null && current.equals(fresh)) return { bytes: 'same' };
  if (current === null ? base === null : base !== null && current.equals(base)) return { bytes: fresh };
  if (kind !== 'modified' || current === null)
    return { problem: 'conflict: it was added, changed or deleted in the project meanwhile' };
  const merged = await worktree.merge(current, change);
  return merged ? { bytes: merged } : { problem: 'conflict: the project has changed the same lines meanwhile' };
}

function describeFailure(completed: CompletedToolCall | undefined): string {
  if (!completed) return 'it was not applied';
  const { status, response } = completed;
  return status === 'cancelled' ? 'the user declined it' : (response.error?.message ?? 'it could not be written');
}

function describe(outcomes: readonly FileOutcome[], total: number, patch: string | undefined): string {
  const applied = outcomes.filter(({ problem }) => problem === undefined).map(({ path }) => path);
  const failed = outcomes.filter(({ problem }) => problem !== undefined);
  const lines = [`Changes: ${applied.length} of ${countOf(total, 'file')} applied to the project.`];
  if (applied.length > 0) lines.push(`Applied: ${nameSome(applied)}`);
  lines.push(...failed.slice(0, MAX_NAMED).map(({ path, problem }) => `Not applied: ${path}: ${problem}`));
  if (applied.length < total) lines.push(tellPatch(patch));
  return lines.join('\n');
}

function nameSome(paths: readonly string[]): string {
  const rest = paths.length - MAX_NAMED;
  return [...paths.slice(0, MAX_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

function tellPatch(patch: string | undefined): string {
  return patch === undefined ? '' : `The whole diff is in ${patch} (git apply takes it).`;
}

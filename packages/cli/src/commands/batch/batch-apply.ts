/** `--apply`: turns the good result of a task into a branch, a patch file in the current folder, or a text for a pull request. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyToBranch, TaskFiles } from '@castor/batch';
import type { TaskResult } from '@castor/batch';
import { getErrorMessage } from '@castor/core';
import { findBatch } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import type { ApplyKind } from './batch-words.ts';

/** The result with what was made of it; a failure to apply is a note, and the result stays as it is. */
export async function applyResult(
  result: TaskResult,
  kind: ApplyKind | undefined,
  { context, batch }: { context: BatchContext; batch: string },
): Promise<TaskResult & { applied?: string }> {
  const patch = result.files?.patch;
  if (kind === undefined || result.status !== 'success' || patch === undefined || !existsSync(patch)) return result;
  try {
    const applied = await APPLY[kind](result, patch, { context, batch });
    context.output.note(`  ${result.id} → ${applied}`);
    return { ...result, applied };
  } catch (error) {
    context.output.note(`castor: warning: the changes of ${result.id} could not be applied: ${getErrorMessage(error)}`);
    return result;
  }
}

interface Where {
  context: BatchContext;
  batch: string;
}

const APPLY: Readonly<Record<ApplyKind, (result: TaskResult, patch: string, where: Where) => Promise<string>>> = {
  async branch(result, patch, { context, batch }) {
    const { options } = await findBatch(context, batch);
    const { repository, base } = new TaskFiles(options.directory, result.id).readState()?.workplace ?? {};
    if (repository === undefined || base === undefined)
      throw new Error('a branch needs a repository on this machine; use --apply patch.');
    const name = `castor/${batch}/${result.id}`;
    const message = `${firstLine(result.answer ?? result.id)}\n\nTask ${result.id} of batch ${batch}.`;
    await applyToBranch({ patch, name, message, folder: repository, base, environment: context.environment });
    return `branch ${name}`;
  },
  async patch(result, patch, where) {
    const path = join(folderOf(where), `${result.id}.patch`);
    writeFileSync(path, readFileSync(patch));
    return path;
  },
  async 'pr-body'(result, patch, where) {
    const path = join(folderOf(where), `${result.id}.md`);
    const answer =
      result.files?.answer === undefined ? (result.answer ?? '') : readFileSync(result.files.answer, 'utf8');
    const { files = 0, added = 0, removed = 0 } = result.changes ?? {};
    const check = result.check ? `\nCheck: \`${result.check.command}\` passed.` : '';
    writeFileSync(
      path,
      `# ${firstLine(answer)}\n\n${answer.trim()}\n\n---\n${files} files, +${added} −${removed}.${check}\nPatch: ${patch}\n`,
    );
    return path;
  },
};

function folderOf({ context, batch }: Where): string {
  const folder = join(context.cwd, `castor-${batch}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').slice(0, 72) || 'Changes by Castor';
}

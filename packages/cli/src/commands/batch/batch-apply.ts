/** `--apply`: turns the good result of a task into a branch, a patch file in the current folder, or a text for a pull request. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyToBranch, fetchPatch, repositoryOf, TaskFiles } from '@castor/batch';
import type { Task, TaskResult } from '@castor/batch';
import { getErrorMessage } from '@castor/core';
import { countOf } from '@castor/core/program';
import { findBatch } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import type { ApplyKind } from './batch-words.ts';

export class ResultApplier {
  private readonly kind: ApplyKind | undefined;
  private readonly batch: string;
  private readonly context: BatchContext;
  /** Of results whose changes could not be applied. */
  failures = 0;
  private places: Promise<Map<string, Task['place']>> | undefined;

  constructor(kind: ApplyKind | undefined, batch: string, context: BatchContext) {
    this.kind = kind;
    this.batch = batch;
    this.context = context;
  }

  /** The result with what was made of it; a failure to apply is a note, and the result stays as it is. */
  async apply(result: TaskResult): Promise<TaskResult & { applied?: string }> {
    const { kind, context } = this;
    if (kind === undefined || result.status !== 'success' || !result.changes) return result;
    try {
      const patch = await this.patchOf(result);
      const applied = await this[kind](result, patch);
      context.output.note(`  ${result.id} → ${applied}`);
      return { ...result, applied };
    } catch (error) {
      this.failures += 1;
      const why = getErrorMessage(error);
      context.output.note(`castor: warning: the changes of ${result.id} could not be applied: ${why}`);
      return result;
    }
  }

  /** The path of a patch on this machine. */
  private async patchOf({ id, files, refs, machine }: TaskResult): Promise<string> {
    if (files?.patch !== undefined && existsSync(files.patch)) return files.patch;
    if (refs?.work === undefined)
      throw new Error(
        `its patch is on ${machine ?? 'another machine'}: ${files?.patch ?? '?'}. Submit with --artifacts to have it here.`,
      );
    const path = join(this.folder(), `${id}.patch`);
    await fetchPatch(await this.placeOf(id), refs.work, path, this.context);
    return path;
  }

  private async branch(result: TaskResult, patch: string): Promise<string> {
    const { batch, context } = this;
    const place = await this.placeOf(result.id);
    if (place.kind !== 'folder') throw new Error('a branch needs a repository on this machine; use --apply patch.');
    const { options } = await findBatch(context, batch);
    const known = new TaskFiles(options.directory, result.id).readState()?.workplace;
    const base = known?.base ?? result.base;
    if (base === undefined) throw new Error('the task worked in the folder itself.');
    const folder = known?.repository ?? (await repositoryOf(place.folder, context));
    const name = `castor/${batch}/${result.id}`;
    const message = `${firstLine(result.answer ?? result.id)}\n\nTask ${result.id} of batch ${batch}.`;
    await applyToBranch({ patch, name, message, folder, base, environment: context.environment });
    return `branch ${name}`;
  }

  private async patch(result: TaskResult, patch: string): Promise<string> {
    const path = join(this.folder(), `${result.id}.patch`);
    if (path !== patch) writeFileSync(path, readFileSync(patch));
    return path;
  }

  private async 'pr-body'(result: TaskResult, patch: string): Promise<string> {
    const path = join(this.folder(), `${result.id}.md`);
    const file = result.files?.answer;
    const answer = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : (result.answer ?? '');
    const { files = 0, added = 0, removed = 0 } = result.changes ?? {};
    const check = result.check ? `\nCheck: \`${result.check.command}\` passed.` : '';
    writeFileSync(
      path,
      `# ${firstLine(answer)}\n\n${answer.trim()}\n\n---\n${countOf(files, 'file')}, +${added} −${removed}.${check}\nPatch: ${patch}\n`,
    );
    return path;
  }

  private async placeOf(id: string): Promise<Task['place']> {
    this.places ??= this.context.engine
      .tasks(this.batch)
      .then((tasks) => new Map(tasks.map(({ task }) => [task.id, task.place])));
    const place = (await this.places).get(id);
    if (!place) throw new Error('its task is gone.');
    return place;
  }

  private folder(): string {
    const folder = join(this.context.cwd, `castor-${this.batch}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').slice(0, 72) || 'Changes by Castor';
}

/**
 * WrittenFiles: collects the files that calls have written and, with the result of a call, reports what the edit broke.
 * The checks themselves are loaded by the first file that was written; an agent and its children share them.
 */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ResultContext } from '../scheduler/ports.ts';
import type { ChangedFile, FileDiagnostics, FileReport } from '../diagnostics/file-diagnostics.ts';
import type { FileDiff, ToolResult } from '../protocol/tools.ts';
import type { WrittenFile } from '../tools/files/file-store.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';

const NOTHING: FileReport = { text: undefined, formatted: new Map(), lost: [] };

export class WrittenFiles {
  private readonly root: string;
  private readonly load: () => Promise<FileDiagnostics>;
  private loading: Promise<FileDiagnostics> | undefined;
  private changes: ChangedFile[] = [];

  constructor(root: string, load: () => Promise<FileDiagnostics>) {
    this.root = root;
    this.load = load;
  }

  /** For another agent in the same folder, with the same checks. */
  share(): WrittenFiles {
    return new WrittenFiles(this.root, () => this.checks());
  }

  note({ path, before, after, adopt }: WrittenFile): void {
    const known = this.changes.find((each) => each.path === path);
    this.changes = this.changes.filter((each) => each !== known);
    // The first state of a file counts, where one call writes it twice.
    const first = known ? known.before : before?.toString('utf8');
    this.changes.push({ path, before: first, after: Buffer.from(after).toString('utf8'), adopt });
  }

  /** What a result is told besides: the context of the workspace, then what the edit broke. */
  withReport(inner: ResultContext | undefined): ResultContext {
    return async (paths, result, signal) => {
      const around = await inner?.(paths, result, signal);
      const { text, formatted, lost } = await this.report(paths, signal);
      const said = [typeof around === 'object' ? around.text : around, text].filter((each) => each !== undefined);
      const told = said.length === 0 ? undefined : said.join('\n\n');
      if (lost.length === 0) return { text: told, result: await this.settle(result, formatted) };
      return { text: told, result: { ...result, error: { message: told!, type: 'file_write_failure' } } };
    };
  }

  async dispose(): Promise<void> {
    (await this.loading)?.dispose();
  }

  private checks(): Promise<FileDiagnostics> {
    return (this.loading ??= this.load());
  }

  /** A call that runs beside others reports its own files only. */
  private async report(paths: readonly string[], signal: AbortSignal): Promise<FileReport> {
    if (this.changes.length === 0) return NOTHING;
    const named = new Set(await Promise.all(paths.map((path) => this.realPath(path))));
    const own = this.changes.filter(({ path }) => named.has(path));
    if (own.length === 0) return NOTHING;
    this.changes = this.changes.filter((change) => !own.includes(change));
    return (await this.checks()).report(own, signal);
  }

  /** The user is shown what is on disk after the formatters, not what the call wrote before them. */
  private async settle(result: ToolResult, formatted: FileReport['formatted']): Promise<ToolResult> {
    const { returnDisplay, data } = result;
    if (formatted.size === 0 || typeof returnDisplay !== 'object') return result;
    const { redescribeDiff } = await import('../tools/files/file-change.ts');
    if ('diffs' in returnDisplay && returnDisplay.diffs) {
      const { files = [] } = returnDisplay;
      const renew = async (diff: FileDiff, index: number) => {
        const bytes = formatted.get(files[index] ?? '');
        return bytes ? redescribeDiff(diff, bytes) : diff;
      };
      return {
        ...result,
        returnDisplay: { ...returnDisplay, diffs: await Promise.all(returnDisplay.diffs.map(renew)) },
      };
    }
    if (!('fileDiff' in returnDisplay)) return result;
    const bytes = formatted.get(await this.realPath(returnDisplay.filePath));
    if (!bytes) return result;
    return {
      ...result,
      returnDisplay: await redescribeDiff(returnDisplay, bytes),
      ...(data && { data: { ...data, bytesWritten: bytes.length, hashAfter: fingerprint(bytes) } }),
    };
  }

  private async realPath(path: string): Promise<string> {
    const absolute = resolve(this.root, path);
    return realpath(absolute).catch(() => absolute);
  }
}

/**
 * WrittenFiles: collects the files that calls have written and, with the result of a call, reports what the edit broke.
 * The checks themselves are loaded by the first file that was written.
 */

import type { ResultContext } from '../scheduler/ports.ts';
import type { ChangedFile, FileDiagnostics } from '../diagnostics/file-diagnostics.ts';
import type { WrittenFile } from '../tools/files/file-store.ts';

export class WrittenFiles {
  private readonly load: () => Promise<FileDiagnostics>;
  private loading: Promise<FileDiagnostics> | undefined;
  private changes: ChangedFile[] = [];

  constructor(load: () => Promise<FileDiagnostics>) {
    this.load = load;
  }

  note({ path, before, callId }: WrittenFile): void {
    // The first state of a file counts, where one call writes it twice.
    if (this.changes.some((each) => each.path === path)) return;
    this.changes.push({ path, before: before?.toString('utf8'), callId });
  }

  /** What a result is told besides: the context of the workspace, then what the edit broke. */
  withReport(inner: ResultContext | undefined): ResultContext {
    return async (paths) => {
      const said = [await inner?.(paths), await this.report(paths)].filter((each) => each !== undefined);
      return said.length === 0 ? undefined : said.join('\n\n');
    };
  }

  async dispose(): Promise<void> {
    (await this.loading)?.dispose();
  }

  /** A call that runs beside others reports its own files only. */
  private async report(paths: readonly string[]): Promise<string | undefined> {
    const own = this.changes.filter(({ path }) => paths.some((each) => each === path || path.endsWith(each)));
    if (own.length === 0) return undefined;
    this.changes = this.changes.filter((change) => !own.includes(change));
    this.loading ??= this.load();
    return (await this.loading).report(own);
  }
}

/**
 * Writes what led to a failed turn to a file of the user's own, so that a bug report
 * can hold more than a message. A few are kept, the newest. Best effort: a report that
 * cannot be written is dropped, never a second failure.
 */

import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Content } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ReportError } from '../turn/turn-error-handler.ts';

export interface ReportErrorOptions {
  directory?: string;
  now?: () => Date;
  /** Told where the report went. */
  onWritten?: (path: string) => void;
}

/** Reports that are kept, those of Gemini CLI of the same name among them. */
const KEPT_REPORTS = 20;
const REPORT_NAME = /^gemini-client-error-.*-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\.json$/;

export function createReportError(options: ReportErrorOptions = {}): ReportError {
  const { directory = tmpdir(), now = () => new Date(), onWritten } = options;
  return async (error, context, type) => {
    const path = join(directory, `gemini-client-error-${type}-${now().toISOString().replace(/[:.]/g, '-')}.json`);
    try {
      // `wx`: whatever lies there already, a planted link included, is not ours to write to.
      await writeFile(path, toReport(error, context), { mode: 0o600, flag: 'wx' });
      onWritten?.(path);
      await removeOldReports(directory);
    } catch {
      // Best effort, as the header says.
    }
  };
}

/** Those of another user in a shared folder are not ours to remove, and stay. */
async function removeOldReports(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => REPORT_NAME.test(name));
  const newestFirst = names.toSorted((left, right) => timeOf(right).localeCompare(timeOf(left)));
  await Promise.allSettled(newestFirst.slice(KEPT_REPORTS).map((name) => rm(join(directory, name))));
}

function timeOf(name: string): string {
  return REPORT_NAME.exec(name)?.[1] ?? '';
}

function toReport(error: unknown, context: Content[]): string {
  const described = {
    message: getErrorMessage(error),
    stack: error instanceof Error ? error.stack : undefined,
  };
  try {
    return JSON.stringify({ error: described, context }, null, 2);
  } catch {
    // A context that cannot be written as JSON must not cost us the error itself.
    return JSON.stringify({ error: described }, null, 2);
  }
}

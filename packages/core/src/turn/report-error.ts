/**
 * reportError: writes the context of a failed turn to a file readable only by the user, so that a bug report can hold
 * more than a message. The newest reports are kept. Best effort: a report that cannot be written is dropped, never a
 * second failure.
 */

import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorMessage } from '../protocol/errors.ts';
import type { ReportContext, ReportError } from './turn-failure.ts';

export interface ReportErrorOptions {
  directory?: string;
  now?: () => Date;
  /** Called with the path of each report. */
  onWritten?: (path: string) => void;
}

/** The number of reports kept, including Gemini CLI's of the same name. */
const KEPT_REPORTS = 20;
const REPORT_NAME = /^gemini-client-error-.*-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\.json$/;

/** Writes `gemini-client-error-<type>-<time>.json` to the system's temporary directory. Never rejects. */
export const reportError: ReportError = createReportError();

/** Creates a `reportError` that writes elsewhere, or that reports the path. */
export function createReportError(options: ReportErrorOptions = {}): ReportError {
  const { directory, now = () => new Date(), onWritten } = options;
  return async (error, message, context, type = 'general') => {
    const kind = type.replace(/[^\w.-]/g, '_');
    const name = `gemini-client-error-${kind}-${now().toISOString().replace(/[:.]/g, '-')}.json`;
    const folder = directory ?? tmpdir();
    try {
      // `wx` rejects an existing file, also a planted link.
      const path = join(folder, name);
      await writeFile(path, toReport(error, message, context), { mode: 0o600, flag: 'wx' });
      onWritten?.(path);
      await removeOldReports(folder);
    } catch {
      // Best effort, as the header says.
    }
  };
}

/** Reports of another user in a shared folder stay: removing them is not permitted. */
async function removeOldReports(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => REPORT_NAME.test(name));
  const newestFirst = names.toSorted((left, right) => timeOf(right).localeCompare(timeOf(left)));
  await Promise.allSettled(newestFirst.slice(KEPT_REPORTS).map((name) => rm(join(directory, name))));
}

function timeOf(name: string): string {
  return REPORT_NAME.exec(name)?.[1] ?? '';
}

function toReport(error: unknown, message: string, context: ReportContext | undefined): string {
  const described = {
    message: getErrorMessage(error),
    stack: error instanceof Error ? error.stack : undefined,
  };
  try {
    return JSON.stringify({ message, error: described, context }, null, 2);
  } catch {
    // A context that is not JSON must not lose the error itself.
    return JSON.stringify({ message, error: described }, null, 2);
  }
}

/** TaskResult: how a task ended, as one line of JSON. Large parts are files that it names. */

/**
 * `success`: the program answered and the check, if any, accepted the work. `check_failed`: it answered, and the check did
 * not. `failed`: the program failed. `crashed`: it died each time. `budget`: the batch's money, tokens or time was spent first.
 */
export type TaskOutcome = 'success' | 'check_failed' | 'failed' | 'crashed' | 'cancelled' | 'budget';

export interface TaskResult {
  id: string;
  status: TaskOutcome;
  /** The start of the answer; the whole of it is in `files.answer`. */
  answer?: string;
  structured?: unknown;
  /** Why it did not succeed, in one sentence. */
  error?: { type: string; message: string };
  /** Of the program. */
  exit_code?: number;
  check?: { command: string; exit_code: number | null };
  session_id?: string;
  model?: string;
  /** Of all tries; null where a price is unknown. */
  cost_usd: number | null;
  tokens: number;
  turns?: number;
  tries: number;
  /** How often a worker died with it. */
  interruptions?: number;
  started_at?: string;
  ended_at: string;
  duration_ms?: number;
  /** Paths of the files that the task left. */
  files?: { answer?: string; patch?: string; check?: string; log?: string; workplace?: string };
  /** Refs of the task's repository that hold its work and its files. */
  refs?: { work?: string; files: string };
  /** The commit that the task began with. */
  base?: string;
  /** The machine that ran it, where there are several. */
  machine?: string;
  /** Lines and files of the patch. */
  changes?: { files: number; added: number; removed: number };
}

export const OUTCOMES: readonly TaskOutcome[] = ['success', 'check_failed', 'failed', 'crashed', 'budget', 'cancelled'];

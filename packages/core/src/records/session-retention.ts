/**
 * Removes sessions past their retention. Reads file dates, and no content of the files it
 * keeps. No setting removes a session younger than a day, one locked by a live process, or
 * the one of this run.
 */

import { lstat, rm, stat } from 'node:fs/promises';
import { getErrorMessage } from '../protocol/errors.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { findLeftovers, findSessionFiles } from './project-sessions.ts';
import type { ProjectSessions } from './project-sessions.ts';
import { findLockHolder } from './session-lock.ts';

export interface SessionRetention {
  enabled?: boolean;
  /** A number and a unit: h, d, w or m (of 30 days). */
  maxAge?: string;
  maxCount?: number | undefined;
  /** No session is removed before this age. */
  minRetention?: string;
}

export interface CleanUpOptions extends ProjectSessions {
  retention: SessionRetention;
  /** The file of the running session. */
  currentPath?: string | undefined;
  clock?: Clock;
}

export interface CleanUpResult {
  deleted: string[];
  /** Sentences on ignored settings and files that could not be removed. */
  problems: string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS };
/** A file with a current or future date may be in use. */
const YOUNGEST_MS = DAY_MS;

/** Never throws. */
export async function cleanUpSessions(options: CleanUpOptions): Promise<CleanUpResult> {
  const result: CleanUpResult = { deleted: [], problems: [] };
  const limits = readLimits(options.retention, result.problems);
  if (!limits) return result;
  const now = (options.clock ?? systemClock).now();
  const files = await datedFiles(options);
  for (const [index, { path, changedAt }] of files.entries()) {
    const age = now - changedAt;
    const isDue = age > limits.maxAge || index >= limits.maxCount;
    if (!isDue || age < limits.youngest || path === options.currentPath || findLockHolder(path)) continue;
    try {
      // Most runs remove none; the removal reads a session to find what belongs to it.
      const { removeSessionFile } = await import('./session-delete.ts');
      removeSessionFile(path);
      result.deleted.push(path);
    } catch (error) {
      result.problems.push(`The old session ${path} could not be deleted: ${getErrorMessage(error)}`);
    }
  }
  await removeLeftovers(options, now);
  return result;
}

/** Removes locks and unfinished files of processes that died before writing their session's first line. */
async function removeLeftovers(project: ProjectSessions, now: number): Promise<void> {
  for (const path of findLeftovers(project)) {
    // A lock is a dangling link.
    const found = await lstat(path).catch(() => undefined);
    const session = path.replace(/(\.jsonl?)\..*$/, '$1');
    const isLeft = found && now - found.mtimeMs > YOUNGEST_MS && !findLockHolder(session);
    // The next start retries a failed removal.
    if (isLeft) await rm(path).catch(() => undefined);
  }
}

/** Undefined when retention is off or a setting is invalid. */
function readLimits({ enabled = true, maxAge, maxCount, minRetention }: SessionRetention, problems: string[]) {
  if (!enabled || (maxAge === undefined && maxCount === undefined)) return undefined;
  const ages = { maxAge: toMilliseconds(maxAge), minRetention: toMilliseconds(minRetention ?? '1d') };
  const wrong = Object.entries(ages).find(([, age]) => age === undefined)?.[0];
  const hasWrongCount = maxCount !== undefined && !(Number.isInteger(maxCount) && maxCount >= 1);
  if (wrong !== undefined || hasWrongCount) {
    const what =
      wrong === undefined ? 'maxCount must be a whole number above 0' : `${wrong} must be an age such as 30d`;
    problems.push(`Castor deleted no old sessions: general.sessionRetention.${what}.`);
    return undefined;
  }
  return {
    maxAge: ages.maxAge ?? Number.POSITIVE_INFINITY,
    maxCount: maxCount ?? Number.POSITIVE_INFINITY,
    youngest: Math.max(YOUNGEST_MS, ages.minRetention ?? 0),
  };
}

function toMilliseconds(age: string | undefined): number | undefined {
  if (age === undefined) return Number.POSITIVE_INFINITY;
  const [, count, unit = ''] = /^(\d+)([hdwm])$/.exec(age.trim()) ?? [];
  const factor = UNITS[unit];
  return factor === undefined || Number(count) === 0 ? undefined : Number(count) * factor;
}

/** Newest first. */
async function datedFiles(project: ProjectSessions): Promise<{ path: string; changedAt: number }[]> {
  const dated: { path: string; changedAt: number }[] = [];
  for (const path of findSessionFiles(project)) {
    // Another process may have removed the file.
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) dated.push({ path, changedAt: found.mtimeMs });
  }
  return dated.sort((one, other) => other.changedAt - one.changedAt);
}

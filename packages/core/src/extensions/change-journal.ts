/**
 * Changes an installed extension as a whole: the new tree is complete and on disk before the journal names it, then
 * renames exchange the trees. A process killed at any moment leaves the old or the new extension; whatever it left
 * unfinished is finished by the next change, or by the next start that finds the journal.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { Clock } from '../util/clock.ts';
import { isRecord } from '../util/is-record.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { replaceFile } from '../util/replace-file.ts';
import { readConsentRecords, writeConsentRecord } from './consent-records.ts';
import type { ConsentRecord } from './consent-records.ts';
import { enable, forgetEnablement, renameEnablement } from './enablement.ts';
import { ExtensionError } from './extension-error.ts';
import { extensionsDirectory, stagingDirectory } from './extension-paths.ts';
import { isAlive, lockOperations, tryLock } from './operation-lock.ts';
import { syncPath } from './tree-rules.ts';

/** One change; every step of it can be repeated. */
export interface Change {
  readonly name: string;
  /** The new tree, in the staging folder; undefined removes the extension. */
  readonly staged?: string | undefined;
  /** The installed folder that the change replaces or removes. */
  readonly folder?: string | undefined;
  /** The name of the replaced extension. */
  readonly oldName?: string | undefined;
  readonly record?: ConsentRecord | undefined;
  /** The folder in which the user installs it for the first time. */
  readonly enabledFrom?: string | undefined;
}

const JOURNAL = 'journal.json';
const LOCK = 'lock';

/** A new folder in the staging folder, of this process. Its tree is removed with the next change, if it stays. */
export function createStage(home: string): string {
  const staging = stagingDirectory(home);
  makeDirectory(staging);
  for (let number = 0; ; number += 1) {
    const stage = join(staging, `${process.pid}-${number}`);
    try {
      mkdirSync(stage, { mode: 0o700 });
      return stage;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Carries a change out. Throws an ExtensionError when another process is changing extensions. */
export async function carryOut(change: Change, home: string, clock: Clock): Promise<void> {
  const staging = stagingDirectory(home);
  const release = await lockOperations(join(staging, LOCK), clock);
  try {
    finishJournal(home);
    makeDirectory(extensionsDirectory(home));
    replaceFile(join(staging, JOURNAL), JSON.stringify(change));
    await syncPath(staging);
    finishJournal(home);
    await syncPath(extensionsDirectory(home));
  } finally {
    release();
  }
}

/** Finishes what a killed process began and removes what it left; does nothing while another process is at work. */
export function repairExtensions(home: string): void {
  const staging = stagingDirectory(home);
  if (!existsSync(staging) || !tryLock(join(staging, LOCK))) return;
  try {
    finishJournal(home);
    // Whatever else is here was left by a process that has ended: stages, and files it was about to rename.
    for (const name of readdirSync(staging)) {
      const owner = /^(\d+)-\d+$/.exec(name)?.[1];
      const isInUse = name === LOCK || (owner !== undefined && isAlive(Number(owner)));
      if (!isInUse) rmSync(join(staging, name), { recursive: true, force: true });
    }
  } finally {
    rmSync(join(staging, LOCK), { force: true });
  }
}

/** Whether a change was left unfinished. */
export function hasJournal(home: string): boolean {
  return existsSync(join(stagingDirectory(home), JOURNAL));
}

/** Every step looks at the disk first, so it may run again after a kill between any two. */
function finishJournal(home: string): void {
  const staging = stagingDirectory(home);
  const change = readJournal(join(staging, JOURNAL));
  if (change) {
    const { name, staged, folder, oldName, record, enabledFrom } = change;
    const place = join(extensionsDirectory(home), name);
    const aside = join(staging, 'replaced');
    const isStaged = staged !== undefined && existsSync(staged);
    // A new tree that is gone from the stage is in its place already.
    if (folder !== undefined && existsSync(folder) && (staged === undefined || isStaged)) {
      rmSync(aside, { recursive: true, force: true });
      renameSync(folder, aside);
    }
    if (isStaged) moveIn({ staged, place, folder, aside }, home);
    if (oldName !== undefined && oldName !== name) {
      if (staged !== undefined) renameEnablement(oldName, name, home);
      if (oldName in readConsentRecords(home)) writeConsentRecord(home, oldName, undefined);
    }
    writeConsentRecord(home, name, record);
    if (staged === undefined) forgetEnablement(name, home);
    else if (enabledFrom !== undefined) enable(name, 'user', { home, cwd: enabledFrom });
    rmSync(join(staging, JOURNAL));
  }
  rmSync(join(staging, 'replaced'), { recursive: true, force: true });
}

/** A tree that cannot be moved in gives way to the old one, which comes back whole. */
function moveIn(
  { staged, place, folder, aside }: { staged: string; place: string; folder: string | undefined; aside: string },
  home: string,
): void {
  try {
    renameSync(staged, place);
  } catch (error) {
    if (folder !== undefined && existsSync(aside) && !existsSync(folder)) renameSync(aside, folder);
    rmSync(join(stagingDirectory(home), JOURNAL), { force: true });
    throw new ExtensionError(
      `Moving the extension to ${place} failed: ${getErrorMessage(error)}. Nothing was changed.`,
      {
        cause: error,
      },
    );
  }
}

function readJournal(path: string): Change | undefined {
  const content = readSourceFile(path);
  return isRecord(content) && typeof content['name'] === 'string' ? (content as unknown as Change) : undefined;
}

/** The name of the folder an extension is installed in. */
export function placeOf(name: string, home: string): string {
  return join(extensionsDirectory(home), basename(name));
}

/**
 * The manifests of a project's store, one for each session that walked and one for each branch, and the moment at which the
 * process of a session ended, which tells what a killed program's last call can have changed.
 */

import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { basename, join } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';

/** Begins the name of a branch's manifest. */
const BRANCH = 'branch-';
const MANIFEST = /^([A-Za-z0-9_-]+)\.manifest$/;
const BESIDE = /^([A-Za-z0-9_-]+)\.(?:ended|before)$/;

export class ManifestFiles {
  private readonly folder: string;

  /** Throws for a folder that is a link. */
  constructor(store: string) {
    this.folder = join(store, 'manifests');
    makeDirectory(this.folder);
    if (!lstatSync(this.folder).isDirectory()) throw new Error(`${this.folder} is not a folder.`);
  }

  pathOf(sessionId: string): string {
    return join(this.folder, `${sessionId}.manifest`);
  }

  has(sessionId: string): boolean {
    return existsSync(this.pathOf(sessionId));
  }

  list(): string[] {
    return readdirSync(this.folder)
      .filter((name) => MANIFEST.test(name))
      .map((name) => join(this.folder, name));
  }

  /** Keeps the manifest of the last walk until what the next one saw is on record. */
  hold(sessionId: string): void {
    this.letGo(sessionId);
    const own = this.pathOf(sessionId);
    if (!existsSync(own)) return;
    try {
      linkSync(own, this.heldOf(sessionId));
    } catch {
      // A file system without such links.
      copyFileSync(own, this.heldOf(sessionId));
    }
  }

  letGo(sessionId: string): void {
    rmSync(this.heldOf(sessionId), { force: true });
  }

  /** The manifest of the last walk whose changes are on record. */
  recordedOf(sessionId: string): string {
    return this.isHeld(sessionId) ? this.heldOf(sessionId) : this.pathOf(sessionId);
  }

  isHeld(sessionId: string): boolean {
    return existsSync(this.heldOf(sessionId));
  }

  /** All files that name contents. */
  all(): string[] {
    const held = readdirSync(this.folder).filter((name) => name.endsWith('.before'));
    return [...this.list(), ...held.map((name) => join(this.folder, name))];
  }

  /** The session that walked last. */
  newest(): string | undefined {
    const dated = this.list()
      .filter((path) => !isBranch(path))
      .map((path) => ({ path, time: statSync(path).mtimeMs }));
    const [newest] = dated.toSorted((left, right) => right.time - left.time);
    return newest && MANIFEST.exec(basename(newest.path))?.[1];
  }

  /** When the last walk of a session ended. */
  walkedAt(sessionId: string): number {
    return statSync(this.pathOf(sessionId), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }

  /** Removes all manifests but those of the given sessions and of branches. */
  keepOnly(sessions: ReadonlySet<string>): void {
    for (const name of readdirSync(this.folder)) {
      const [, session] = MANIFEST.exec(name) ?? BESIDE.exec(name) ?? [];
      if (session !== undefined && !sessions.has(session) && !isBranch(name))
        rmSync(join(this.folder, name), { force: true });
    }
  }

  noteEnd(sessionId: string): void {
    if (!this.has(sessionId)) return;
    try {
      writeFileSync(this.endOf(sessionId), String(Date.now()), { mode: 0o600 });
    } catch {
      // A full disk, for example: the end is then unknown.
    }
  }

  /** When a session that began a call at `from` had ended at the latest; undefined when that is not known. */
  endedBy(sessionId: string, from: number): number | undefined {
    const noted = this.readEnd(sessionId);
    if (noted !== undefined && noted >= from) return noted;
    const startOfSystem = Date.now() - uptime() * 1000;
    return startOfSystem > from ? startOfSystem : undefined;
  }

  private readEnd(sessionId: string): number | undefined {
    try {
      const time = Number(readFileSync(this.endOf(sessionId), 'utf8'));
      return Number.isFinite(time) && time > 0 ? time : undefined;
    } catch {
      return undefined;
    }
  }

  private heldOf(sessionId: string): string {
    return join(this.folder, `${sessionId}.before`);
  }

  private endOf(sessionId: string): string {
    return join(this.folder, `${sessionId}.ended`);
  }
}

/** The files of a branch as it began: what a merge compares with. */
function isBranch(path: string): boolean {
  return basename(path).startsWith(BRANCH);
}

/**
 * TrustedFolders: decides which folders the user trusts. The file maps paths to a
 * decision; of the entries for a folder or its parents the longest real path wins. Trust depends only
 * on the folder's own real path: no `.git` file, link or setting inside it can grant it. `setTrust` writes the file.
 */

import { dirname } from 'node:path';
import { fileFacts, readTextFile, realPathOf } from './policy-disk.ts';
import { parseStringMap } from './string-map-file.ts';
import { isInside } from '../util/is-inside.ts';

export const TRUST_LEVELS = ['TRUST_FOLDER', 'TRUST_PARENT', 'DO_NOT_TRUST'] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

export interface TrustQuestion {
  folder: string;
  /** `security.folderTrust.enabled`; when off every folder is trusted. */
  enabled: boolean;
  /** `GEMINI_CLI_TRUST_WORKSPACE` or `--skip-trust`. */
  override?: boolean;
  /** The decision of a connected editor. */
  ide?: boolean;
}

export interface TrustAnswer {
  /** Undefined without a trust decision. */
  trusted: boolean | undefined;
  source: 'disabled' | 'override' | 'ide' | 'file' | 'none';
  /** The entry that decided. */
  path?: string;
}

export class TrustedFolders {
  readonly path: string;
  /** Sentences on ignored entries and files. */
  readonly problems: readonly string[];
  private readonly entries: ReadonlyMap<string, TrustLevel>;

  private constructor(path: string, entries: ReadonlyMap<string, TrustLevel>, problems: readonly string[]) {
    this.path = path;
    this.entries = entries;
    this.problems = problems;
  }

  /** A missing file trusts nothing; neither does a file that other users could have written. */
  static load(path: string): TrustedFolders {
    const problems: string[] = [];
    const facts = fileFacts(path);
    if (facts === undefined) return new TrustedFolders(path, new Map(), problems);
    if (facts.kind !== 'file' || (facts.mode & 0o022) !== 0) {
      problems.push(`${path} was ignored: it must be a regular file that only its owner can write.`);
      return new TrustedFolders(path, new Map(), problems);
    }
    return new TrustedFolders(path, readEntries(path, problems), problems);
  }

  check({ folder, enabled, override, ide }: TrustQuestion): TrustAnswer {
    if (!enabled) return { trusted: true, source: 'disabled' };
    if (override !== undefined) return { trusted: override, source: 'override' };
    if (ide !== undefined) return { trusted: ide, source: 'ide' };
    return this.fromFile(realPathOf(folder));
  }

  private fromFile(real: string): TrustAnswer {
    let found: { path: string; level: TrustLevel; length: number } | undefined;
    for (const [path, level] of this.entries) {
      const entry = realPathOf(path);
      const directory = level === 'TRUST_PARENT' ? dirname(entry) : entry;
      if (!isInside(real, directory)) continue;
      const { length } = directory;
      const wins =
        found === undefined || length > found.length || (length === found.length && level === 'DO_NOT_TRUST');
      if (wins) found = { path, level, length };
    }
    if (found === undefined) return { trusted: undefined, source: 'none' };
    return { trusted: found.level !== 'DO_NOT_TRUST', source: 'file', path: found.path };
  }
}

function readEntries(path: string, problems: string[]): Map<string, TrustLevel> {
  const entries = new Map<string, TrustLevel>();
  const parsed = parseStringMap(readTextFile(path) ?? '');
  if (parsed === undefined) {
    problems.push(`${path} was ignored: it is not a JSON object of strings.`);
    return entries;
  }
  for (const { key, value } of parsed) {
    const level = TRUST_LEVELS.find((candidate) => candidate === value);
    if (level === undefined) problems.push(`${path}: ${key}: "${value}" is not one of ${TRUST_LEVELS.join(', ')}.`);
    else entries.set(key, level);
  }
  return entries;
}

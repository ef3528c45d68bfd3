/**
 * Remembers what the SKILL.md files say, by path, size and time of change, so that a start with many skills parses only
 * what changed. Losing the file costs time and nothing else.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { SkillHead } from './read-skill.ts';

const VERSION = 2;
/** Entries of other folders are kept up to this number. */
const MOST_ENTRIES = 2000;

interface Entry extends SkillHead {
  readonly stamp: string;
}

export class SkillCache {
  private readonly path: string;
  private readonly entries: Map<string, Entry>;
  private readonly used = new Set<string>();
  private isChanged = false;

  constructor(home: string) {
    this.path = join(userDirectory(home), 'tmp', 'skills-cache.json');
    this.entries = readEntries(this.path);
  }

  /** What the file said when it was last read; undefined for a new or changed one. */
  find(file: string): SkillHead | undefined {
    this.used.add(file);
    const entry = this.entries.get(file);
    return entry?.stamp === stampOf(file) ? entry : undefined;
  }

  /** Call with the stamp from before the file was read. */
  keep(file: string, stamp: string, { name, description, isUserOnly }: SkillHead): void {
    this.isChanged = true;
    this.entries.set(file, { stamp, name, description, isUserOnly });
  }

  /** Writes the file where something changed. Never throws. */
  save(): void {
    if (!this.isChanged) return;
    const all = [...this.entries];
    const kept = all.length > MOST_ENTRIES ? all.filter(([file]) => this.used.has(file)) : all;
    try {
      const text = JSON.stringify({ version: VERSION, entries: Object.fromEntries(kept) });
      replaceFile(this.path, text, { isSynced: false });
    } catch {
      // On a read-only disk every start reads the skills again.
    }
  }
}

/** Changes whenever the file may have changed; links are followed. */
export function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : '';
}

function readEntries(path: string): Map<string, Entry> {
  const found = new Map<string, Entry>();
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(parsed) || parsed['version'] !== VERSION || !isRecord(parsed['entries'])) return found;
    for (const [file, entry] of Object.entries(parsed['entries'])) {
      if (isRecord(entry) && ['stamp', 'name', 'description'].every((key) => typeof entry[key] === 'string')) {
        found.set(file, entry as unknown as Entry);
      }
    }
  } catch {
    // Missing or damaged: the skills are read again.
  }
  return found;
}

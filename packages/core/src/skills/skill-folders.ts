/**
 * Finds the folders that may hold skills. Synchronous and without reading a skill: every start asks whether there is
 * one, and pays nothing more where there is none.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Source, SourceContent, SourceKind } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import type { SkillFolder } from './skill.ts';

export const SKILL_FILE = 'SKILL.md';

/** A later source wins. */
const RANKS: Readonly<Record<SourceKind, number>> = { builtin: 0, system: 1, extension: 2, user: 3, project: 4 };
const PLACES: readonly SourceContent[] = ['skills', 'sharedSkills'];
/** Below the user's own files of the same source. */
const CLAUDE_PLACES: readonly SourceContent[] = ['claudeSkills', ...PLACES];
/** In one place. */
const MOST_FOLDERS = 1000;

/** In ascending precedence. Untrusted sources have none. */
export function findSkillFolders(sources: readonly Source[], { readsClaude }: { readsClaude: boolean }): SkillFolder[] {
  const ranked = sources.toSorted((one, other) => RANKS[one.kind] - RANKS[other.kind]);
  const seen = new Set<string>();
  return ranked.flatMap((source) =>
    (readsClaude ? CLAUDE_PLACES : PLACES).flatMap((content) =>
      findPlaces([source], content).flatMap(({ path }) => {
        if (seen.has(path)) return [];
        seen.add(path);
        const isClaude = content === 'claudeSkills';
        return listSkillFolders(path).map((directory) => ({ source, directory, ...(isClaude && { isClaude }) }));
      }),
    ),
  );
}

/** The folder itself and those directly in it, where they hold a SKILL.md; sorted by name. */
export function listSkillFolders(place: string): string[] {
  const names = listFolders(place);
  if (names === undefined) return [];
  return [place, ...names.map((name) => join(place, name))].filter((folder) => existsSync(join(folder, SKILL_FILE)));
}

function listFolders(place: string): string[] | undefined {
  try {
    // A skill may be a link: `castor skills link` makes them.
    const entries = readdirSync(place, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    // A name with a dot at its beginning may be half of an installation.
    const names = folders.map(({ name }) => name).filter((name) => !name.startsWith('.') && name !== 'node_modules');
    return names.toSorted().slice(0, MOST_FOLDERS);
  } catch {
    // A missing or unreadable folder holds no skills.
    return undefined;
  }
}

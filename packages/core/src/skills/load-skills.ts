/** Loads the skills of the sources: one of each name, with a sentence for every invalid file and every conflict. */

import { join } from 'node:path';
import { readSkill } from './read-skill.ts';
import type { SkillHead } from './read-skill.ts';
import type { LoadedSkills, Skill, SkillFolder } from './skill.ts';
import { SkillCache, stampOf } from './skill-cache.ts';
import { SKILL_FILE } from './skill-folders.ts';

/** Together, of all sources. */
const MOST_SKILLS = 1000;

/** `folders` in ascending precedence, as `findSkillFolders` lists them. */
export async function loadSkills(folders: readonly SkillFolder[], { home }: { home: string }): Promise<LoadedSkills> {
  const cache = new SkillCache(home);
  const problems: string[] = [];
  const conflicts: string[] = [];
  const byName = new Map<string, Skill>();
  // The most important ones are last.
  for (const folder of folders.slice(-MOST_SKILLS)) {
    const skill = await load(folder, cache);
    if (typeof skill === 'string') {
      problems.push(skill);
      continue;
    }
    const key = skill.name.toLowerCase();
    const former = byName.get(key);
    if (former && former.source.kind !== 'builtin') {
      conflicts.push(
        `Skill conflict detected: "${skill.name}" from "${skill.file}" is overriding the same skill from "${former.file}".`,
      );
    }
    byName.delete(key);
    byName.set(key, skill);
  }
  cache.save();
  const left = folders.length - MOST_SKILLS;
  if (left > 0) problems.push(`There are more than ${MOST_SKILLS} skills; ${left} were skipped.`);
  return { skills: [...byName.values()].toReversed(), problems, conflicts };
}

async function load(folder: SkillFolder, cache: SkillCache): Promise<Skill | string> {
  const file = join(folder.directory, SKILL_FILE);
  const known = cache.find(file);
  if (known) return toSkill(folder, file, known);
  const stamp = stampOf(file);
  const read = await readSkill(folder);
  if (typeof read === 'string') return read;
  cache.keep(file, stamp, read);
  return toSkill(folder, file, read);
}

function toSkill(folder: SkillFolder, file: string, { name, description, isUserOnly }: SkillHead): Skill {
  return { ...folder, file, name, description, ...(isUserOnly === true && { isUserOnly }) };
}

/** Finds the skills in a folder that a user wants to install or link: in the folder itself and where repositories keep them. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { readSkill } from './read-skill.ts';
import type { Skill } from './skill.ts';
import { listSkillFolders, SKILL_FILE } from './skill-folders.ts';
import { SkillError } from './skill-error.ts';

/** Relative to the folder, in the order they are searched. */
const PLACES = ['.', 'skills', '.gemini/skills', '.agents/skills', '.claude/skills'];

export type InstallableSkill = Pick<Skill, 'name' | 'description' | 'directory'>;

export interface InstallableSkills {
  readonly skills: readonly InstallableSkill[];
  /** Invalid files. */
  readonly problems: readonly string[];
}

/** `path` narrows the search to a sub-folder. Throws SkillError. */
export async function findInstallable(root: string, path?: string): Promise<InstallableSkills> {
  const folder = path === undefined ? root : subFolder(root, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SkillError(`${folder} is not a folder.`);
  }
  const found = new Map(
    PLACES.flatMap((place) => listSkillFolders(join(folder, place))).map((each) => [realpathSync(each), each]),
  );
  const skills: InstallableSkill[] = [];
  const problems: string[] = [];
  for (const directory of found.values()) {
    // What is installed was written by a third party: its SKILL.md must lie in its folder.
    const source = { kind: 'extension', name: 'install', directory, trusted: true } as const;
    const read = await readSkill({ directory, source });
    if (typeof read === 'string') problems.push(read);
    else skills.push({ name: read.name, description: read.description, directory });
  }
  if (skills.length === 0) {
    const places = PLACES.map((place) => join(place, '*', SKILL_FILE)).join(', ');
    throw new SkillError(
      [`No valid skills found in ${folder}. Searched: ${SKILL_FILE}, ${places}.`, ...problems].join('\n'),
    );
  }
  const twice = skills.find(({ name }, index) => skills.findIndex((other) => isSame(other.name, name)) !== index);
  if (twice)
    throw new SkillError(`The name "${twice.name}" occurs more than once in ${folder}. Use --path to choose one.`);
  return { skills, problems };
}

function subFolder(root: string, path: string): string {
  const folder = join(root, path);
  const isOutside = isAbsolute(path) || relative(root, folder).startsWith('..');
  if (isOutside || !existsSync(folder)) throw new SkillError(`--path ${path} is not a folder inside the source.`);
  const real = relative(realpathSync(root), realpathSync(folder));
  if (real.startsWith('..') || isAbsolute(real)) throw new SkillError(`--path ${path} leads out of the source.`);
  return folder;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

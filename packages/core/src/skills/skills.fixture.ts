/** Skills on a real disk, for the tests of this room and of the agent. */

import { computeSources } from '../config/sources.ts';
import { loadSkills } from './load-skills.ts';
import { findSkillFolders } from './skill-folders.ts';

interface Folders {
  home: string;
  project: string;
}

export function skillFile(name: string, description = `Does ${name}.`, body = `Steps of ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}

export function sourcesOf({ home, project }: Folders, trustedFolder: boolean | undefined = true) {
  return computeSources({ home, root: project, trustedFolder, platform: 'linux' });
}

export function loadOf(folders: Folders, options: { trusted?: boolean; readsClaude?: boolean } = {}) {
  const { trusted = true, readsClaude = false } = options;
  return loadSkills(findSkillFolders(sourcesOf(folders, trusted), { readsClaude }), folders);
}

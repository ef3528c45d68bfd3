/** The services of `/skills`: the changes of `castor skills` for the folder of a session. Loaded on demand. */

import type { StartContext } from '../start/start.ts';
import type { CommandServices } from './command.ts';

type SkillServices = Required<Pick<CommandServices, 'switchSkill' | 'linkSkills' | 'readDisabledSkills'>>;

export function createSkillServices(folder: StartContext): SkillServices {
  return {
    async switchSkill(what, name) {
      const { switchSkill } = await import('../commands/skills-switch.ts');
      return switchSkill(what, name, 'workspace', folder);
    },
    async linkSkills(args) {
      const { linkFromWords } = await import('../commands/skills-install.ts');
      return linkFromWords(args, folder);
    },
    async readDisabledSkills() {
      const { loadTrustedConfiguration } = await import('../start/start.ts');
      return loadTrustedConfiguration(folder).configuration.settings.skills.disabled;
    },
  };
}

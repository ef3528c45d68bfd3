/** The services of `/skills`: the changes of `castor skills` for the folder of a session. Loaded on demand. */

import type { StartContext } from '../start/start.ts';
import type { CommandServices } from './command.ts';

type SkillServices = Required<Pick<CommandServices, 'switchSkill' | 'linkSkills' | 'readDisabledSkills'>>;

export function createSkillServices(folder: StartContext): SkillServices {
  return {
    async switchSkill(what, name) {
      const [{ defaultScope, switchSkill }, { loadTrustedConfiguration }] = await Promise.all([
        import('../commands/skills-switch.ts'),
        import('../start/start.ts'),
      ]);
      const isTrusted = loadTrustedConfiguration(folder).trust.trusted === true;
      return switchSkill(what, name, defaultScope(isTrusted), folder);
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

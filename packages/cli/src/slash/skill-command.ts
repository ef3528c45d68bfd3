/** `/<skill> [text]`: activates a skill for the user, who needs no question for it, and sends the text with it. */

import { getErrorMessage } from '@castor/core';
import type { Skill } from '@castor/core/program';
import { failure } from './command.ts';
import type { NamelessCommand } from './name-commands.ts';

export function toSkillCommand({ name: skillName, description, source, file }: Skill): NamelessCommand {
  const bare = skillName.replaceAll(/\s+/g, '-');
  return {
    // Two extensions may bring skills of the same name.
    name: source.kind === 'extension' ? `${source.name}:${bare}` : bare,
    source,
    file,
    isSkill: true,
    toCommand: (name) => ({
      name,
      description: `Skill: ${description}`,
      source,
      usage: '[text]',
      runsHeadless: true,
      async run({ agent }, args) {
        try {
          const { skill, text } = await (await agent.openSkills()).activate(skillName);
          const words = args === '' ? `Use the skill ${skill.name}` : args;
          return { type: 'submit_prompt', parts: [{ text }, { text: words }] };
        } catch (error) {
          return failure(getErrorMessage(error));
        }
      },
    }),
  };
}

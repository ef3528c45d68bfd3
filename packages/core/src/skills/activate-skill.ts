/**
 * activate_skill: gives the model the instructions of a skill and makes the skill's folder readable. It runs nothing;
 * the user approves it once for each skill, as the policy decides.
 */

import { realpathSync } from 'node:fs';
import type { DefinedTool } from '../protocol/tools.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import { throwIfAborted } from '../util/clock.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { defineTool } from '../tools/define-tool.ts';
import { enumOfNames } from './describe-skills.ts';
import type { SessionSkills } from './session-skills.ts';
import type { Skill } from './skill.ts';
import { describeResources } from './skill-text.ts';

const DESCRIPTION =
  'Activates a skill of the list of available skills: returns its instructions and the files of its folder, which you may then read.';

const NAME = { type: 'string', description: 'The name of the skill.' } as const;

export function createActivateSkillTool(skills: SessionSkills): DefinedTool {
  const tool = defineTool({
    name: 'activate_skill',
    displayName: 'Activate Skill',
    kind: 'fetch',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: { name: NAME },
      required: ['name'],
      additionalProperties: false,
    },
    describe: ({ name }) => `"${name}"`,
    async confirm({ name }) {
      const skill = skills.find(name);
      if (!skill || skill.isUserOnly) throw skills.unknown(name);
      return { type: 'info', title: `Activate Skill: ${skill.name}`, prompt: await describeConsent(skill) };
    },
    async execute({ name }, { signal }) {
      throwIfAborted(signal);
      if (skills.find(name)?.isUserOnly) throw skills.unknown(name);
      const { skill, text, tree } = await skills.activate(name);
      return {
        llmContent: text,
        returnDisplay: `Skill **${skill.name}** activated. Resources loaded from \`${skill.directory}\`:\n\n${tree}`,
      };
    },
  });
  return { ...tool, schema: { ...tool.schema, parametersJsonSchema: declaredSchema(skills) } };
}

/** Lists the names for the model. Calls are not checked against the list: an unknown name gets a sentence of its own. */
function declaredSchema(skills: SessionSkills): Record<string, unknown> {
  const names = enumOfNames(skills.offered);
  return {
    type: 'object',
    properties: { name: { ...NAME, ...(names && { enum: names }) } },
    required: ['name'],
    additionalProperties: false,
  };
}

async function describeConsent({ description, directory }: Skill): Promise<string> {
  const real = realpathSync(directory);
  const place = real === directory ? directory : `${directory} (a link to ${real})`;
  return [
    description,
    '',
    `The model gets the instructions of this skill and may read the files in ${place}.`,
    '',
    await describeResources(directory),
  ].join('\n');
}

/** So many skills are named. */
const MAX_NAMES = 5;

/** Without a user the model has no skills: the user who wrote them learns it from the run. */
export function describeDenied(skills: readonly Skill[], hints: Pick<UserHints, 'allowSkills'> | undefined): string {
  const names = skills.map(({ name }) => name);
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  const list = [...names.slice(0, MAX_NAMES), ...more].join(', ');
  return joinSentences(
    `The model has no skills in this run, since activating one needs an approval: ${list}.`,
    hints?.allowSkills,
  );
}

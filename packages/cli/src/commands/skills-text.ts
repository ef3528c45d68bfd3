/** Writes lists of skills, for `castor skills list` and `/skills`. Pure. */

import type { Skill } from '@castor/core/program';

export interface ListedSkills {
  readonly all: readonly Skill[];
  readonly problems: readonly string[];
  readonly conflicts: readonly string[];
  isDisabled(skill: Pick<Skill, 'name'>): boolean;
}

export interface ListOptions {
  readonly hasDescriptions: boolean;
  /** With the skills of Castor itself. */
  readonly isComplete: boolean;
}

/** For a session. */
export function describeSkillList(skills: ListedSkills, { hasDescriptions, isComplete }: ListOptions): string {
  const shown = sortByName(skills.all).filter(({ source }) => isComplete || source.kind !== 'builtin');
  const row = ({ name, description, source }: Skill) => {
    const owner = source.kind === 'builtin' ? 'built in' : source.name;
    return hasDescriptions ? `  - ${name} (${owner})\n    ${description}` : `  - ${name} (${owner})`;
  };
  const enabled = shown.filter((skill) => !skills.isDisabled(skill)).map(row);
  const disabled = shown.filter((skill) => skills.isDisabled(skill)).map(row);
  const empty = 'No skills. Write one to ~/.gemini/skills/<name>/SKILL.md; /skill-creator helps with it.';
  return [
    ...(shown.length === 0 ? [empty] : []),
    ...(enabled.length > 0 ? ['Available Agent Skills:', ...enabled] : []),
    ...(disabled.length > 0 ? ['Disabled Skills:', ...disabled] : []),
    ...skills.conflicts,
    ...skills.problems,
  ].join('\n');
}

/** For the command line. */
export function printSkillList({ all, isDisabled }: Pick<ListedSkills, 'all' | 'isDisabled'>): string {
  if (all.length === 0) return 'No skills discovered.\n';
  const blocks = sortByName(all).map((skill) => {
    const state = isDisabled(skill) ? '[Disabled]' : '[Enabled]';
    const mark = skill.source.kind === 'builtin' ? ' [Built-in]' : '';
    return `${skill.name} ${state}${mark}\n  Description: ${skill.description}\n  Location:    ${skill.file}\n`;
  });
  return `Discovered Agent Skills:\n\n${blocks.join('\n')}\n`;
}

function sortByName(skills: readonly Skill[]): Skill[] {
  return skills.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

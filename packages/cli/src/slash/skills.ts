import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, NameContext, SlashCommand } from './command.ts';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the skills; nodesc without descriptions, all with those of Castor.',
  source: 'builtin',
  usage: '[nodesc] [all]',
  runsWhileBusy: true,
  runsHeadless: true,
  run: describe,
};

const enable: SlashCommand = {
  name: 'enable',
  description: 'Enables a disabled skill.',
  source: 'builtin',
  usage: '<name>',
  names: (context) => namesOf(context, true),
  run: (context, name) => change(context, 'enable', name),
};

const disable: SlashCommand = {
  name: 'disable',
  description: 'Disables a skill in this project.',
  source: 'builtin',
  usage: '<name>',
  names: (context) => namesOf(context, false),
  run: (context, name) => change(context, 'disable', name),
};

const link: SlashCommand = {
  name: 'link',
  description: 'Links the skills of a folder, so that changes to them take effect.',
  source: 'builtin',
  usage: '<path> [--scope user|workspace]',
  async run(context, args) {
    if (args === '') return failure('Missing folder: /skills link <path> [--scope user|workspace]');
    return answer(context, (services) => services.linkSkills?.(args));
  },
};

const reload: SlashCommand = {
  name: 'reload',
  aliases: ['refresh'],
  description: 'Reloads the skills.',
  source: 'builtin',
  runsHeadless: true,
  async run({ agent, commands, services }) {
    const skills = await agent.openSkills();
    const disabled = await services?.readDisabledSkills?.();
    const { added, removed } = await skills.reload(disabled);
    await commands?.reload(disabled && { disabled });
    const counts = [
      ...(added > 0 ? [`${added} newly available skills`] : []),
      ...(removed > 0 ? [`${removed} skills no longer available`] : []),
    ];
    const change = counts.length === 0 ? '' : ` ${counts.join(' and ')}.`;
    return info([`Agent skills reloaded successfully.${change}`, ...skills.conflicts, ...skills.problems].join('\n'));
  },
};

export const skills: SlashCommand = {
  name: 'skills',
  description: 'Lists, enables, disables, links and reloads skills.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [list, enable, disable, link, reload],
  run: (context) => describe(context, ''),
};

async function namesOf({ agent }: NameContext, areDisabled: boolean): Promise<string[]> {
  const opened = await agent.openSkills();
  return opened.all.filter((skill) => opened.isDisabled(skill) === areDisabled).map(({ name }) => name);
}

async function describe({ agent }: CommandContext, args: string): Promise<CommandResult> {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const unknown = words.find((word) => word !== 'nodesc' && word !== 'all');
  if (unknown !== undefined) return failure(`Unknown word "${unknown}": /skills list [nodesc] [all]`);
  const opened = await agent.openSkills();
  const { describeSkillList } = await import('../commands/skills-text.ts');
  return info(
    describeSkillList(opened, { hasDescriptions: !words.includes('nodesc'), isComplete: words.includes('all') }),
  );
}

async function change(context: CommandContext, what: 'enable' | 'disable', name: string): Promise<CommandResult> {
  if (name === '') return failure(`Missing name: /skills ${what} <name>. /skills lists the skills.`);
  const { all } = await context.agent.openSkills();
  const known = all.find((skill) => skill.name.toLowerCase() === name.toLowerCase());
  if (!known) return failure(`Skill "${name}" not found. /skills list all lists the skills.`);
  return answer(context, (services) => services.switchSkill?.(what, known.name));
}

async function answer(
  { agent, commands, services = {} }: CommandContext,
  ask: (services: NonNullable<CommandContext['services']>) => Promise<string> | undefined,
): Promise<CommandResult> {
  try {
    const said = await ask(services);
    if (said === undefined) return failure('Skills cannot be changed here. Use castor skills --help');
    const opened = await agent.openSkills();
    const disabled = await services.readDisabledSkills?.();
    await opened.reload(disabled);
    await commands?.reload(disabled && { disabled });
    return info(said);
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}

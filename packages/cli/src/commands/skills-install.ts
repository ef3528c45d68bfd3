/**
 * `castor skills install`, `link` and `uninstall`. What would be installed is shown first, and nothing is written
 * without the user's consent.
 */

import { readdirSync } from 'node:fs';
import { isatty } from 'node:tty';
import { join, resolve } from 'node:path';
import {
  copySkill,
  countOf,
  findInstallable,
  isPlaced,
  linkSkill,
  projectDirectory,
  removeSkill,
  SkillError,
  userDirectory,
} from '@castor/core/program';
import type { InstallableSkill } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { FILE_SCOPES, parseWords } from './parse-words.ts';
import type { FileScope } from './parse-words.ts';
import type { SkillsOptions } from './skills-options.ts';
import type { SubcommandContext } from './subcommand-context.ts';

type Folder = Pick<SubcommandContext, 'cwd' | 'home'>;

export async function installSkills(options: SkillsOptions, context: SubcommandContext): Promise<ExitCode> {
  const { operand: source, scope = 'user', path, flags } = options;
  const { output } = context;
  const { fetchSource } = await import('./skills-fetch.ts');
  await using fetched = await fetchSource(source, context);
  output.note(`Searching for skills in ${fetched.directory}...`);
  const { skills, problems } = await findInstallable(fetched.directory, path);
  for (const problem of problems) output.note(`castor: warning: ${problem}`);
  const destination = destinationOf(scope, context);
  await consent({ verb: 'install', source, skills, destination, isGiven: flags.has('--consent') }, context);
  for (const skill of skills) {
    if (isPlaced(skill.name, destination)) output.note(`Skill "${skill.name}" already exists. Overwriting...`);
    const place = copySkill(skill, destination);
    await output.answer(`Successfully installed skill: ${skill.name} (scope: ${scope}, location: ${place})\n`);
  }
  return ExitCode.Success;
}

export async function linkSkills(options: SkillsOptions, context: SubcommandContext): Promise<ExitCode> {
  const { operand, scope = 'user', flags } = options;
  const source = resolve(context.cwd, operand);
  const { skills, problems } = await findInstallable(source);
  for (const problem of problems) context.output.note(`castor: warning: ${problem}`);
  const destination = destinationOf(scope, context);
  await consent({ verb: 'link', source, skills, destination, isGiven: flags.has('--consent') }, context);
  const lines = skills.map((skill) => `  ${skill.name} → ${linkSkill(skill, destination)}`);
  await context.output.answer(`${lines.join('\n')}\nSuccessfully linked skills.\n`);
  return ExitCode.Success;
}

/** `/skills link`: the user who types it consents. Returns a sentence; throws SkillError. */
export async function linkFromWords(text: string, folder: Folder): Promise<string> {
  const words = parseWords(text.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [], {
    command: 'skills link',
    valued: { '--scope': FILE_SCOPES },
  });
  if (typeof words === 'string') throw new SkillError(words);
  const [path, ...more] = words.operands;
  if (path === undefined || more.length > 0)
    throw new SkillError('Usage: /skills link <path> [--scope user|workspace]');
  const scope = (words.values.get('--scope') ?? 'user') as FileScope;
  const home = path.replace(/^~(?=$|\/)/, folder.home);
  const { skills, problems } = await findInstallable(resolve(folder.cwd, home));
  const destination = destinationOf(scope, folder);
  const links = skills.map((skill) => `Linked ${skill.name}: ${linkSkill(skill, destination)}`);
  return [...links, ...problems].join('\n');
}

export async function uninstallSkill(options: SkillsOptions, context: SubcommandContext): Promise<ExitCode> {
  const { operand: name, scope = 'user' } = options;
  const place = await removeSkill(name, destinationOf(scope, context));
  if (place === undefined) {
    context.output.note(`Skill "${name}" is not installed in the ${scope} scope.`);
    return ExitCode.Success;
  }
  await context.output.answer(`Successfully uninstalled skill: ${name} (scope: ${scope}, location: ${place})\n`);
  return ExitCode.Success;
}

function destinationOf(scope: FileScope, { cwd, home }: Folder): string {
  return join(scope === 'user' ? userDirectory(home) : projectDirectory(cwd), 'skills');
}

interface Consent {
  verb: 'install' | 'link';
  source: string;
  skills: readonly InstallableSkill[];
  destination: string;
  /** By a flag. */
  isGiven: boolean;
}

const WARNING =
  'A skill is instructions for the model, and may hold programs that the model is told to run. Your approvals still apply. Install only skills from sources you trust.';

/** Throws SkillError when the user refuses or cannot be asked. */
async function consent({ verb, source, skills, destination, isGiven }: Consent, { output }: SubcommandContext) {
  const rows = skills.map(
    ({ name, description, directory }) =>
      `  * ${name}: ${description}\n    ${directory} (${countOf(readdirSync(directory).length, 'item')})`,
  );
  const title = verb === 'install' ? 'Installing' : 'Linking';
  const text = [
    `${title} ${countOf(skills.length, 'skill')} from "${source}":`,
    ...rows,
    `Destination: ${destination}`,
    WARNING,
  ].join('\n\n');
  if (isGiven) {
    output.note(`You have consented to the following:\n${text}`);
    return;
  }
  output.note(text);
  if (!isatty(0)) {
    throw new SkillError(
      `Nothing was ${verb}ed: this needs your consent, and there is no terminal to ask. Add --consent.`,
    );
  }
  const { askLine } = await import('./ask-terminal.ts');
  const answer = (await askLine({ text: 'Do you want to continue? [Y/n]: ' }))?.trim().toLowerCase();
  if (answer === undefined || !['', 'y', 'yes'].includes(answer)) throw new SkillError(`Nothing was ${verb}ed.`);
}

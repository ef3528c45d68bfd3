/** `castor skills list`: the skills a session in this folder would have, and the reason for every other one. */

import { existsSync } from 'node:fs';
import { countOf, findSkillFolders, loadSkills } from '@castor/core/program';
import type { Skill } from '@castor/core/program';
import type { Source } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { toJson } from '../to-json.ts';
import type { SkillsOptions } from './skills-options.ts';
import { printSkillList } from './skills-text.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export async function listSkills({ flags }: SkillsOptions, context: SubcommandContext): Promise<ExitCode> {
  const { output, home } = context;
  const { configuration, sources } = loadTrustedConfiguration({
    args: {},
    ...context,
    installed: await findInstalledExtensions(context),
  });
  const { skills: settings, castor } = configuration.settings;
  const readsClaude = castor.readFilesOf?.includes('claude') ?? false;
  const folders = settings.enabled ? findSkillFolders(sources, { readsClaude }) : [];
  const { skills, problems, conflicts } = await loadSkills(folders, { home });
  const off = new Set(settings.disabled.map((name) => name.toLowerCase()));
  const isDisabled = ({ name }: Pick<Skill, 'name'>) => off.has(name.toLowerCase());
  const all = skills.filter(({ source }) => flags.has('--all') || source.kind !== 'builtin');
  await output.answer(flags.has('--json') ? toJsonList(all, isDisabled) : printSkillList({ all, isDisabled }));
  for (const sentence of [...conflicts, ...problems]) output.note(`castor: warning: ${sentence}`);
  for (const sentence of describeUnread(sources, { isOff: !settings.enabled, readsClaude })) {
    output.note(`castor: ${sentence}`);
  }
  return ExitCode.Success;
}

function toJsonList(skills: readonly Skill[], isDisabled: (skill: Skill) => boolean): string {
  const rows = skills.map((skill) => {
    const { name, description, file, source } = skill;
    return { name, description, location: file, source: source.name, kind: source.kind, enabled: !isDisabled(skill) };
  });
  return `${toJson(rows, { indent: 2 })}\n`;
}

/** Skills that exist and that no session here reads. */
function describeUnread(
  sources: readonly Source[],
  { isOff, readsClaude }: { isOff: boolean; readsClaude: boolean },
): string[] {
  if (isOff) return ['skills.enabled is false, so no skill is read.'];
  const trusted = sources.map((source) => ({ ...source, trusted: true }));
  const withheld =
    findSkillFolders(trusted, { readsClaude }).length - findSkillFolders(sources, { readsClaude }).length;
  const ofClaude = findSkillFolders(sources, { readsClaude: true }).filter(({ directory }) =>
    directory.includes('.claude'),
  );
  return [
    ...(withheld > 0
      ? [`${countOf(withheld, 'skill')} of this project not read, because the folder is not trusted.`]
      : []),
    ...(!readsClaude && ofClaude.some(({ directory }) => existsSync(directory))
      ? [
          `${countOf(ofClaude.length, 'skill')} of Claude Code not read. To read them: castor config set castor.readFilesOf '["claude"]'`,
        ]
      : []),
  ];
}

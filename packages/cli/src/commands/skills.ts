/**
 * `castor skills`: lists, installs, links, removes, enables and disables skills. It starts no agent and runs nothing of
 * a skill.
 */

import { SettingsError, SkillError } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { nearest } from '../nearest.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { FILE_SCOPES, parseWords } from './parse-words.ts';
import type { FileScope } from './parse-words.ts';
import { installSkills, linkSkills, uninstallSkill } from './skills-install.ts';
import { listSkills } from './skills-list.ts';
import type { SkillsOptions } from './skills-options.ts';
import { defaultScope, switchSkill } from './skills-switch.ts';
import { tellUsage } from './tell-usage.ts';

const USAGE = `Usage: castor skills list [--all] [--json]
       castor skills install <source> [--scope user|workspace] [--path <folder>] [--consent]
       castor skills link <path> [--scope user|workspace] [--consent]
       castor skills uninstall <name> [--scope user|workspace]
       castor skills enable <name>
       castor skills disable <name> [--scope user|workspace]

  list        lists the skills of this folder
  install     copies the skills of a folder
  link        links to the skills of a folder, so that changes to them take effect
  uninstall   removes a skill that was installed or linked
  enable      enables a disabled skill
  disable     disables a skill

Options:
  --all            with the built-in skills
  --json           as JSON
  -s, --scope <scope>  user: for all folders; workspace: for this folder
                   [default: user; for disable: workspace, if it is trusted]
  --path <folder>  the folder of the skills inside the source
  --consent        consents to the skills without a question

A skill is described in docs/skills.md.
`;

type Run = (options: SkillsOptions, context: SubcommandContext) => Promise<ExitCode>;

const COMMANDS: Readonly<Record<string, { run: Run; operand?: string }>> = {
  list: { run: listSkills },
  install: { run: installSkills, operand: 'a source' },
  link: { run: linkSkills, operand: 'a path' },
  uninstall: { run: uninstallSkill, operand: 'the name of one skill' },
  enable: { run: (options, context) => change('enable', options, context), operand: 'the name of one skill' },
  disable: { run: (options, context) => change('disable', options, context), operand: 'the name of one skill' },
};

export async function runSkillsCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const [name = 'list', ...rest] = argv;
  const { output } = context;
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const options = command ? parseOptions(rest, command.operand) : unknownCommand(name);
  if (typeof options === 'string') {
    output.note(`${USAGE}\ncastor: ${options}`);
    return ExitCode.Failure;
  }
  try {
    const { settings } = loadTrustedConfiguration({ args: {}, installed: undefined, ...context }).configuration;
    if (!settings.admin.skills.enabled) {
      output.note('castor: the administrator has disabled skills.');
      return ExitCode.Settings;
    }
    return await COMMANDS[name]!.run(options, context);
  } catch (error) {
    if (!(error instanceof SkillError) && !(error instanceof SettingsError)) throw error;
    output.note(`castor: ${error.message}`);
    return error instanceof SettingsError ? ExitCode.Settings : ExitCode.Failure;
  }
}

function unknownCommand(name: string): string {
  const hint = nearest(name, Object.keys(COMMANDS));
  return `unknown command castor skills ${name}.${hint ? ` Did you mean ${hint}?` : ''}`;
}

/** A sentence for invalid options. */
function parseOptions(argv: readonly string[], operand: string | undefined): SkillsOptions | string {
  const known = {
    command: 'skills',
    flags: ['--all', '--json', '--consent'],
    valued: { '--scope': FILE_SCOPES, '-s': FILE_SCOPES, '--path': [] },
  };
  const words = parseWords(argv, known);
  if (typeof words === 'string') return words;
  const { operands, values, flags } = words;
  if (operands.length !== (operand === undefined ? 0 : 1)) {
    return operand === undefined ? 'list takes no further words.' : `expected ${operand}.`;
  }
  const scope = (values.get('--scope') ?? values.get('-s')) as FileScope | undefined;
  return { operand: operands[0] ?? '', scope, path: values.get('--path'), flags };
}

async function change(
  what: 'enable' | 'disable',
  { operand, scope }: SkillsOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { trust } = loadTrustedConfiguration({ args: {}, installed: undefined, ...context });
  const isRead = trust.trusted === true;
  await context.output.answer(`${switchSkill(what, operand, scope ?? defaultScope(isRead), context)}\n`);
  if (what === 'disable' && scope === 'workspace' && !isRead) {
    context.output.note(
      `castor: ${context.cwd} is not trusted, so the skill stays enabled here. Trust the folder with /permissions trust, or disable it with --scope user.`,
    );
  }
  return ExitCode.Success;
}

/**
 * `castor config`: shows which settings are in force and their origin, and changes one in the user's or the folder's
 * file. It starts nothing and shows no secret.
 */

import { loadConfiguration, SettingsError } from '@castor/core/program';
import type { Configuration, Settings } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { decideTrust } from '../start/trust.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { setSetting } from './config-edit.ts';
import type { ConfigOptions } from './config-options.ts';
import { explainKey, getKey, showSettings } from './config-report.ts';
import { FILE_SCOPES, parseWords } from './parse-words.ts';
import type { FileScope } from './parse-words.ts';
import { isHelpAsked } from './tell-usage.ts';

export type ConfigRun = (
  options: ConfigOptions,
  context: SubcommandContext,
  configuration: Configuration,
) => ExitCode | Promise<ExitCode>;

const USAGE = `Usage: castor config show [--sources] [--all] [--json]
       castor config explain <key> [--json]
       castor config get <key>
       castor config set <key> <value> [--scope user|workspace]
       castor config unset <key> [--scope user|workspace]
       castor config schema

  show      shows the settings from files and variables; secrets as ***
  explain   shows every source of a setting, and which one applies
  get       prints the effective value; exits 1 if the setting is unset
  set       writes one setting; the rest of the file stays unchanged
  unset     removes one setting from the file
  schema    prints the JSON schema of settings.json

Options:
  --sources         with the file and line, or the variable, of each setting
  --all             also settings with their default value
  --json            as JSON
  --scope <scope>   user (default): your own file; workspace: this folder's

Every setting is described in docs/settings.md.
`;

const COMMANDS: Readonly<Record<string, { run: ConfigRun; operands: number }>> = {
  show: { run: showSettings, operands: 0 },
  explain: { run: explainKey, operands: 1 },
  get: { run: getKey, operands: 1 },
  set: { run: setSetting, operands: 2 },
  unset: { run: setSetting, operands: 1 },
};

export async function runConfigCommand(args: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  const [name = '', ...rest] = args;
  if (name === 'help' || isHelpAsked(args)) {
    await output.answer(USAGE);
    return ExitCode.Success;
  }
  if (name === 'schema') return printSchema(output);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const options = parseOptions(rest);
  const problem = typeof options === 'string' ? options : complain(name, command?.operands, options.operands);
  if (command === undefined || typeof options === 'string' || problem !== undefined) {
    output.note(`castor config: ${problem}\n\n${USAGE.trimEnd()}`);
    return ExitCode.Failure;
  }
  return runSafely(context, () => command.run(options, context, loadFor(context)));
}

function complain(name: string, expected: number | undefined, operands: readonly string[]): string | undefined {
  if (expected === undefined) {
    return name === '' ? 'missing command.' : `${JSON.stringify(name)} is an unknown command of castor config.`;
  }
  if (operands.length === expected) return undefined;
  const needed = ['no arguments', 'a key', 'a key and a value'][expected];
  return `${name} takes ${needed}, not ${operands.length === 0 ? 'none' : operands.join(' ')}.`;
}

const KNOWN = { command: 'config', flags: ['--json', '--sources', '--all'], valued: { '--scope': FILE_SCOPES } };

/** A sentence for invalid options. */
function parseOptions(args: readonly string[]): ConfigOptions | string {
  const words = parseWords(args, KNOWN);
  if (typeof words === 'string') return words;
  const { operands, flags, values } = words;
  return {
    operands,
    json: flags.has('--json'),
    sources: flags.has('--sources'),
    all: flags.has('--all'),
    scope: (values.get('--scope') ?? 'user') as FileScope,
  };
}

function loadFor(context: SubcommandContext): Configuration {
  const { cwd, home, environment, output } = context;
  const configuration = loadConfiguration({
    cwd,
    home,
    environment,
    platform: process.platform,
    isTrusted: (settings) => isFolderTrusted(settings, context),
  });
  for (const warning of configuration.warnings) output.note(`castor: ${warning}`);
  return configuration;
}

function isFolderTrusted(settings: Settings, { cwd, home, environment }: SubcommandContext): boolean {
  const isAsked = settings.security.folderTrust.enabled;
  return decideTrust({ folder: cwd, home, environment, skipTrust: false, isAsked }).trusted === true;
}

async function printSchema(output: SubcommandContext['output']): Promise<ExitCode> {
  const { createSettingsSchema } = await import('@castor/core/program');
  await output.answer(`${JSON.stringify(createSettingsSchema(), null, 2)}\n`);
  return ExitCode.Success;
}

async function runSafely({ output }: SubcommandContext, run: () => ExitCode | Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    output.note(`castor: ${error.message}`);
    return ExitCode.Settings;
  }
}

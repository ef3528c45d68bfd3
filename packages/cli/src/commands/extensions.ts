/** `castor extensions`: installs, links, updates, configures and removes extensions. Only servers and hooks of a later session run anything of them. */

import { ExtensionError, SettingsError } from '@castor/core/program';
import { isAbortError } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { ExtensionDesk } from './extension-desk.ts';
import type { EnablementScope } from './extension-desk.ts';
import { createTerminalPort } from './extensions-terminal.ts';
import { parseWords } from './parse-words.ts';
import type { CommandWords, KnownOptions } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { tellSubcommands } from './tell-usage.ts';

const USAGE = `Usage: castor extensions install <source> [--ref <ref>] [--auto-update]
                         [--pre-release] [--consent] [--skip-settings]
       castor extensions uninstall <names..> | --all
       castor extensions update <name> | --all
       castor extensions link <path> [--consent]
       castor extensions list [-o text|json]
       castor extensions enable|disable <name> [--scope user|workspace]
       castor extensions consent [names..]
       castor extensions config [name] [setting] [--scope user|workspace]
       castor extensions new <path> [template]
       castor extensions validate <path>

  install     installs from a git address, owner/repo on GitHub (its release, or
              a clone), an archive (.tar.gz, .zip) or a folder
  uninstall   removes extensions by name or source, with their settings
  update      installs the current version of the source
  link        uses a folder in place, for development
  list        lists extensions, their state and settings; never a secret
  enable      enables an extension, everywhere or for a scope
  disable     disables an extension for you or for this folder
  consent     shows what extensions of another program, or changed ones, would
              run, and asks for your consent
  config      sets the values of an extension's settings
  new         begins an extension; templates: custom-commands, exclude-tools,
              hooks, mcp-server, policies, skills, themes-example
  validate    checks an extension before you publish it

Options:
  --ref <ref>       a branch, tag or commit
  --auto-update     update it at the start of a session
  --pre-release     accept releases marked as pre-release
  --consent         consent without being asked; the page is printed
  --skip-settings   do not ask for the values of settings
  --all             all extensions
  --scope <scope>   user: you; workspace: this folder   [default: user]
  -o <format>       text or json

docs/extensions.md describes what an extension can hold.
`;

type Words = Pick<CommandWords, 'flags' | 'values' | 'operands'>;

interface Command {
  run(words: Words, desk: () => ExtensionDesk, context: SubcommandContext): Promise<ExitCode>;
  flags?: readonly string[];
  valued?: KnownOptions['valued'];
  /** The least and greatest number of operands, and what they are. */
  operands: readonly [number, number, string];
}

const ANY_SCOPE = { '--scope': [] };
const MANY = Number.POSITIVE_INFINITY;

const COMMANDS: Readonly<Record<string, Command>> = {
  install: {
    flags: ['--auto-update', '--pre-release', '--consent', '--skip-settings'],
    valued: { '--ref': [] },
    operands: [1, 1, 'one source'],
    async run({ operands: [source = ''], flags, values }, desk, { output }) {
      const ref = values.get('--ref');
      const [autoUpdate, allowPreRelease] = [flags.has('--auto-update'), flags.has('--pre-release')];
      await output.answer(`${await desk().install({ source, ref, autoUpdate, allowPreRelease })}\n`);
      return ExitCode.Success;
    },
  },
  uninstall: {
    flags: ['--all'],
    operands: [0, MANY, 'names'],
    async run({ operands, flags }, desk, context) {
      const names = flags.has('--all')
        ? desk()
            .list()
            .extensions.map(({ name }) => name)
        : operands;
      if (flags.has('--all') && names.length === 0) return say(context, ['No extensions currently installed.']);
      if (names.length === 0) throw new ExtensionError('Name at least one extension, or pass --all.');
      return report(context, await desk().uninstall(names), ExitCode.Failure);
    },
  },
  update: {
    flags: ['--all', '--consent'],
    operands: [0, 1, 'one name'],
    async run({ operands, flags }, desk, context) {
      const isAll = flags.has('--all');
      if (isAll === operands.length > 0) throw new ExtensionError('Name one extension, or pass --all.');
      const updatable = (name: string) => !['link', undefined].includes(desk().known(name).installation?.type);
      const names = isAll
        ? desk()
            .list()
            .extensions.map(({ name }) => name)
            .filter(updatable)
        : operands;
      if (names.length === 0) return say(context, ['No extensions to update.']);
      return report(context, await desk().update(names), ExitCode.Failure);
    },
  },
  link: {
    flags: ['--consent', '--skip-settings'],
    operands: [1, 1, 'one path'],
    async run({ operands: [path = ''] }, desk, context) {
      return say(context, [await desk().link(path)]);
    },
  },
  list: {
    valued: { '-o': ['text', 'json'], '--output-format': ['text', 'json'] },
    operands: [0, 0, ''],
    async run({ values }, desk, { output }) {
      const format = (values.get('-o') ?? values.get('--output-format') ?? 'text') as 'text' | 'json';
      const { listExtensions } = await import('./extensions-list.ts');
      await output.answer(await listExtensions(desk(), format));
      return ExitCode.Success;
    },
  },
  enable: {
    valued: ANY_SCOPE,
    operands: [1, 1, 'one name'],
    async run({ operands: [name = ''], values }, desk, context) {
      const scope = values.get('--scope');
      try {
        return await say(context, desk().enable(name, scope === undefined ? undefined : parseScope(scope)));
      } catch (error) {
        if (!(error instanceof ExtensionError)) throw error;
        context.output.note(`castor: ${error.message}`);
        return ExitCode.Settings;
      }
    },
  },
  disable: {
    valued: ANY_SCOPE,
    operands: [1, 1, 'one name'],
    async run({ operands: [name = ''], values }, desk, context) {
      return say(context, [desk().disable(name, parseScope(values.get('--scope') ?? 'user'))]);
    },
  },
  consent: {
    flags: ['--consent'],
    operands: [0, MANY, 'names'],
    async run({ operands }, desk, context) {
      return report(context, await desk().consent(operands), ExitCode.Failure);
    },
  },
  config: {
    valued: ANY_SCOPE,
    operands: [0, 2, 'a name and a setting'],
    async run({ operands: [name, setting], values }, desk, context) {
      const { configureExtension } = await import('./extensions-config.ts');
      const { createSettingPrompt } = await import('./extensions-terminal.ts');
      const names =
        name === undefined
          ? desk()
              .list()
              .extensions.map((each) => each.name)
          : [name];
      if (names.length === 0) return say(context, ['No extensions installed.']);
      const scope = parseScope(values.get('--scope') ?? 'user');
      await configureExtension(desk(), { names, setting, scope }, createSettingPrompt(context));
      return ExitCode.Success;
    },
  },
  new: {
    operands: [1, 2, 'a path and a template'],
    async run({ operands: [path = '', template] }, _desk, context) {
      const { createExtension } = await import('./extensions-new.ts');
      return say(context, createExtension(path, template, context.cwd));
    },
  },
  validate: {
    operands: [1, 1, 'one path'],
    async run({ operands: [path = ''] }, _desk, context) {
      const { validateExtension } = await import('./extensions-new.ts');
      const { errors, warnings } = await validateExtension(path, context.cwd);
      for (const warning of warnings) context.output.note(`castor: warning: ${warning}`);
      if (errors.length > 0) throw new ExtensionError(`Extension validation failed: ${errors.join('\n')}`);
      return say(context, [`Extension ${path} has been successfully validated.`]);
    },
  },
};

export async function runExtensionsCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const [name = '', ...rest] = argv;
  const { output } = context;
  const told = await tellSubcommands(argv, USAGE, output);
  if (told !== undefined) return told;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const hint = nearest(name, Object.keys(COMMANDS));
    return misuse(`unknown command castor extensions ${name}.${hint ? ` Did you mean ${hint}?` : ''}`, context);
  }
  const { flags = [], valued = {}, operands } = command;
  const words = parseWords(rest, { command: 'extensions', flags, valued });
  if (typeof words === 'string') return misuse(words, context);
  const [least, most, what] = operands;
  const { length } = words.operands;
  if (length < least || length > most)
    return misuse(`castor extensions ${name} takes ${what || 'no operand'}.`, context);
  return carryOut(command, words, context);
}

async function carryOut(command: Command, words: Words, context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  try {
    const { configuration, trust } = loadTrustedConfiguration({ args: {}, ...context, installed: undefined });
    const { settings } = configuration;
    if (!settings.admin.extensions.enabled) {
      output.note('castor: Extensions are disabled by your administrator (admin.extensions.enabled).');
      return ExitCode.Settings;
    }
    const { home, cwd, environment, signal = new AbortController().signal } = context;
    const port = createTerminalPort(context, words.flags);
    let desk: ExtensionDesk | undefined;
    const open = () =>
      (desk ??= new ExtensionDesk({ home, cwd, environment, settings, trustedFolder: trust.trusted, port, signal }));
    return await command.run(words, open, context);
  } catch (error) {
    if (isAbortError(error)) return ExitCode.Interrupted;
    const isSettings = error instanceof SettingsError;
    if (!isSettings && !(error instanceof ExtensionError)) throw error;
    output.note(`castor: ${error.message}`);
    return isSettings ? ExitCode.Settings : ExitCode.Failure;
  }
}

/** Any spelling; every scope but the workspace's stands for the user. */
function parseScope(text: string): EnablementScope {
  const scope = text.toLowerCase();
  if (['user', 'workspace', 'session'].includes(scope)) return scope === 'workspace' ? 'workspace' : 'user';
  throw new ExtensionError(`Invalid scope: ${text}. Please use one of user, workspace.`);
}

async function say({ output }: SubcommandContext, lines: readonly string[]): Promise<ExitCode> {
  if (lines.length > 0) await output.answer(`${lines.join('\n')}\n`);
  return ExitCode.Success;
}

async function report(
  context: SubcommandContext,
  { said, failed }: { said: readonly string[]; failed: readonly string[] },
  code: ExitCode,
): Promise<ExitCode> {
  await say(context, said);
  for (const line of failed) context.output.note(`castor: ${line}`);
  return failed.length > 0 ? code : ExitCode.Success;
}

function misuse(sentence: string, { output }: SubcommandContext): ExitCode {
  output.note(`${USAGE}\ncastor: ${sentence}`);
  return ExitCode.Failure;
}

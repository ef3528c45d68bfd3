/**
 * `castor mcp`: adds, removes, lists, switches and tries MCP servers, and signs in to them. Each command is in a file of
 * its own; here are their words.
 */

import { SettingsError } from '@castor/core/program';
import type { Configuration } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { addServer, removeServer } from './mcp-add.ts';
import { MCP_HELP, MCP_USAGE } from './mcp-help.ts';
import { listServers } from './mcp-list.ts';
import { logIn, logOut } from './mcp-login.ts';
import { switchServer } from './mcp-switch.ts';
import { testServer } from './mcp-test.ts';
import { trustServers } from './mcp-trust.ts';
import { MCP_SCOPES } from './mcp-add-words.ts';
import type { McpScope } from './mcp-add-words.ts';
import { parseWords } from './parse-words.ts';
import type { CommandWords, KnownOptions } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { tellSubcommands, tellUsage } from './tell-usage.ts';

interface McpCommand extends Omit<KnownOptions, 'command'> {
  /** Whether it takes the name of a server; `several`: any number of names. */
  isNamed: boolean | 'several';
  run(words: CommandWords & { name: string }, context: SubcommandContext): Promise<ExitCode>;
}

const SCOPE = { '--scope': MCP_SCOPES, '-s': MCP_SCOPES };

const COMMANDS: Readonly<Record<string, McpCommand>> = {
  remove: {
    isNamed: true,
    valued: SCOPE,
    async run({ name, values }, context) {
      const scope = (values.get('--scope') ?? values.get('-s') ?? 'project') as McpScope;
      return removeServer(name, scope, context);
    },
  },
  list: {
    isNamed: false,
    flags: ['--json'],
    valued: { '--timeout': [] },
    async run({ flags, values }, context) {
      const limitMs = secondsOf(values.get('--timeout'));
      return listServers({ isJson: flags.has('--json'), limitMs }, context);
    },
  },
  enable: {
    isNamed: true,
    flags: ['--session'],
    run: ({ name, flags }, context) => switchOne(name, true, flags, context),
  },
  disable: {
    isNamed: true,
    flags: ['--session'],
    run: ({ name, flags }, context) => switchOne(name, false, flags, context),
  },
  login: {
    isNamed: true,
    flags: ['--no-browser', '--plain-file'],
    async run({ name, flags }, context) {
      const options = { isPlain: flags.has('--plain-file'), mayOpen: !flags.has('--no-browser') };
      return logIn(name, options, context);
    },
  },
  logout: {
    isNamed: true,
    run: async ({ name }, context) => logOut(name, context),
  },
  trust: {
    isNamed: 'several',
    run: async ({ operands }, context) => trustServers(operands, context),
  },
  test: {
    isNamed: true,
    flags: ['--strict'],
    valued: {
      '--tool': [],
      '--args': [],
      '--timeout': [],
      '-o': ['text', 'json'],
      '--output-format': ['text', 'json'],
    },
    async run({ name, flags, values }, context) {
      const options = {
        tool: values.get('--tool'),
        args: values.get('--args'),
        isJson: (values.get('-o') ?? values.get('--output-format')) === 'json',
        isStrict: flags.has('--strict'),
        limitMs: secondsOf(values.get('--timeout')),
      };
      return testServer(name, options, context);
    },
  },
};

export async function runMcpCommand(argv: readonly string[], context: SubcommandContext): Promise<number> {
  const [name = '', ...rest] = argv;
  const { output } = context;
  const told = await tellSubcommands([name], MCP_USAGE, output);
  if (told !== undefined) return told;
  const help = Object.hasOwn(MCP_HELP, name) ? MCP_HELP[name] : undefined;
  if (help === undefined) {
    const hint = nearest(name, Object.keys(MCP_HELP));
    output.note(`${MCP_USAGE}\ncastor: unknown command castor mcp ${name}.${hint ? ` Did you mean ${hint}?` : ''}`);
    return ExitCode.Failure;
  }
  // For add, options after the program belong to the server.
  if (await tellUsage(name === 'add' ? rest.slice(0, 1) : rest, help, output)) return ExitCode.Success;
  try {
    refuseDisabled(context);
    if (name === 'add') return await addServer(rest, context);
    return await runWords(name, rest, context);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  }
}

/** Throws an ExitError where the administrator disabled MCP. */
function refuseDisabled({ cwd, home, environment }: SubcommandContext): void {
  let configuration: Configuration;
  try {
    ({ configuration } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed: undefined }));
  } catch {
    // The command itself says what is wrong with the file it needs.
    return;
  }
  if (configuration.settings.admin.mcp.enabled) return;
  const place = configuration.layers.find(({ scope }) => scope === 'system')?.locate('admin.mcp.enabled');
  throw new ExitError(ExitCode.Settings, `The administrator disabled MCP (admin.mcp.enabled in ${place}).`);
}

async function runWords(name: string, argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { isNamed, run, flags, valued } = COMMANDS[name]!;
  const misuse = (sentence: string) => new ExitError(ExitCode.Failure, `${sentence} See: castor mcp ${name} --help`);
  const words = parseWords(argv, { command: `mcp ${name}`, ...(flags && { flags }), ...(valued && { valued }) });
  if (typeof words === 'string') throw misuse(words);
  const { operands } = words;
  if (isNamed !== 'several' && operands.length !== (isNamed ? 1 : 0)) {
    throw misuse(isNamed ? `castor mcp ${name} needs the name of one server.` : `castor mcp ${name} takes no operand.`);
  }
  return run({ ...words, name: operands[0] ?? '' }, context);
}

async function switchOne(name: string, isEnabled: boolean, flags: ReadonlySet<string>, context: SubcommandContext) {
  if (flags.has('--session')) {
    const way = `/mcp ${isEnabled ? 'enable' : 'disable'} ${name} --session`;
    throw new ExitError(ExitCode.Failure, `--session needs a session. Type there: ${way}`);
  }
  return switchServer(name, isEnabled, context);
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw new ExitError(ExitCode.Failure, `--timeout must be a number of seconds above 0, not ${JSON.stringify(text)}.`);
}

/**
 * `castor hooks`: shows the hooks of this folder, runs some by hand, enables and disables them, and migrates those of
 * another agent. Only `test` runs anything, and only what a session would run.
 */

import { HOOK_EVENTS, SettingsError } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { findHooks } from './find-hooks.ts';
import { listHooks } from './hooks-list.ts';
import { migrateHooks } from './hooks-migrate.ts';
import type { HooksOptions } from './hooks-options.ts';
import { switchHooks, trustHooks } from './hooks-switch.ts';
import { testHooks } from './hooks-test.ts';
import { FILE_SCOPES, parseWords } from './parse-words.ts';
import type { FileScope } from './parse-words.ts';
import { tellSubcommands } from './tell-usage.ts';

const USAGE = `Usage: castor hooks list [--json]
       castor hooks test <event> [--input <file>] [--name <name>]
       castor hooks trust
       castor hooks enable|disable <name> [--scope user|workspace]
       castor hooks migrate --from-claude [--dry-run] [--scope user|workspace]

  list      lists the hooks of this folder, their source and state
  test      runs the hooks of an event with a sample input and shows the result
  trust     consents to the current hooks of this project
  enable    enables a disabled hook
  disable   disables a hook by its name (or its command, if it has none)
  migrate   converts the hooks of .claude/settings.json

Options:
  --json            as JSON
  --input <file>    a JSON object merged into the sample; - reads stdin
  --name <name>     only this hook
  --from-claude     the source, Claude Code
  --dry-run         shows the result without writing it
  --scope <scope>   user: your own file; workspace: this folder's
                    [default: user; for migrate: workspace]

Events, input and output are described in docs/hooks.md.
`;

type Run = (options: HooksOptions, context: SubcommandContext) => Promise<ExitCode>;

const NAME = 'the name of one hook';
const COMMANDS: Readonly<Record<string, { run: Run; operand?: string }>> = {
  list: { run: async (options, context) => listHooks(await findHooks(context), options, context) },
  test: {
    run: async (options, context) => testHooks(await findHooks(context), options, context),
    operand: `one event (${HOOK_EVENTS.join(', ')})`,
  },
  trust: { run: async (_options, context) => trustHooks(await findHooks(context), context) },
  enable: {
    run: async (options, context) => switchHooks('enable', await findHooks(context), options, context),
    operand: NAME,
  },
  disable: {
    run: async (options, context) => switchHooks('disable', await findHooks(context), options, context),
    operand: NAME,
  },
  migrate: { run: migrateHooks },
};

export async function runHooksCommand(argv: readonly string[], context: SubcommandContext): Promise<number> {
  const [name = '', ...rest] = argv;
  const { output } = context;
  const told = await tellSubcommands(argv, USAGE, output);
  if (told !== undefined) return told;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refuse(unknownCommand(name), output);
  const options = parseOptions(rest);
  if (typeof options === 'string') return refuse(options, output);
  const { operand } = command;
  if (options.operands.length !== (operand === undefined ? 0 : 1)) {
    const wanted = operand === undefined ? 'takes no operand' : `takes ${operand}`;
    return refuse(`castor hooks ${name} ${wanted}, not ${options.operands.length} operands.`, output);
  }
  try {
    return await command.run(options, context);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    output.note(`castor: ${error.message}`);
    return ExitCode.Settings;
  }
}

function unknownCommand(name: string): string {
  const hint = nearest(name, Object.keys(COMMANDS));
  return `unknown command castor hooks ${name}.${hint ? ` Did you mean ${hint}?` : ''}`;
}

function refuse(sentence: string, output: SubcommandContext['output']): ExitCode {
  output.note(`${USAGE}\ncastor: ${sentence}`);
  return ExitCode.Failure;
}

const KNOWN = {
  command: 'hooks',
  flags: ['--json', '--from-claude', '--dry-run'],
  valued: { '--input': [], '--name': [], '--scope': FILE_SCOPES },
};

/** A sentence for invalid options. */
function parseOptions(argv: readonly string[]): HooksOptions | string {
  const words = parseWords(argv, KNOWN);
  if (typeof words === 'string') return words;
  const { operands, flags, values } = words;
  const scope = values.get('--scope') as FileScope | undefined;
  return { operands, flags, input: values.get('--input'), name: values.get('--name'), scope };
}

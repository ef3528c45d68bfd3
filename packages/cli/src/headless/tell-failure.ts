/**
 * Reports a failure before the run began, in the format a script requested: by a flag, even where the other flags are
 * invalid, or by a setting. Loaded only then.
 */

import { createSessionId } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { ExitCode } from '../exit-codes.ts';
import { homeDirectory } from '../home-directory.ts';
import type { Output } from '../output.ts';
import { toJson } from '../to-json.ts';

/** The names of errors that scripts know from a run that had begun, or from Gemini CLI. */
const ERROR_TYPES: Readonly<Partial<Record<ExitCode, string>>> = {
  [ExitCode.Unauthorized]: 'FatalAuthenticationError',
  [ExitCode.Input]: 'FatalInputError',
  [ExitCode.Sandbox]: 'FatalSandboxError',
  [ExitCode.Settings]: 'FatalConfigError',
  [ExitCode.TurnLimit]: 'FatalTurnLimitedError',
  [ExitCode.Untrusted]: 'FatalUntrustedWorkspaceError',
};

export interface EarlyFailure {
  message: string;
  code: ExitCode;
  /** False: a bug of ours. */
  isExpected: boolean;
}

interface Wish {
  argv: readonly string[];
  /** Undefined when the flags could not be parsed. */
  args: CliArguments | undefined;
  /** From the settings, where those could be read. */
  outputFormat: string | undefined;
}

/** The model was not asked. */
const STATS = {
  ...{ total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0, input: 0 },
  ...{ duration_ms: 0, tool_calls: 0, cost_usd: 0, models: {} },
};

/** Prints nothing unless JSON was requested. */
export async function tellFailure(
  { message, code, isExpected }: EarlyFailure,
  wish: Wish,
  output: Output,
): Promise<void> {
  const format = await chooseFormat(wish);
  const type = isExpected ? (ERROR_TYPES[code] ?? 'FatalError') : 'Error';
  const error = { type, message, code };
  if (format === 'json') {
    // On stderr as well, like a run that had begun: scripts for Gemini CLI look there.
    const session_id = wish.args?.sessionId ?? createSessionId();
    output.note(toJson({ session_id, error }, { indent: 2 }));
    await output.answer(`${toJson({ session_id, error }, { indent: 2 })}\n`);
  }
  if (format !== 'stream-json') return;
  const timestamp = new Date().toISOString();
  await output.answer(`${toJson({ type: 'result', timestamp, status: 'error', error, stats: STATS })}\n`);
}

async function chooseFormat({ argv, args, outputFormat }: Wish): Promise<string | undefined> {
  if (!args) return guessFormat(argv) ?? (await formatOfSettings());
  return args.outputFormat ?? (args.inputFormat === 'stream-json' ? args.inputFormat : outputFormat);
}

const FLAGS: ReadonlySet<string | undefined> = new Set(['-o', '--output-format', '--outputFormat', '--input-format']);

/** The flag that names the format may be valid although another is not. */
function guessFormat(argv: readonly string[]): string | undefined {
  const words = argv.flatMap((argument) => argument.split(/=(.*)/s, 2));
  return words.findLast((word, index) => /^(?:text|.*json)$/.test(word) && FLAGS.has(words[index - 1]));
}

/** Undefined where a flag decides, or the settings are invalid as well. */
async function formatOfSettings(): Promise<string | undefined> {
  const { loadTrustedConfiguration } = await import('../start/start.ts');
  const { env: environment } = process;
  const place = { args: {}, cwd: process.cwd(), home: homeDirectory(environment), environment, installed: undefined };
  try {
    return loadTrustedConfiguration(place).configuration.settings.output.format;
  } catch {
    // The flags are at fault first; the settings are reported by the next start.
    return undefined;
  }
}

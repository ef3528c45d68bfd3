/**
 * Chooses the program and the arguments that run a command line; pure except for checking
 * whether files exist. Programs are named by absolute path, so that one planted in the
 * working directory is never run.
 */

import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Confine, ProgramUse } from '../../util/invocation.ts';
import type { Environment } from './redact-environment.ts';

export interface ShellInvocation {
  file: string;
  args: string[];
  /** Added to the environment. */
  environment: Record<string, string>;
  /** See Invocation. */
  files?: readonly string[] | undefined;
}

const COMMAND_VARIABLE = 'CASTOR_COMMAND';

/**
 * Signals sent by pattern (`pkill -f name`) match command lines, and the shell's own would
 * contain the pattern: such a command is passed in a variable instead.
 */
const MATCHES_COMMAND_LINES = /\bp(kill|grep)\b/;

export function toShellInvocation(
  command: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): ShellInvocation {
  if (platform === 'win32') return { file: 'powershell.exe', args: toPowerShellArguments(command), environment: {} };
  const file = findProgram(['bash', 'sh'], environment, ['/bin', '/usr/bin', '/usr/local/bin']) ?? '/bin/sh';
  if (!MATCHES_COMMAND_LINES.test(command)) return { file, args: ['-c', '--', command], environment: {} };
  return {
    file,
    args: ['-c', `eval "unset ${COMMAND_VARIABLE}; $${COMMAND_VARIABLE}"`],
    environment: { [COMMAND_VARIABLE]: command },
  };
}

export interface ShellStart {
  invocation: ShellInvocation;
  directory: string;
  environment: Record<string, string>;
}

/** The same command inside the sandbox, and all of its variables. */
export async function confineShell(
  confine: Confine,
  { invocation, directory, environment }: ShellStart,
  use: ProgramUse,
): Promise<{ invocation: ShellInvocation; variables: Record<string, string> }> {
  const { file, args } = invocation;
  const given = { file, args, directory, environment: { ...environment, ...invocation.environment } };
  const confined = await confine(given, use);
  return {
    invocation: { file: confined.file, args: [...confined.args], environment: {}, files: confined.files },
    variables: { ...confined.environment },
  };
}

const UTF8_OUTPUT =
  '$OutputEncoding=[Console]::InputEncoding=[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);';

/** PowerShell takes the command in base64, so that neither our quoting nor that of Windows can change it. */
export function toPowerShellArguments(command: string): string[] {
  const script = `${UTF8_OUTPUT}${command}\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }`;
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}

/** The first of `names` in the fixed directories, then in absolute entries of PATH. */
export function findProgram(
  names: readonly string[],
  environment: Environment,
  directories: readonly string[] = [],
): string | undefined {
  const searched = [...directories, ...absoluteEntries(environment['PATH'])];
  for (const name of names) {
    const found = searched.map((directory) => join(directory, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return undefined;
}

function absoluteEntries(path = ''): string[] {
  return path.split(':').filter((entry) => isAbsolute(entry));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

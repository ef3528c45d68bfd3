/**
 * Decides whether a run has a sandbox, and which: from the flag, the settings and the variables of Gemini CLI. It looks at
 * nothing and starts nothing; a sandbox that cannot work is reported when it is opened.
 */

import type { WorkspaceAgentOptions } from '@castor/core';
import type { Settings } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError, UsageError } from '../exit-codes.ts';
import { isAirgapped } from './airgap.ts';
import { CONTAINER_KINDS } from './may-need-container.ts';

export type SandboxRequest = NonNullable<WorkspaceAgentOptions['sandbox']>;

export const NO_SANDBOX_HINT = 'To run without a sandbox: --no-sandbox.';
const COMMANDS: ReadonlySet<string> = new Set(['true', 'bwrap', 'bubblewrap', 'sandbox-exec']);

interface SandboxSources {
  args: Pick<CliArguments, 'airgap' | 'sandbox' | 'task'>;
  settings: Settings;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Undefined: none was asked for, or the program runs inside one. Throws an ExitError for an unknown kind. */
export function kindOfSandbox({ args, settings, environment }: SandboxSources): string | undefined {
  if (args.sandbox === false || environment['SANDBOX']) return undefined;
  const { sandbox } = settings.tools;
  const given = typeof sandbox === 'object' ? sandbox : undefined;
  const isOn = given ? (given.enabled ?? false) : Boolean(sandbox);
  if (!(args.sandbox ?? isOn) && !settings.security.toolSandboxing) return undefined;
  const kind = (typeof sandbox === 'string' ? sandbox : given?.command) ?? 'true';
  if (!COMMANDS.has(kind) && !(CONTAINER_KINDS as readonly string[]).includes(kind))
    throw new ExitError(ExitCode.Sandbox, describeUnknown(kind));
  return kind;
}

/** Undefined: no sandbox for commands. Throws an ExitError for a kind that there is none of. */
export function chooseSandbox(sources: SandboxSources & { home: string }): SandboxRequest | undefined {
  const isClosed = isAirgapped(sources);
  if (isClosed && sources.args.sandbox === false)
    throw new UsageError('--airgap runs commands in a sandbox; remove --no-sandbox.');
  const kind = kindOfSandbox(sources) ?? (isClosed ? 'true' : undefined);
  if (kind === undefined) return undefined;
  // The program would be inside by now.
  if (!COMMANDS.has(kind))
    throw new ExitError(ExitCode.Sandbox, `The container of ${kind} was not started. ${NO_SANDBOX_HINT}`);
  const { settings, home, args } = sources;
  return {
    ...boundsOf(settings, home),
    ...{
      isAirgapped: isClosed,
      autoAllow: settings.tools.autoAllowSandboxed,
      isTried: args.task?.includes('sandboxed'),
      borrowsRepository: args.task?.includes('worktree'),
    },
  };
}

/** What the settings open for commands in a sandbox. */
export function boundsOf({ tools }: Settings, home: string): { allowedPaths: string[]; networkAccess: boolean } {
  const { sandbox, sandboxAllowedPaths, sandboxNetworkAccess } = tools;
  const given = typeof sandbox === 'object' ? sandbox : undefined;
  const paths = [...sandboxAllowedPaths, ...(given?.allowedPaths ?? [])];
  return {
    allowedPaths: paths.map((path) => path.replace(/^~(?=$|\/)/, home)),
    networkAccess: sandboxNetworkAccess || given?.networkAccess === true,
  };
}

function describeUnknown(kind: string): string {
  const known = `Known are true, bwrap and sandbox-exec for each command, ${CONTAINER_KINDS.join(', ')} for the whole program. ${NO_SANDBOX_HINT}`;
  return kind === 'windows-native'
    ? `Castor has no sandbox of Windows. ${known}`
    : `"${kind}" is an unknown sandbox. ${known}`;
}

/**
 * Decides whether a run has a sandbox, and which: from the flag, the settings and the variables of Gemini CLI. It looks at
 * nothing and starts nothing; a sandbox that cannot work is reported when it is opened.
 */

import type { WorkspaceAgentOptions } from '@castor/core';
import type { Settings } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';

export type SandboxRequest = NonNullable<WorkspaceAgentOptions['sandbox']>;

/** Sandboxes of Gemini CLI for the whole program: Castor has none of them, and does not pretend to. */
const CONTAINERS: ReadonlySet<string> = new Set(['docker', 'podman', 'runsc', 'lxc', 'windows-native']);

export const NO_SANDBOX_HINT = 'To run without a sandbox: --no-sandbox.';
const COMMANDS: ReadonlySet<string> = new Set(['true', 'bwrap', 'bubblewrap', 'sandbox-exec']);

interface SandboxSources {
  args: Pick<CliArguments, 'sandbox'>;
  settings: Settings;
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Undefined: none was asked for, or the program runs inside one. Throws an ExitError for a kind that there is none of. */
export function chooseSandbox({ args, settings, environment, home }: SandboxSources): SandboxRequest | undefined {
  if (args.sandbox === false || environment['SANDBOX']) return undefined;
  const { sandbox, sandboxAllowedPaths, sandboxNetworkAccess, autoAllowSandboxed } = settings.tools;
  const given = typeof sandbox === 'object' ? sandbox : undefined;
  const isOn = given ? (given.enabled ?? false) : Boolean(sandbox);
  if (!(args.sandbox ?? isOn) && !settings.security.toolSandboxing) return undefined;
  const kind = (typeof sandbox === 'string' ? sandbox : given?.command) ?? 'true';
  if (!COMMANDS.has(kind)) throw new ExitError(ExitCode.Sandbox, describeUnknown(kind));
  const paths = [...sandboxAllowedPaths, ...(given?.allowedPaths ?? [])];
  return {
    allowedPaths: paths.map((path) => path.replace(/^~(?=$|\/)/, home)),
    networkAccess: sandboxNetworkAccess || given?.networkAccess === true,
    autoAllow: autoAllowSandboxed,
  };
}

function describeUnknown(kind: string): string {
  const other = `Castor puts each command into bubblewrap instead: tools.sandbox true or "bwrap". ${NO_SANDBOX_HINT}`;
  return CONTAINERS.has(kind)
    ? `A sandbox of ${kind} for the whole program is not supported yet. ${other}`
    : `"${kind}" is an unknown sandbox. ${other}`;
}

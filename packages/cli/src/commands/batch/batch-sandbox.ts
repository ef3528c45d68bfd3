/** Tasks run in the sandbox where one works: decides once for a worker, unless the user has decided. */

import { probeBubblewrap } from '@castor/core/program';
import { findInstalledExtensions } from '../../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../../start/start.ts';

export interface SandboxWhere {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Flags for castor; none where the settings or a variable decide, or no sandbox works. */
export async function sandboxFlags({ cwd, home, environment }: SandboxWhere): Promise<string[]> {
  if (environment['GEMINI_SANDBOX']) return [];
  const installed = await findInstalledExtensions({ home, cwd });
  const { configuration } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
  const { tools, security } = configuration.settings;
  if (tools.sandbox !== undefined || security.toolSandboxing) return [];
  const probe = await probeBubblewrap(environment, [cwd]);
  if (!probe.works) return [];
  const { canDisableNamespaces, hasOwnProc } = probe.bubblewrap;
  // Tried once for all tasks; where it is weaker than usual, each finds out how.
  return canDisableNamespaces && hasOwnProc ? ['--sandbox', '--task', 'sandboxed'] : ['--sandbox'];
}

/** Looks at a few small files before anything is loaded: whether the whole program may have to run in a container. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemDefaultsPath, systemSettingsPath } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';

/** They confine the whole program. */
export const CONTAINER_KINDS = ['docker', 'podman', 'runsc', 'lxc'] as const;
export type ContainerKind = (typeof CONTAINER_KINDS)[number];

interface Place {
  args: Pick<CliArguments, 'sandbox'>;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Whether a container may be asked for. Only then is the configuration loaded to decide it: without one a start reads no
 * more than these files. What this overlooks is refused later, never run without a container.
 */
export function mayNeedContainer({ args, cwd, home, environment }: Place): boolean {
  if (args.sandbox === false || environment['SANDBOX']) return false;
  const kind = new RegExp(CONTAINER_KINDS.join('|'), 'i');
  if (environment['GEMINI_SANDBOX']) return kind.test(environment['GEMINI_SANDBOX']);
  const folders = [...new Set([home, cwd])].map((folder) => join(folder, '.gemini'));
  const { platform } = process;
  const files = [
    ...folders.flatMap((folder) => [join(folder, 'settings.json'), join(folder, '.env')]),
    ...[join(home, '.env'), systemSettingsPath(platform, environment).path],
    systemDefaultsPath(platform, environment).path,
  ];
  // An error for each missing file would take longer than all the rest.
  return files.some((file) => existsSync(file) && kind.test(readOrNothing(file)));
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

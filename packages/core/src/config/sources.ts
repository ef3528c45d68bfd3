/**
 * Lists the sources of a start: the user's folder, the project's and the administrator's, in
 * the order loaders read them. Computed once; an extension is one more element of the list.
 */

import type { Source } from '../protocol/source.ts';
import { projectDirectory, systemDirectory, userDirectory } from './paths.ts';

export interface SourceOptions {
  home: string;
  /** The folder the agent works in. */
  root: string;
  /** Only `true` enables the project's source. */
  trustedFolder: boolean | undefined;
  platform: NodeJS.Platform;
  /** The folder of what the program brings along; absent: nothing. */
  builtin?: string | undefined;
}

export function computeSources({ home, root, trustedFolder, platform, builtin }: SourceOptions): Source[] {
  return [
    { kind: 'user', name: 'user', directory: userDirectory(home), trusted: true },
    { kind: 'project', name: 'workspace', directory: projectDirectory(root), trusted: trustedFolder === true },
    { kind: 'system', name: 'system', directory: systemDirectory(platform), trusted: true },
    ...(builtin === undefined ? [] : [{ kind: 'builtin', name: 'castor', directory: builtin, trusted: true } as const]),
  ];
}

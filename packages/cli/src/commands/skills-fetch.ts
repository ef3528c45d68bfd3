/** Fetches what `castor skills install` names into a folder: a git repository, a .skill file or a folder of this machine. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkillError } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';

export interface FetchedSource extends AsyncDisposable {
  readonly directory: string;
}

/** Throws SkillError. Disposing removes what was fetched. */
export async function fetchSource(source: string, { cwd }: SubcommandContext): Promise<FetchedSource> {
  const path = resolve(cwd, source);
  if (!existsSync(path)) throw new SkillError(`${path} does not exist. Name a git address, a .skill file or a folder.`);
  if (!statSync(path).isDirectory()) throw new SkillError(`${path} is neither a folder nor a .skill file.`);
  return { directory: path, [Symbol.asyncDispose]: async () => undefined };
}

/** Opens what `castor skills install` names: a folder of this machine. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkillError } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';

export interface FetchedSource extends AsyncDisposable {
  readonly directory: string;
}

/** Throws SkillError. Disposing removes what was fetched. */
export async function fetchSource(source: string, { cwd }: SubcommandContext): Promise<FetchedSource> {
  if (/^(?:https?:\/\/|ssh:\/\/|git@)/.test(source)) {
    throw new SkillError(`Git addresses are not supported yet. Clone it first: git clone --depth 1 ${source}`);
  }
  if (source.endsWith('.skill'))
    throw new SkillError(`.skill files are not supported yet. Unpack it first: unzip ${source}`);
  const path = resolve(cwd, source);
  if (!existsSync(path)) throw new SkillError(`${path} does not exist. Name a folder.`);
  if (!statSync(path).isDirectory()) throw new SkillError(`${path} is not a folder.`);
  return { directory: path, [Symbol.asyncDispose]: async () => undefined };
}

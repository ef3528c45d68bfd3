/** Opens what `castor skills install` names: a folder of this machine, a git repository, or an archive such as a `.skill` file. */

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ExtensionError, fetchFolder, folderFormat, SkillError } from '@castor/core/program';
import type { FetchedFolder } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';

const ADDRESS = /^(?:https?:\/\/|ssh:\/\/|file:\/\/|git@)/i;
/** A path begins with a dot, an owner on GitHub does not. */
const REPOSITORY = /^\w[\w-]*\/[\w.-]+$/;

/** Throws SkillError. Disposing removes what was fetched. */
export async function fetchSource(source: string, context: SubcommandContext): Promise<FetchedFolder> {
  const { cwd, home, output } = context;
  const path = resolve(
    cwd,
    source.replace(/^~(?=$|\/)/, () => home),
  );
  const isRemote = ADDRESS.test(source);
  if (!isRemote && existsSync(path)) {
    if (statSync(path).isDirectory()) return { directory: path, [Symbol.asyncDispose]: async () => undefined };
    if (folderFormat(path) === undefined)
      throw new SkillError(`${path} is neither a folder nor a .skill, .zip or .tar.gz file.`);
    output.note(`Extracting skill from ${path}...`);
    return fetch(path, context);
  }
  if (!isRemote && !REPOSITORY.test(source)) {
    throw new SkillError(`${path} does not exist. Name a folder, a .skill file, a git address or owner/repo.`);
  }
  const address = isRemote ? source : `https://github.com/${source}.git`;
  output.note(`Cloning skill from ${address}...`);
  return fetch(address, context);
}

async function fetch(source: string, { environment, signal, output }: SubcommandContext): Promise<FetchedFolder> {
  try {
    return await fetchFolder(source, {
      environment,
      signal: signal ?? new AbortController().signal,
      onProgress: (line) => output.note(line),
    });
  } catch (error) {
    if (error instanceof ExtensionError) throw new SkillError(error.message, { cause: error });
    throw error;
  }
}

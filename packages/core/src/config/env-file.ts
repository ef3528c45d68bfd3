/**
 * Finds and reads the one `.env` file that applies to a folder. Existing variables are never
 * overwritten, names that load code or redirect connections are never accepted from a
 * project, and an untrusted folder may set only four names.
 */

import { readFileSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { dangerOf, isProviderKey } from './dangerous-variables.ts';
import { userDirectory } from './paths.ts';

export interface EnvFileOptions {
  cwd: string;
  home: string;
  isTrusted: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  /** `advanced.excludedEnvVars`. */
  excludedNames?: readonly string[];
  /** `advanced.ignoreLocalEnv` or `--ignore-env`. */
  ignoreLocal?: boolean;
}

export interface SkippedVariable {
  name: string;
  reason: string;
}

export interface EnvFile {
  /** The file that was read; absent when none was found. */
  path?: string;
  /** Whose file it is: a project's may set neither keys nor addresses of the user's providers. */
  owner?: 'user' | 'home' | 'project';
  /** The variables to add to the environment. */
  variables: Readonly<Record<string, string>>;
  skipped: readonly SkippedVariable[];
  /** The user's own file that was not read, because only the first one found applies. */
  shadowed?: string;
  warnings: readonly string[];
}

export const PROJECT_KEY = "a project's file may not set the key of your provider";
const MAX_BYTES = 1024 * 1024;
const UNTRUSTED_NAMES: ReadonlySet<string> = new Set([
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
]);

/** Never throws: an unreadable file becomes a warning, and lines without a variable are skipped. */
export function readEnvFile(options: EnvFileOptions): EnvFile {
  const warnings: string[] = [];
  const found = findFile(options, warnings);
  if (found === undefined) return { variables: {}, skipped: [], warnings };
  const taken = takeVariables(found, options, warnings);
  const own = join(userDirectory(options.home), '.env');
  const isShadowing = found.path !== own && statSync(own, { throwIfNoEntry: false }) !== undefined;
  return { path: found.path, owner: found.owner, ...taken, ...(isShadowing && { shadowed: own }), warnings };
}

interface FoundFile {
  path: string;
  /** `user` and `home`: the user's own file, read completely in every folder. */
  owner: NonNullable<EnvFile['owner']>;
}

function findFile(
  { cwd, home, isTrusted, ignoreLocal = false }: EnvFileOptions,
  warnings: string[],
): FoundFile | undefined {
  const homeFolder = resolve(home);
  const start = resolve(cwd);
  const inFolder = (folder: string): FoundFile | undefined => {
    const isHome = folder === homeFolder;
    const own: FoundFile = { path: join(folder, '.gemini', '.env'), owner: isHome ? 'user' : 'project' };
    if ((isTrusted || isHome) && isUsable(own.path, folder === start, warnings)) return own;
    const plain: FoundFile = { path: join(folder, '.env'), owner: isHome ? 'home' : 'project' };
    return (!ignoreLocal || isHome) && isUsable(plain.path, folder === start, warnings) ? plain : undefined;
  };
  for (let folder = start; ; folder = dirname(folder)) {
    const found = inFolder(folder);
    if (found !== undefined) return found;
    if (dirname(folder) === folder) break;
  }
  return inFolder(homeFolder);
}

function isUsable(path: string, isHere: boolean, warnings: string[]): boolean {
  const stat = statOf(path);
  if (stat === undefined) return false;
  if (!stat.isFile()) return false;
  const doubt = doubtAbout(stat, isHere);
  if (doubt !== undefined) warnings.push(`${path} was ignored: ${doubt}.`);
  return doubt === undefined;
}

/** A file above the folder, for example in /tmp, may belong to any user. */
function doubtAbout({ size, uid }: Stats, isHere: boolean): string | undefined {
  if (size > MAX_BYTES) return 'it is larger than 1 MB';
  const user = process.getuid?.();
  const isForeign = user !== undefined && uid !== 0 && uid !== user;
  return isForeign && !isHere ? 'it belongs to another user' : undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // An unreadable folder or a cycle of links: the file counts as missing.
    return undefined;
  }
}

function takeVariables(
  { path, owner }: FoundFile,
  options: EnvFileOptions,
  warnings: string[],
): Pick<EnvFile, 'variables' | 'skipped'> {
  const variables: Record<string, string> = {};
  const skipped: SkippedVariable[] = [];
  const dangerous: string[] = [];
  for (const [name, value] of Object.entries(parse(path, warnings))) {
    if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0')) continue;
    const danger = owner === 'user' ? undefined : dangerOf(name);
    const reason = danger ?? refusal(name, path, owner, options);
    if (danger !== undefined && options.isTrusted) dangerous.push(name);
    if (reason !== undefined) skipped.push({ name, reason });
    else variables[name] = owner === 'project' && !options.isTrusted ? value.replace(/[^A-Za-z0-9\-_./]/g, '') : value;
  }
  if (dangerous.length > 0) {
    const own = join(userDirectory(options.home), '.env');
    warnings.push(
      `${path}: ${dangerous.join(', ')} ${dangerous.length === 1 ? 'was' : 'were'} ignored: a project's file may not set ${dangerous.length === 1 ? 'it' : 'them'}. Set such variables in your shell or in ${own}.`,
    );
  }
  return { variables, skipped };
}

function refusal(
  name: string,
  path: string,
  owner: FoundFile['owner'],
  { isTrusted, environment, excludedNames = [] }: EnvFileOptions,
): string | undefined {
  if (owner === 'project' && !isTrusted && !UNTRUSTED_NAMES.has(name)) return 'the folder is not trusted';
  // Told where a key is missing, not at every start: the file is usually for the project's own program.
  if (owner === 'project' && isProviderKey(name)) return PROJECT_KEY;
  if (!path.includes('.gemini') && excludedNames.includes(name)) return 'advanced.excludedEnvVars names it';
  return Object.hasOwn(environment, name) ? 'it is set in the environment' : undefined;
}

function parse(path: string, warnings: string[]): Record<string, string> {
  try {
    const { parseEnv } = process.getBuiltinModule('node:util');
    return parseEnv(readFileSync(path, 'utf8').replace(/^\ufeff/, '')) as Record<string, string>;
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    warnings.push(`${path} is not readable (${code}).`);
    return {};
  }
}

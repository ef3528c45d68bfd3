/**
 * Finds the names of protected places in free text and in the patterns of git, for command
 * lines. Loaded with the first command.
 */

import { ENVIRONMENT_FILE } from '../util/environment-file.ts';
import { globMatches } from './glob-matches.ts';
import { FILES, FOLDERS, hasGlob } from './protected-paths.ts';
import type { ProtectedPlaces } from './protected-paths.ts';

/**
 * The protected name that a pattern of git matches: there a star matches a leading dot and
 * a slash as well. A pattern for everything names nothing.
 */
export function placeMatching(pattern: string, { environmentFiles }: Pick<ProtectedPlaces, 'environmentFiles'>) {
  const last =
    pattern
      .replace(/^:(?:\([^)]*\)|[!/^]*)/, '')
      .split('/')
      .at(-1) ?? '';
  if (!hasGlob(last) || /^[*?]*$/.test(last)) return undefined;
  const names = environmentFiles ? [...FILES, '.env', '.env.local'] : FILES;
  return names.find((name) => name.startsWith('.') && globMatches(last.toLowerCase(), name));
}

const MENTION = new RegExp(
  `(?:^|[^\\w.-])(?:${[
    ...FOLDERS,
    '.github/workflows',
    ...FILES.filter((name) => name.startsWith('.') || name.endsWith('.md')),
  ]
    .map((name) => name.replace(/[.]/g, '\\.'))
    .join('|')})(?![\\w-])`,
  'i',
);

const ENVIRONMENT_MENTION = /(?:^|[^\w.-])\.env(?!\.(?:example|sample|template)\b)/i;

/** Whether free text names a file of environment variables. */
export function mentionsEnvironmentFile(text: string): boolean {
  return ENVIRONMENT_MENTION.test(text);
}

/** Whether a protected place is a file of environment variables. */
export function isEnvironmentPlace(place: string): boolean {
  return ENVIRONMENT_FILE.test(place);
}

/** Whether free text names a protected place; for code and for arguments built at run time. */
export function mentionsProtectedPlace(
  text: string,
  { environmentFiles }: Pick<ProtectedPlaces, 'environmentFiles'>,
): boolean {
  return MENTION.test(text) || (environmentFiles && ENVIRONMENT_MENTION.test(text));
}

/** Names files that hold secrets by convention: a command that reads one is not known to be safe. */

import { globMatches } from '../glob-matches.ts';
import type { ShellWord } from './shell-word.ts';

/** Paths that contain secrets by convention; the user decides whether to read them. */
const PRIVATE_PATH =
  /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.config\/gcloud|\.config\/gh)(?:\/|$)|(?:^|[/:])(?:\.netrc|\.pgpass|\.npmrc|\.git-credentials|\.env(?:\.[\w.-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|oauth_creds\.json|shadow|environ)$/i;

/** Names that a file name pattern could match. */
const PRIVATE_NAMES = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.pgpass', '.npmrc', '.env'];

export function isPrivate({ value, kind, candidates }: ShellWord): boolean {
  if (PRIVATE_PATH.test(value) || candidates?.some((text) => PRIVATE_PATH.test(text)) === true) return true;
  if (kind !== 'glob') return false;
  const hidden = value.split('/').filter((segment) => segment.startsWith('.') && /[*?[]/.test(segment));
  return hidden.some((segment) => PRIVATE_NAMES.some((name) => globMatches(segment, name)));
}

const PRIVATE_FILES = [
  ...PRIVATE_NAMES,
  ...[
    '.env.local',
    '.env.production',
    '.env.development',
    '.env.test',
    '.git-credentials',
    'oauth_creds.json',
    'shadow',
  ],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'],
];

/** Whether a pattern of `find`, where a star also matches a leading dot, may find one. */
export function mayFindPrivate(pattern: string): boolean {
  return PRIVATE_FILES.some((name) => globMatches(pattern.toLowerCase(), name));
}

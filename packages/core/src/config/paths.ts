/** Where things live on disk. Pure: the caller says where home is. */

import { basename, join } from 'node:path';

/** The user's own folder, shared with Gemini CLI. */
export function userDirectory(home: string): string {
  return join(home, '.gemini');
}

/** Temporary files of one project: long outputs, logs, plans. */
export function projectTempDirectory(home: string, root: string): string {
  return join(userDirectory(home), 'tmp', `${toSlug(basename(root))}-${shortHash(root)}`);
}

function toSlug(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '') || 'project';
}

/** FNV-1a: tells projects of one name apart, and costs no crypto module at start. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function backgroundLogDirectory(home: string): string {
  return join(userDirectory(home), 'tmp', 'background-processes');
}

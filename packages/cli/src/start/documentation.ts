/** Finds the pages of documentation that are shipped beside the bundle. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Undefined where they are not installed. */
export function documentationFolder(): string | undefined {
  // In the bundle it is a path.
  const { url } = import.meta;
  const folder = join(dirname(url.startsWith('file:') ? fileURLToPath(url) : url), 'docs');
  return existsSync(folder) ? folder : undefined;
}

/** The folder of what Castor brings along as files, such as its skills. */

import { dirname, join } from 'node:path';

/** The bundle has a path here, the sources an address. Both lie one folder below the package. */
const here = import.meta.url.replace(/^file:\/\//, '');

export const BUILTIN_DIRECTORY = join(dirname(here), '..');

/** The type of an old text beside the part of a file that may be its place. */

import type { Tokens } from './tokens.ts';

/** The texts compared; `file` holds only the candidate part. */
export interface Compared {
  content: string;
  old: Tokens;
  file: Tokens;
}

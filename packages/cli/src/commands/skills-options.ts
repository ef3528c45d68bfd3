/** The parsed words of `castor skills`. */

import type { FileScope } from './parse-words.ts';

export interface SkillsOptions {
  readonly operand: string;
  readonly scope: FileScope | undefined;
  readonly path: string | undefined;
  readonly flags: ReadonlySet<string>;
}

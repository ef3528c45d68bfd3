/** The parsed words of `castor config`. */

import type { FileScope } from './parse-words.ts';

export interface ConfigOptions {
  operands: string[];
  json: boolean;
  sources: boolean;
  all: boolean;
  scope: FileScope;
}

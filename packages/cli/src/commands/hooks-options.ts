/** The parsed words of `castor hooks`. */

import type { CommandWords, FileScope } from './parse-words.ts';

export interface HooksOptions extends Pick<CommandWords, 'operands' | 'flags'> {
  input: string | undefined;
  name: string | undefined;
  scope: FileScope | undefined;
}

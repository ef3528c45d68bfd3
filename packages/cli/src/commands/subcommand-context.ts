/** What every command of `castor` is given: where it runs, and where its words go. Types only. */

import type { Output } from '../output.ts';

export interface SubcommandContext {
  output: Pick<Output, 'answer' | 'note'>;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

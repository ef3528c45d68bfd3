/** The context of every command of `castor`: its folder and its output. Types only. */

import type { Output } from '../output.ts';

export interface SubcommandContext {
  output: Pick<Output, 'answer' | 'note'>;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user interrupts the command. */
  signal?: AbortSignal | undefined;
}

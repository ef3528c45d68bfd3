/** What a conversation in a terminal starts with. */

import type { CliArguments } from '../args/args.ts';
import type { Interruption } from '../signals.ts';

export interface TuiOptions {
  readonly args: CliArguments;
  readonly cwd: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sent first, if there is one. */
  readonly prompt: string;
  /** Shown before it. */
  readonly notice?: string | undefined;
  readonly interruption: Interruption;
  readonly version: string;
}

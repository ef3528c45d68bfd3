/** The parsed words of `castor sessions`, and what its commands use. */

import type { ForeignAgentName } from '@castor/core/program';
import type { SubcommandContext } from './subcommand-context.ts';

export type SessionsContext = Pick<SubcommandContext, 'output' | 'cwd' | 'home'>;

export interface SessionsOptions {
  operands: string[];
  json: boolean;
  limit: number;
  /** The other agent whose sessions are meant. */
  from: ForeignAgentName | undefined;
}

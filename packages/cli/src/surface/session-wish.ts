/** Which session a start works in, from its flags, and what its hooks are told of it. Pure. */

import type { CliArguments } from '../args/args.ts';

export interface SessionWish {
  /** See OpenSessionOptions. */
  readonly resume?: string;
  readonly fork?: boolean;
  readonly sessionId?: string | undefined;
  readonly sessionFile?: string | undefined;
  /** The prompt that was interrupted is sent again. */
  readonly goesOn?: boolean;
}

export type SessionOccasion = 'startup' | 'resume' | 'clear';

export function wishOf({
  resume: given,
  continue: goesOn = false,
  fork = false,
  sessionId,
  sessionFile,
}: CliArguments): SessionWish {
  // `--continue` alone means the session that was used last.
  const resume = given ?? (goesOn ? '' : undefined);
  return {
    ...(resume !== undefined && { resume: resume || 'latest', fork, goesOn }),
    sessionId,
    sessionFile,
  };
}

/** Why a session begins, by what was asked for. `/clear` begins one in a program that had another. */
export function occasionOf({ resume }: SessionWish): SessionOccasion {
  return resume === undefined ? 'startup' : 'resume';
}

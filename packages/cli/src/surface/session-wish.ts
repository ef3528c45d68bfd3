/** Selects the session of a start from its flags, and the source its hooks receive. Pure. */

import type { CliArguments } from '../args/args.ts';

export interface SessionWish {
  /** See OpenSessionOptions. */
  readonly resume?: string;
  readonly fork?: boolean;
  readonly sessionId?: string | undefined;
  readonly sessionFile?: string | undefined;
  /** The project of the session, where it is not the folder of the start. */
  readonly root?: string;
  /** Resends the interrupted prompt. */
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
  // `--continue` alone means the last used session.
  const resume = given ?? (goesOn ? '' : undefined);
  return {
    ...(resume !== undefined && { resume: resume || 'latest', fork, goesOn }),
    sessionId,
    sessionFile,
  };
}

/** The source of a session, by the flags. `/clear` starts one in a program that had another. */
export function occasionOf({ resume }: SessionWish): SessionOccasion {
  return resume === undefined ? 'startup' : 'resume';
}

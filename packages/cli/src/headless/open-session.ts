/** The session a headless run works in, as the flags say. */

import { openSession, SessionError } from '@castor/core';
import type { OpenedSession, Part } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { Start } from '../start/start.ts';

export interface SessionToRun {
  session: OpenedSession;
  /** What got no answer and is sent again, with `--continue`. */
  interrupted: Part[] | undefined;
}

/** Throws an ExitError when the session is unknown, or in use by another process. */
export async function openSessionFor({ args, home, cwd }: Start, output: Output): Promise<SessionToRun> {
  const { sessionId, sessionFile, fork = false } = args;
  // `--continue` alone means the session that was used last.
  const resume = args.resume ?? (args.continue ? '' : undefined);
  try {
    const session = await openSession({
      home,
      root: cwd,
      onProblem: (message) => output.note(`castor: warning: ${message}`),
      ...(resume !== undefined && { resume: resume || 'latest', fork }),
      sessionId,
      sessionFile,
    });
    for (const notice of session.notices) output.note(`castor: ${notice}`);
    const interrupted = args.continue ? session.takeInterrupted() : undefined;
    if (args.continue && !interrupted) {
      session.recorder.close();
      throw new ExitError(ExitCode.Input, 'the session has no interrupted prompt; pass a new one with -p.');
    }
    return { session, interrupted };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const message = resume === undefined ? error.message : `Error resuming session: ${error.message}`;
    throw new ExitError(ExitCode.Input, message, { cause: error });
  }
}

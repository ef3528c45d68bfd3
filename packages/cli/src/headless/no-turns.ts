/** Refuses a run whose settings allow no turn. Loaded for the refusal only. */

import { ExitCode, ExitError } from '../exit-codes.ts';

/**
 * As in Gemini CLI: a run without a screen enforces the limit from the first turn on; in a session with a screen a
 * limit of 0 does not apply.
 */
export function noTurns(): ExitError {
  const words =
    'The settings allow no turn: model.maxSessionTurns is 0. Set it to the number of turns, or to -1 for no limit.';
  return new ExitError(ExitCode.TurnLimit, words);
}

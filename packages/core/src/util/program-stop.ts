/**
 * The end of the program as the reason of an abort: work that it cuts off was not cancelled by the user. A program that embeds
 * core aborts with these words; the cli does in signals.ts, which every start loads and which therefore imports nothing for it.
 */

/** Also the detail of a prompt that ended so. */
export const PROGRAM_STOPPED = 'The program stopped.';

export function isProgramStopped({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.message === PROGRAM_STOPPED;
}

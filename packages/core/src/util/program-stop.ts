/** The end of the program as the reason of an abort: work that it cuts off was not cancelled by the user. */

const STOPPED = 'The program was stopped.';

export function createStopReason(): DOMException {
  return new DOMException(STOPPED, 'AbortError');
}

export function isProgramStopped({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.message === STOPPED;
}

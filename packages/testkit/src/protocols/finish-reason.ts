/** Converts the reason a script finishes with to the vendor's word for it. An unknown reason is written verbatim. */

import { callsOf } from './planned-turn.ts';
import type { PlannedTurn } from './planned-turn.ts';

/** A vendor's words for the ends that all vendors know. */
export interface FinishWords {
  readonly stop: string;
  readonly calls: string;
  readonly length: string;
  readonly filter: string;
}

const FILTERED = new Set(['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE']);
const BAD_CALLS = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']);

export function isFiltered({ reason }: PlannedTurn): boolean {
  return reason !== undefined && FILTERED.has(reason);
}

/** The vendor's explanation of a filtered answer, if the script gives one. */
export function refusalOf(turn: PlannedTurn): string | undefined {
  return isFiltered(turn) ? turn.finishMessage : undefined;
}

export function vendorReason(turn: PlannedTurn, words: FinishWords): string {
  const { reason = 'STOP', quirks } = turn;
  if (quirks.finishReason !== undefined) return quirks.finishReason;
  if (isFiltered(turn)) return words.filter;
  if (reason === 'STOP') return callsOf(turn).length > 0 ? words.calls : words.stop;
  if (reason === 'MAX_TOKENS') return words.length;
  return BAD_CALLS.has(reason) ? words.calls : reason;
}

/** Wraps a row of facts between them, so that no number stands in another row than its unit. Pure. */

import { wrapRows } from './wrap-rows.ts';

const HARD = '\u00a0';

export function wrapFacts(facts: string, width: number): string[] {
  const whole = facts.split(' · ').map((fact) => fact.replaceAll(' ', HARD));
  return wrapRows(whole.join(`${HARD}· `), { width }).map((row) => row.replaceAll(HARD, ' '));
}

/** The rules of this protocol; none is checked yet. */

import type { Verdict } from './protocol.ts';

export function judgeAnthropic(): Verdict[] {
  return [];
}

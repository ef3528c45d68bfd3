/**
 * Adds transient faults to a script: before each step come a few faults that a client must survive by retrying. The
 * seed decides which, so that a failing run can be repeated.
 */

import type { Step } from './answer.ts';
import { fault } from './faults.ts';
import { seededRandom } from './seeded-random.ts';

/** Faults a client should retry, each as a step. Stalls are left out: only the client's own timeout ends them. */
export const TRANSIENT_FAULTS: readonly Step[] = [
  fault(429),
  fault(500),
  fault(503),
  fault(504),
  fault('html_body'),
  fault('no_body'),
  fault('reset_before_headers'),
  fault('reset_mid_stream'),
  fault('close_mid_stream'),
  fault('end_without_finish'),
  fault('empty_body'),
  fault('truncated_encoding'),
  fault('corrupt_encoding'),
  fault('malformed_json_frame'),
  fault('half_frame_then_end'),
  fault('error_frame'),
  fault('bare_error_object'),
  fault('empty_candidates'),
  fault('thought_only'),
];

export interface ChaosOptions {
  readonly seed: number;
  /** The most faults before one step. Default 2. */
  readonly mostFaults?: number;
  /** Default `TRANSIENT_FAULTS`. */
  readonly faults?: readonly Step[];
}

export function chaos(steps: readonly Step[], options: ChaosOptions): Step[] {
  const random = seededRandom(options.seed);
  const pool = options.faults ?? TRANSIENT_FAULTS;
  const pick = (count: number) => Math.floor(random() * count);
  return steps.flatMap((step) => {
    const badLuck = Array.from({ length: pick((options.mostFaults ?? 2) + 1) }, () => pool[pick(pool.length)]!);
    return [...badLuck, step];
  });
}

/**
 * createMeteredGenerator: a ContentGenerator whose requests are entered in a ledger,
 * failed and abandoned ones too, once each, when their answer has ended. It changes
 * no response. Counting tokens and embedding have no role and no usage and pass uncounted.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';
import type { UsageMetadata } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import type { Ledger, RequestFailure } from './ledger.ts';

export function createMeteredGenerator<G extends ContentGenerator>(
  inner: G,
  ledger: Pick<Ledger, 'record'>,
  clock: Clock,
): G {
  return wrapGenerator(inner, {
    before({ request: { model }, role }) {
      const startedAt = clock.now();
      let usage: UsageMetadata | undefined;
      const enter = (failure?: RequestFailure) => {
        const latencyMs = clock.now() - startedAt;
        ledger.record({ model, role, latencyMs, ...(usage && { usage }), ...(failure && { failure }) });
      };
      return {
        responded: ({ usageMetadata }) => {
          usage = usageMetadata ?? usage;
        },
        ended: () => enter(),
        failed: (error) => enter({ kind: 'error', error }),
        abandoned: () => enter({ kind: 'abandoned' }),
      };
    },
  });
}

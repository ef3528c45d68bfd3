/**
 * createMeteredGenerator: a ContentGenerator that records each request in a ledger once, when
 * its answer has ended, including failed and abandoned ones. It changes no response. Token
 * counting and embedding have neither role nor usage and are not recorded.
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

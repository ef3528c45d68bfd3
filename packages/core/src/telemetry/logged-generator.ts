/**
 * createLoggedGenerator: a ContentGenerator that reports its requests and answers to telemetry, each once when it has
 * ended. It changes no response.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';
import type { EventTelemetry } from './event-telemetry.ts';
import { RequestTelemetry } from './request-telemetry.ts';
import type { Telemetry } from './telemetry.ts';

export function createLoggedGenerator<G extends ContentGenerator>(
  inner: G,
  telemetry: Telemetry,
  events: EventTelemetry,
): G {
  return wrapGenerator(inner, {
    before({ request, prompt_id, role }) {
      const log = new RequestTelemetry({ request, prompt_id, role, telemetry, events });
      return {
        responded: (response) => log.see(response),
        ended: () => log.end(),
        failed: (error) => log.end({ error }),
        abandoned: () => log.end({ error: new AbandonedError('The caller stopped reading the answer.') }),
      };
    },
  });
}

class AbandonedError extends Error {
  override readonly name = 'AbortError';
}

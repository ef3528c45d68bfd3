/**
 * createLoggedGenerator: a ContentGenerator whose requests and answers are reported to
 * telemetry, each once when it has ended. It changes nothing of what passes through.
 */

import type { ContentGenerator, LlmRole } from '../provider/content-generator.ts';
import type { GenerateContentParameters, GenerateContentResponse } from '../protocol/content.ts';
import type { EventTelemetry } from './event-telemetry.ts';
import { RequestTelemetry } from './request-telemetry.ts';
import type { Telemetry } from './telemetry.ts';

export function createLoggedGenerator(
  inner: ContentGenerator,
  telemetry: Telemetry,
  events: EventTelemetry,
): ContentGenerator {
  const begin = (request: GenerateContentParameters, prompt_id: string, role: LlmRole) =>
    new RequestTelemetry({ request, prompt_id, role, telemetry, events });
  return {
    async generateContent(request, prompt_id, role) {
      const log = begin(request, prompt_id, role);
      try {
        const response = await inner.generateContent(request, prompt_id, role);
        log.see(response);
        log.end();
        return response;
      } catch (error) {
        log.end({ error });
        throw error;
      }
    },

    async generateContentStream(request, prompt_id, role) {
      const log = begin(request, prompt_id, role);
      try {
        return logStream(await inner.generateContentStream(request, prompt_id, role), log);
      } catch (error) {
        log.end({ error });
        throw error;
      }
    },

    countTokens: (request) => inner.countTokens(request),
    embedContent: (request) => inner.embedContent(request),
  };
}

async function* logStream(
  stream: AsyncGenerator<GenerateContentResponse>,
  log: RequestTelemetry,
): AsyncGenerator<GenerateContentResponse, void> {
  try {
    for await (const response of stream) {
      log.see(response);
      yield response;
    }
    log.end();
  } catch (error) {
    log.end({ error });
    throw error;
  } finally {
    // Whoever read it went away before its end.
    log.end({ error: new AbandonedError('The answer was not read to its end.') });
  }
}

class AbandonedError extends Error {
  override readonly name = 'AbortError';
}

/**
 * createMeteredGenerator: a ContentGenerator whose requests are entered in a ledger,
 * failed and abandoned ones too, once each, when their answer has ended. It changes
 * nothing of what passes through. Counting tokens and embedding have no role and no
 * usage and pass uncounted.
 */

import type { ContentGenerator, LlmRole } from '../provider/content-generator.ts';
import { releaseOnReturn } from '../provider/release-on-return.ts';
import type { GenerateContentParameters, GenerateContentResponse, UsageMetadata } from '../protocol/content.ts';
import type { Clock } from '../util/clock.ts';
import type { Ledger, RequestFailure } from './ledger.ts';

export function createMeteredGenerator(inner: ContentGenerator, ledger: Ledger, clock: Clock): ContentGenerator {
  const begin = (request: GenerateContentParameters, role: LlmRole) => new Meter(request.model, role, ledger, clock);
  return {
    async generateContent(request, prompt_id, role) {
      const meter = begin(request, role);
      const response = await meter.watch(inner.generateContent(request, prompt_id, role));
      meter.see(response);
      meter.end();
      return response;
    },

    async generateContentStream(request, prompt_id, role) {
      const meter = begin(request, role);
      const stream = await meter.watch(inner.generateContentStream(request, prompt_id, role));
      const abandon = () => {
        meter.end({ kind: 'abandoned' });
        void stream.return(undefined);
      };
      return releaseOnReturn(meterStream(stream, meter), abandon);
    },

    countTokens: (request) => inner.countTokens(request),
    embedContent: (request) => inner.embedContent(request),
  };
}

async function* meterStream(
  stream: AsyncIterable<GenerateContentResponse>,
  meter: Meter,
): AsyncGenerator<GenerateContentResponse, void> {
  try {
    for await (const response of stream) {
      meter.see(response);
      yield response;
    }
    meter.end();
  } catch (error) {
    meter.end({ kind: 'error', error });
    throw error;
  }
}

/** One request from its sending to its end, which is entered once whatever is reported after it. */
class Meter {
  private readonly model: string;
  private readonly role: LlmRole;
  private readonly ledger: Ledger;
  private readonly clock: Clock;
  private readonly startedAt: number;
  private usage: UsageMetadata | undefined;
  private hasEnded = false;

  constructor(model: string, role: LlmRole, ledger: Ledger, clock: Clock) {
    this.model = model;
    this.role = role;
    this.ledger = ledger;
    this.clock = clock;
    this.startedAt = clock.now();
  }

  async watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.end({ kind: 'error', error });
      throw error;
    }
  }

  see({ usageMetadata }: GenerateContentResponse): void {
    this.usage = usageMetadata ?? this.usage;
  }

  end(failure?: RequestFailure): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.ledger.record({
      model: this.model,
      role: this.role,
      latencyMs: this.clock.now() - this.startedAt,
      usage: this.usage,
      failure,
    });
  }
}

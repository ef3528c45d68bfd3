/**
 * Compares what a server says it read with what was sent: some cut a prompt that does not fit, without a sign in the
 * answer. One warning per model.
 */

import type { GenerateContentParameters, UsageMetadata } from '../../protocol/content.ts';

/** Helps with a server whose window is set where it runs. */
export const LARGER_WINDOW = 'Give the model a larger window on the server, or its true contextWindow in the settings.';

/** A shorter prompt is not worth a warning: counts of few tokens differ by the template alone. */
const LEAST_COMPARED_TOKENS = 2_000;
/** No window is that small: a lower count is no count. */
const LEAST_WINDOW = 256;
const BYTES_PER_TOKEN = 4;

export class PromptComparison {
  private readonly cure: string;
  /** Models the user was warned about. */
  private readonly warned = new Set<string>();
  /** The bytes of each request being answered. */
  private readonly sizes = new WeakMap<GenerateContentParameters, number>();

  /** `cure`: a sentence for the user. */
  constructor(cure: string) {
    this.cure = cure;
  }

  sent(request: GenerateContentParameters, body: readonly Uint8Array[]): void {
    this.sizes.set(
      request,
      body.reduce((sum, piece) => sum + piece.length, 0),
    );
  }

  /** A warning where the server read far less than was sent. */
  counted(request: GenerateContentParameters, usage: UsageMetadata | undefined): string | undefined {
    const { promptTokenCount = 0, cachedContentTokenCount = 0 } = usage ?? {};
    const bytes = this.sizes.get(request) ?? 0;
    // Some count what was in their cache apart.
    const read = promptTokenCount + cachedContentTokenCount;
    if (read < LEAST_WINDOW || !isFarLess(read, bytes) || this.warned.has(request.model)) return undefined;
    const words = bytes - mediaBytes(request);
    if (!isFarLess(read, words)) return undefined;
    this.warned.add(request.model);
    const expected = Math.round(words / BYTES_PER_TOKEN);
    return `${request.model} read ${read} tokens of a prompt of about ${expected}: the server cut it. ${this.cure}`;
  }
}

function isFarLess(read: number, bytes: number): boolean {
  const expected = bytes / BYTES_PER_TOKEN;
  return expected >= LEAST_COMPARED_TOKENS && read < expected / 2;
}

/** A picture costs far fewer tokens than its bytes. Looked for only where a count is in doubt. */
function mediaBytes({ contents }: GenerateContentParameters): number {
  let bytes = 0;
  for (const { parts = [] } of contents)
    for (const { inlineData, functionResponse } of parts) {
      bytes += inlineData?.data?.length ?? 0;
      for (const each of functionResponse?.parts ?? []) bytes += each.inlineData?.data?.length ?? 0;
    }
  return bytes;
}

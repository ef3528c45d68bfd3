/** Records and replays a model that has no network: a request is its JSON, an answer the JSON of its pieces. */

import type { GenerateContentParameters, GenerateContentResponse } from '../protocol/content.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';

export interface AnswerTape {
  chunk(text: string): void;
  end(error?: unknown): void;
}

export function recordGenerator<G extends ContentGenerator>(
  inner: G,
  begin: (url: string, body: string) => AnswerTape,
): G {
  return wrapGenerator(inner, {
    before({ method, request }) {
      const tape = begin(addressOf(method), requestToJson(request));
      return {
        responded: (response) => tape.chunk(`${JSON.stringify(response)}\n`),
        ended: () => tape.end(),
        failed: (error) => tape.end(error),
        abandoned: () => tape.end(),
      };
    },
  });
}

/** Answers from `play`, which yields the pieces of the answer to a request. */
export function replayGenerator(
  inner: ContentGenerator,
  play: (url: string, body: string, signal: AbortSignal | undefined) => AsyncGenerator<string, void>,
): ContentGenerator {
  async function* stream(method: string, request: GenerateContentParameters): AsyncGenerator<GenerateContentResponse> {
    const body = requestToJson(request);
    let rest = '';
    for await (const text of play(addressOf(method), body, request.config?.abortSignal)) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as GenerateContentResponse;
    }
  }
  return {
    ...inner,
    async generateContent(request) {
      let last: GenerateContentResponse = {};
      for await (last of stream('generateContent', request));
      return last;
    },
    generateContentStream: async (request) => stream('generateContentStream', request),
  };
}

export function requestToJson(request: object): string {
  return JSON.stringify(request, (key, value: unknown) => (key === 'abortSignal' ? undefined : value));
}

function addressOf(method: string): string {
  return `offline:${method}`;
}

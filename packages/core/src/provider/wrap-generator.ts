/**
 * wrapGenerator: the one way to decorate a ContentGenerator. A decorator is a table of callbacks before a request,
 * with each response and at the end; this file owns the four methods, the order of the callbacks and the release of
 * an abandoned stream. All other members of the inner generator stay available on the wrapped one.
 */

import type {
  CountTokensResponse,
  EmbedContentResponse,
  GenerateContentParameters,
  GenerateContentResponse,
} from '../protocol/content.ts';
import type { ContentGenerator, LlmRole } from './content-generator.ts';
import { releaseOnReturn } from './release-on-return.ts';

/** A request that is about to be sent. */
export interface SentRequest {
  method: 'generateContent' | 'generateContentStream';
  request: GenerateContentParameters;
  prompt_id: string;
  role: LlmRole;
}

/** A decorator's callbacks for one request. Exactly one of `ended`, `failed` and `abandoned` is called, once. */
export interface RequestWatch {
  /** Called with each response, before the caller receives it. */
  responded?: ((response: GenerateContentResponse) => void) | undefined;
  /** Called after the last response; the caller sees the end only when this has settled. */
  ended?: (() => void | Promise<void>) | undefined;
  /** The request was rejected, broke off or was aborted. The caller gets the same error. */
  failed?: ((error: unknown) => void) | undefined;
  /** The caller left the stream before its end, or never read it. */
  abandoned?: (() => void) | undefined;
}

export interface Wrapping {
  /** Changes a request before everything else; returns the same object where nothing changes. */
  rewrite?: (request: GenerateContentParameters) => GenerateContentParameters;
  /** Surrounds the work that sends a request. */
  around?: <T>(send: () => T) => T;
  /** Called before a request is sent; a throw rejects the request unsent. */
  before?: (sent: SentRequest) => RequestWatch | void;
  counted?: (response: CountTokensResponse) => void | Promise<void>;
  embedded?: (response: EmbedContentResponse) => void | Promise<void>;
}

export function wrapGenerator<G extends ContentGenerator>(inner: G, wrapping: Wrapping): G {
  const around = wrapping.around ?? (<T>(send: () => T) => send());
  const methods: ContentGenerator = {
    async generateContent(given, prompt_id, role) {
      const request = wrapping.rewrite?.(given) ?? given;
      const settled = watched(wrapping.before?.({ method: 'generateContent', request, prompt_id, role }));
      const response = await settled.orFail(async () => {
        const answer = await around(() => inner.generateContent(request, prompt_id, role));
        settled.watch.responded?.(answer);
        return answer;
      });
      await settled.end();
      return response;
    },

    async generateContentStream(given, prompt_id, role) {
      const request = wrapping.rewrite?.(given) ?? given;
      const settled = watched(wrapping.before?.({ method: 'generateContentStream', request, prompt_id, role }));
      const stream = await settled.orFail(() => around(() => inner.generateContentStream(request, prompt_id, role)));
      return releaseOnReturn(passThrough(stream, settled), () => {
        settled.abandon();
        void stream.return(undefined);
      });
    },

    async countTokens(request) {
      const response = await around(() => inner.countTokens(request));
      await wrapping.counted?.(response);
      return response;
    },

    async embedContent(request) {
      const response = await around(() => inner.embedContent(request));
      await wrapping.embedded?.(response);
      return response;
    },
  };
  return withTheRestOf(inner, methods);
}

async function* passThrough(
  stream: AsyncIterable<GenerateContentResponse>,
  settled: Watched,
): AsyncGenerator<GenerateContentResponse, void> {
  try {
    for await (const response of stream) {
      settled.watch.responded?.(response);
      yield response;
    }
  } catch (error) {
    settled.fail(error);
    throw error;
  }
  await settled.end();
}

interface Watched {
  watch: RequestWatch;
  end(): void | Promise<void>;
  fail(error: unknown): void;
  abandon(): void;
  orFail<T>(work: () => Promise<T>): Promise<T>;
}

/** Only the first of the three endings is reported. */
function watched(given: RequestWatch | void): Watched {
  const watch = given ?? {};
  let isSettled = false;
  const once = (): boolean => {
    const isFirst = !isSettled;
    isSettled = true;
    return isFirst;
  };
  const fail = (error: unknown) => {
    if (once()) watch.failed?.(error);
  };
  return {
    watch,
    end: () => (once() ? watch.ended?.() : undefined),
    fail,
    abandon: () => {
      if (once()) watch.abandoned?.();
    },
    async orFail(work) {
      try {
        return await work();
      } catch (error) {
        fail(error);
        throw error;
      }
    },
  };
}

/** Forwards by name, and not by prototype, so that methods with private state still run on the generator they belong to. */
function withTheRestOf<G extends ContentGenerator>(inner: G, methods: ContentGenerator): G {
  const wrapped: object = { ...methods };
  for (let level: object | null = inner; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const key of Reflect.ownKeys(level)) {
      if (key in wrapped || key === 'constructor') continue;
      Object.defineProperty(wrapped, key, { enumerable: true, get: () => valueOf(inner, key) });
    }
  }
  return wrapped as G;
}

function valueOf(inner: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(inner, key);
  return typeof value === 'function' ? value.bind(inner) : value;
}

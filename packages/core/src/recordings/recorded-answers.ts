/**
 * Replays model answers from a file instead of a service, and records such files. One JSON object per line:
 * `{"method": …, "response": …}`. In strict order the lines are one tape shared by all callers; otherwise each call
 * takes the first unused line of its method.
 */

import type { GenerateContentParameters, GenerateContentResponse } from '../protocol/content.ts';
import { ApiError, getErrorMessage } from '../protocol/errors.ts';
import { throwIfAborted } from '../util/clock.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';
import { isRecord } from '../util/is-record.ts';

interface Responses {
  generateContent: GenerateContentResponse;
  generateContentStream: GenerateContentResponse[];
  countTokens: { totalTokens?: number };
  embedContent: { embeddings?: { values?: number[] }[] };
}

type Method = keyof Responses;
type Recording = { [M in Method]: { method: M; response: Responses[M] } }[Method];

const METHODS: ReadonlySet<string> = new Set<Method>([
  'generateContent',
  'generateContentStream',
  'countTokens',
  'embedContent',
]);

export interface ReplayOptions {
  /** Whether calls must come in the order of the lines. Default true. */
  strict?: boolean;
  /** The name of the source in messages. */
  name?: string;
}

/** Replays the recordings in `text`; throws immediately for an invalid line. */
export function createReplayGenerator(text: string, options: ReplayOptions = {}): ContentGenerator {
  const tape = new Tape(parseRecordings(text, options.name ?? 'recorded responses'), options.strict ?? true);
  return {
    generateContent: async (request) => tape.take('generateContent', request),
    generateContentStream: async (request) => play(tape.take('generateContentStream', request), request),
    countTokens: async (request) => tape.take('countTokens', request),
    embedContent: async (request) => tape.take('embedContent', request),
  };
}

/** The same, from a file; errors name the file and the line. */
export async function loadReplayGenerator(
  path: string,
  options: Omit<ReplayOptions, 'name'> = {},
): Promise<ContentGenerator> {
  const { readFile } = await import('node:fs/promises');
  return createReplayGenerator(await readFile(path, 'utf8'), { ...options, name: path });
}

async function* play(
  chunks: GenerateContentResponse[],
  request: GenerateContentParameters,
): AsyncGenerator<GenerateContentResponse> {
  for (const chunk of chunks) {
    throwIfAborted(request.config?.abortSignal);
    yield chunk;
  }
}

class Tape {
  private readonly recordings: Recording[];
  private readonly strict: boolean;

  constructor(recordings: Recording[], strict: boolean) {
    this.recordings = recordings;
    this.strict = strict;
  }

  take<M extends Method>(method: M, request: { config?: { abortSignal?: AbortSignal } }): Responses[M] {
    throwIfAborted(request.config?.abortSignal);
    const index = this.strict ? 0 : this.recordings.findIndex((recording) => recording.method === method);
    const found = this.recordings[index];
    if (!found) {
      throw replayError(`No more mock responses for ${method}, got request:\n${requestToJson(request)}`);
    }
    if (found.method !== method) {
      throw replayError(`The next mock response is for ${found.method}, but ${method} was called.`);
    }
    this.recordings.splice(index, 1);
    return found.response as Responses[M];
  }
}

/** A retry would get the same answer, so the error is final. */
function replayError(message: string): ApiError {
  return new ApiError(message, { reason: 'invalid_request' });
}

function requestToJson(request: object): string {
  return JSON.stringify(request, (key, value: unknown) => (key === 'abortSignal' ? undefined : value));
}

function parseRecordings(text: string, name: string): Recording[] {
  const recordings: Recording[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    try {
      recordings.push(parseRecording(line));
    } catch (cause) {
      throw new Error(`${name}:${index + 1}: ${getErrorMessage(cause)}`, { cause });
    }
  }
  return recordings;
}

function parseRecording(line: string): Recording {
  const { method, response } = (JSON.parse(line) ?? {}) as { method?: unknown; response?: unknown };
  if (typeof method !== 'string' || !METHODS.has(method)) {
    throw new Error(`"method" must be one of ${[...METHODS].join(', ')}, not ${JSON.stringify(method)}.`);
  }
  const isStream = method === 'generateContentStream';
  if (isStream ? !Array.isArray(response) : !isRecord(response)) {
    const shape = isStream ? 'an array of responses' : 'an object';
    throw new Error(`"response" of ${method} must be ${shape}.`);
  }
  return { method, response } as Recording;
}

/**
 * Forwards every call and appends its answer as one line, without a line ending, when the call or the whole stream
 * has succeeded. Failed and abandoned calls are not recorded.
 */
export function createRecordingGenerator<G extends ContentGenerator>(
  inner: G,
  append: (line: string) => void | Promise<void>,
): G {
  const record = async (recording: Recording) => append(JSON.stringify(recording));
  return wrapGenerator(inner, {
    before({ method }) {
      const chunks: GenerateContentResponse[] = [];
      return {
        responded: (chunk) => void chunks.push(reduce(chunk)),
        ended: () =>
          method === 'generateContent'
            ? record({ method, response: chunks[0] ?? {} })
            : record({ method, response: chunks }),
      };
    },
    counted: ({ totalTokens }) =>
      record({ method: 'countTokens', response: totalTokens === undefined ? {} : { totalTokens } }),
    embedded: ({ embeddings }) =>
      record({ method: 'embedContent', response: embeddings === undefined ? {} : { embeddings } }),
  });
}

/** Creates an `append` for the recorder that writes whole lines to a file. */
export function createFileAppender(path: string): (line: string) => Promise<void> {
  return async (line) => {
    const { appendFile } = await import('node:fs/promises');
    await appendFile(path, `${line}\n`);
  };
}

function reduce(response: GenerateContentResponse): GenerateContentResponse {
  return {
    ...(response.candidates && { candidates: response.candidates }),
    ...(response.usageMetadata && { usageMetadata: response.usageMetadata }),
  };
}

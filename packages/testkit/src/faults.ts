/**
 * Every way a request can fail, by name, as data: a sentence on what the client sees and the answer that causes it on
 * the socket. A port without a listener is not an answer: that is `refusedUrl`.
 */

import type { FinishReason } from '@castor/core';
import type { Answer, Piece } from './answer.ts';
import type { BodyEncoding } from './encode-body.ts';
import { ERROR_STATUSES, googleError } from './google-errors.ts';
import type { ErrorStatus } from './google-errors.ts';
import { answer, bytes, DEFAULT_USAGE, dialect, ending, finish, raw, say, text, thought } from './script.ts';
import { emptyAnswer, htmlAnswer, statusAnswer } from './status-faults.ts';
import type { StatusOptions } from './status-faults.ts';

/** Finish reasons other than a completed answer. */
export const BAD_FINISH_REASONS = [
  'SAFETY',
  'RECITATION',
  'OTHER',
  'MAX_TOKENS',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'LANGUAGE',
] as const satisfies readonly FinishReason[];

/** What the client receives before the fault: pieces, or that many text frames. Default one frame. */
export interface AfterOptions {
  readonly after?: readonly Piece[] | number;
}

const MALFORMED_CALLS = {
  no_name: { args: { path: 'a' } },
  empty_name: { name: '', args: {} },
  args_not_object: { name: 'read_file', args: 'path=a' },
  args_array: { name: 'read_file', args: ['a'] },
  empty: {},
} as const;

/** Shapes of `malformed_call`. */
export type MalformedCall = keyof typeof MALFORMED_CALLS;
export const MALFORMED_CALL_SHAPES = Object.keys(MALFORMED_CALLS) as readonly MalformedCall[];

interface FaultClass {
  /** What the client sees, as a sentence. */
  readonly meets: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each fault has its own options; `fault` restores their type
  readonly build: (options?: any) => Answer;
}

export const FAULTS = {
  reset_before_headers: {
    meets: 'The connection is reset before any byte of the answer.',
    build: () => ({ kind: 'answer', head: undefined, pieces: [ending('reset')], wire: {} }),
  },
  reset_mid_stream: {
    meets: 'The connection is reset after some frames.',
    build: (options: AfterOptions = {}) => answer(...before(options), ending('reset')),
  },
  close_mid_stream: {
    meets: 'The connection is closed (FIN) after some frames, the body unterminated.',
    build: (options: AfterOptions = {}) => answer(...before(options), ending('close')),
  },
  end_without_finish: {
    meets: 'The stream ends cleanly after some frames, without a finish reason.',
    build: (options: AfterOptions = {}) => answer(...before(options), ending('end')),
  },
  empty_body: {
    meets: 'Status 200, an event stream without a byte.',
    build: () => answer(ending('end')),
  },
  html_body: {
    meets: 'A gateway answers with an HTML page.',
    build: (options: { status?: number } = {}) => htmlAnswer(options.status ?? 502),
  },
  no_body: {
    meets: 'An error status with no body.',
    build: (options: { status?: number } = {}) => emptyAnswer(options.status ?? 500),
  },
  stall_before_headers: {
    meets: 'The request is taken and nothing ever comes.',
    build: () => ({ kind: 'answer', head: undefined, pieces: [ending('stall')], wire: {} }),
  },
  stall_mid_stream: {
    meets: 'The stream falls silent after some frames.',
    build: (options: AfterOptions = {}) => answer(...before(options), ending('stall')),
  },
  split_every_byte: {
    meets: 'A good answer, each byte in a chunk of its own.',
    build: (options: { of?: Answer | Piece } = {}) => dialect(options.of ?? say('héllo 🦫'), { chunking: 1 }),
  },
  truncated_encoding: {
    meets: 'A compressed body that ends cleanly before its encoding does.',
    build: ({ encoding = 'gzip', ...options }: AfterOptions & { encoding?: BodyEncoding } = {}) =>
      dialect(answer(...before(options), ending('end')), { encoding, encodingEnd: 'cut' }),
  },
  corrupt_encoding: {
    meets: 'A compressed body that goes on with bytes that cannot be decoded.',
    build: ({ encoding = 'gzip', ...options }: AfterOptions & { encoding?: BodyEncoding } = {}) =>
      dialect(answer(...before(options), ending('end')), { encoding, encodingEnd: 'garbage' }),
  },
  malformed_json_frame: {
    meets: 'A frame that is no JSON, then a clean end.',
    build: (options: AfterOptions = {}) =>
      answer(...before(options), bytes('data: {"candidates": [{"content": }]}\r\n\r\n'), ending('end')),
  },
  half_frame_then_end: {
    meets: 'The stream ends cleanly in the middle of a frame.',
    build: (options: AfterOptions = {}) =>
      answer(...before(options), bytes('data: {"candidates":[{"content":{"parts":[{"te'), ending('end')),
  },
  error_frame: {
    meets: 'An error object arrives as a frame of a stream that began well.',
    build: ({ status = 503, after, ...content }: AfterOptions & StatusOptions & { status?: ErrorStatus } = {}) =>
      answer(...before({ after }), raw(googleError(status, content)), ending('end')),
  },
  bare_error_object: {
    meets: 'An error object arrives in the stream as plain JSON, outside any event.',
    build: ({ status = 503, after, ...content }: AfterOptions & StatusOptions & { status?: ErrorStatus } = {}) =>
      answer(...before({ after }), bytes(`${JSON.stringify(googleError(status, content), null, 2)}\n`), ending('end')),
  },
  empty_candidates: {
    meets: 'A frame with an empty list of candidates, and no more.',
    build: () => answer(raw({ candidates: [], usageMetadata: DEFAULT_USAGE }), ending('end')),
  },
  empty_answer: {
    meets: 'The model stops at once without a word.',
    build: () => answer(finish('STOP')),
  },
  prompt_blocked: {
    meets: 'The prompt is refused; there is no candidate.',
    build: (options: { reason?: string; message?: string } = {}) =>
      answer(
        raw({
          promptFeedback: {
            blockReason: options.reason ?? 'SAFETY',
            ...(options.message !== undefined && { blockReasonMessage: options.message }),
          },
          usageMetadata: DEFAULT_USAGE,
        }),
      ),
  },
  bad_finish: {
    meets: 'The model stops for a bad reason, with or without text before.',
    build: ({
      reason = 'SAFETY',
      message,
      after = [],
    }: AfterOptions & { reason?: FinishReason; message?: string } = {}) =>
      answer(...before({ after }), finish(reason, message === undefined ? {} : { message })),
  },
  thought_only: {
    meets: 'The model thinks and then stops without an answer.',
    build: () => answer(thought('**Pondering** and nothing else'), finish('STOP')),
  },
  malformed_call: {
    meets: 'An invalid call: no name, or arguments that are not an object.',
    build: (options: { shape?: MalformedCall } = {}) =>
      answer(
        raw({
          candidates: [
            {
              content: { role: 'model', parts: [{ functionCall: MALFORMED_CALLS[options.shape ?? 'no_name'] }] },
              index: 0,
            },
          ],
        }),
        finish('STOP'),
      ),
  },
  redirect: {
    meets: 'The service points to another origin.',
    build: (options: { location?: string; status?: number } = {}) =>
      emptyAnswer(options.status ?? 302, { location: options.location ?? 'http://elsewhere.invalid/' }),
  },
} as const satisfies Record<string, FaultClass>;

export type FaultName = keyof typeof FAULTS;
type OptionsOf<Name extends FaultName> = Parameters<(typeof FAULTS)[Name]['build']>[0];

/** An error status, or a fault by name, as one step of a script. */
export function fault(status: ErrorStatus, options?: StatusOptions): Answer;
export function fault<Name extends FaultName>(name: Name, options?: OptionsOf<Name>): Answer;
export function fault(which: ErrorStatus | FaultName, options?: unknown): Answer {
  if (typeof which === 'number') {
    if (!(which in ERROR_STATUSES)) throw new RangeError(`There is no fault for status ${which}.`);
    return statusAnswer(which, options as StatusOptions | undefined);
  }
  const { build }: FaultClass = FAULTS[which];
  return build(options);
}

function before({ after = 1 }: { after?: AfterOptions['after'] | undefined }): readonly Piece[] {
  if (typeof after !== 'number') return after;
  return Array.from({ length: after }, (_, index) => text(`frame ${index + 1} `));
}

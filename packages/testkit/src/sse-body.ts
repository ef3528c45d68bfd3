/**
 * Encodes frames as the bytes of an event stream. It owns every legal way to write the same events (the dialects a
 * reader must accept) and does not interpret frames. The default is the service's own: `data: <json>` CRLF CRLF.
 */

import type { Chunking } from './chunking.ts';
import type { BodyEncoding, EncodingEnd } from './encode-body.ts';
import type { Quirks } from './protocols/quirks.ts';

export interface Dialect {
  /** Default CRLF, like the service. */
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** U+FEFF as the first character of the body. */
  readonly byteOrderMark?: boolean;
  /** A comment line before each event. */
  readonly comments?: boolean;
  /** The JSON over several `data:` lines of one event. */
  readonly manyDataLines?: boolean;
  /** `event:`, `id:` and `retry:` lines around the data. */
  readonly fields?: boolean;
  /** `data:{…}` instead of `data: {…}`. */
  readonly noSpace?: boolean;
  /** The body ends right after the last event's line, without the blank line that would end the event. */
  readonly noFinalBlankLine?: boolean;
}

/** How an answer is written: the dialect of its events, the encoding of the body and the cut of its bytes. */
export interface Wire extends Dialect {
  readonly chunking?: Chunking;
  /** The body is sent with this `Content-Encoding`, each frame flushed. */
  readonly encoding?: BodyEncoding;
  readonly encodingEnd?: EncodingEnd;
  /** `ndjson`: one JSON object per line instead of events. */
  readonly framing?: 'sse' | 'ndjson';
  /** How the answer deviates from its protocol; see `Quirks`. */
  readonly quirks?: Quirks;
}

/** Every dialect by name, for tables of tests. */
export const DIALECTS = {
  lf: { lineEnd: '\n' },
  crlf: { lineEnd: '\r\n' },
  cr: { lineEnd: '\r' },
  comments: { comments: true },
  many_data_lines: { manyDataLines: true },
  byte_order_mark: { byteOrderMark: true },
  fields: { fields: true },
  no_space: { noSpace: true },
  no_final_blank_line: { noFinalBlankLine: true },
} as const satisfies Record<string, Dialect>;

const DATA_SPLIT_INDENT = 1;

/** What an event has besides its frame. */
interface EventForm {
  /** The name of its `event:` line. */
  readonly name?: string | undefined;
  /** Its data, verbatim. */
  readonly literal?: string | undefined;
}

/** One event, without the line end that closes it: that is `eventEnd`. */
export function eventStart(frame: object, dialect: Dialect, position: number, event: EventForm = {}): string {
  const lineEnd = dialect.lineEnd ?? '\r\n';
  const field = dialect.noSpace ? 'data:' : 'data: ';
  const lines: string[] = [];
  if (dialect.comments) lines.push(`: comment ${position}`);
  if (dialect.fields) lines.push(`event: ${event.name ?? 'message'}`, `id: ${position}`, 'retry: 1000');
  else if (event.name !== undefined) lines.push(`event: ${event.name}`);
  // Only newlines between tokens are added, so the joined lines parse to the same frame.
  const json =
    event.literal ?? (dialect.manyDataLines ? JSON.stringify(frame, null, DATA_SPLIT_INDENT) : JSON.stringify(frame));
  for (const line of json.split('\n')) lines.push(field + line);
  const text = lines.join(lineEnd) + lineEnd;
  return position === 0 && dialect.byteOrderMark ? `\uFEFF${text}` : text;
}

/** The blank line that dispatches an event. */
export function eventEnd(dialect: Dialect): string {
  return dialect.lineEnd ?? '\r\n';
}

/** The whole body of these frames, for tests of readers that need no server. */
export function sseBody(frames: readonly object[], dialect: Dialect = {}): Uint8Array {
  const last = frames.length - 1;
  return Buffer.from(
    frames
      .map((frame, position) => {
        const start = eventStart(frame, dialect, position);
        return position === last && dialect.noFinalBlankLine ? start : start + eventEnd(dialect);
      })
      .join(''),
  );
}

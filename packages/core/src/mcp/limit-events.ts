/** Bounds what a server sends without an end: one event of a stream, or the body of an answer. */

const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Errors once more than 64 MB arrive without a blank line between them. */
export function limitEvents(limit = MAX_BYTES): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  let isLineStart = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        size++;
        if (byte === NEWLINE) {
          if (isLineStart) size = 0;
          isLineStart = true;
        } else if (byte !== RETURN) isLineStart = false;
      }
      if (size > limit) controller.error(new Error(`The server sent an event of more than ${limit} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

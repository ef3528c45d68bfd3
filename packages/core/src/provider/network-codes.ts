/**
 * The system's and the runtime's codes for a failed or broken connection, in one place: an error with one of them may
 * succeed on retry.
 */

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'EPROTO',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

const BAD_RECORD = /^ERR_SSL_.*BAD_RECORD_MAC$/;
const MAX_CAUSES = 5;

function isNetworkCode(code: unknown): code is string {
  return typeof code === 'string' && (NETWORK_CODES.has(code) || BAD_RECORD.test(code));
}

/** The network code of an error or of one of its nested causes. */
export function findNetworkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth <= MAX_CAUSES && typeof current === 'object' && current !== null; depth++) {
    const { code, cause } = current as { code?: unknown; cause?: unknown };
    if (isNetworkCode(code)) return code;
    current = cause;
  }
  return undefined;
}

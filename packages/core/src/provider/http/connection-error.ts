/**
 * Converts a failed connection's system error into an ApiError in plain words. It names the host, never a header, so
 * it cannot hold a credential.
 */

import { ApiError } from '../../protocol/errors.ts';
import { findNetworkCode } from '../network-codes.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name lookup failed temporarily',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
};

/** An invalid certificate stays invalid: retrying does not help. */
const CERTIFICATE_CODE = /CERT|UNABLE_TO_|HOSTNAME_MISMATCH/;

/** `peer` names the other end in the message: a host, and the proxy if there is one. */
export function toConnectionError(error: unknown, peer: string): ApiError {
  if (error instanceof ApiError) return error;
  const { code: ownCode, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = findNetworkCode(error) ?? (typeof ownCode === 'string' ? ownCode : undefined);
  const isCertificate = code !== undefined && CERTIFICATE_CODE.test(code);
  const sentence = (code !== undefined && SENTENCES[code]) || String(message ?? error);
  return new ApiError(`${peer}: ${sentence}${code === undefined ? '' : ` (${code})`}`, {
    reason: isCertificate ? 'invalid_request' : 'network',
    ...(code !== undefined && { code }),
    cause: error,
  });
}

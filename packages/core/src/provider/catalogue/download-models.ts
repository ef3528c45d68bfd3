/** Downloads the table of models.dev, only when the user asks for it: one request without a key. */

import { ApiError } from '../../protocol/errors.ts';
import { type HttpClientOptions, createHttpClient } from '../http/http-client.ts';
import { parseObject, readFailure, readText } from '../wire/answer.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { toModelLines } from './models-dev.ts';

const MAX_TABLE_BYTES = 64 * 1024 * 1024;

/** By provider, the lines of its models. Rejects with ApiError, also for an answer that is not such a table. */
export async function downloadModels(url: URL, options: HttpClientOptions): Promise<Record<string, string>> {
  const http = createHttpClient({ ...options, purpose: 'model table' });
  try {
    const response = await http.get({ url, headers: { accept: 'application/json' } });
    const failure = await readFailure(response);
    if (failure) {
      throw judgeFailure({ ...failure, url, isLocal: false }, findReportedError(failure.body) ?? { types: [] });
    }
    return toLines(parseObject(await readText(response, MAX_TABLE_BYTES)), url);
  } finally {
    http.close();
  }
}

function toLines(table: Record<string, unknown>, url: URL): Record<string, string> {
  try {
    return toModelLines(table);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(`${url.host} sent no table of models: ${words}`, { reason: 'network', cause });
  }
}

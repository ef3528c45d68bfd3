/** Error bodies and headers as each vendor writes them, for every status a script can answer with. */

import type { ModelRequest } from '../answer.ts';
import type { ErrorStatus } from '../google-errors.ts';
import { googleError, PER_DAY_QUOTA } from '../google-errors.ts';
import { madeId } from './made-id.ts';
import type { PlannedTurn } from './planned-turn.ts';
import type { Failure, ProtocolOptions, WireError, WireFrame } from './protocol.ts';

interface Named {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
}

const OPENAI: Partial<Record<ErrorStatus, Named>> = {
  400: { type: 'invalid_request_error', message: 'Invalid request.' },
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Insufficient balance.' },
  403: { type: 'permission_error', code: 'permission_denied', message: 'You are not allowed to use this model.' },
  404: { type: 'invalid_request_error', code: 'model_not_found', message: 'The model does not exist.' },
  413: { type: 'invalid_request_error', message: 'The request is too large.' },
  422: { type: 'invalid_request_error', message: 'The request could not be processed.' },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached for requests.' },
  501: { type: 'not_supported_error', message: 'This server does not support the request.' },
  503: { type: 'server_error', code: 'server_is_overloaded', message: 'The server is overloaded or not ready yet.' },
  529: { type: 'server_error', code: 'server_is_overloaded', message: 'The server is overloaded.' },
};
const OPENAI_OTHER: Named = {
  type: 'server_error',
  code: 'server_error',
  message: 'The server had an error while processing your request.',
};
const OUT_OF_QUOTA: Named = {
  type: 'insufficient_quota',
  code: 'insufficient_quota',
  message: 'You exceeded your current quota, please check your plan and billing details.',
};

const ANTHROPIC: Partial<Record<ErrorStatus, Named>> = {
  400: { type: 'invalid_request_error', message: 'Invalid request.' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  402: { type: 'billing_error', message: 'Your credit balance is too low to access the Anthropic API.' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use the specified resource.' },
  404: { type: 'not_found_error', message: 'The requested resource could not be found.' },
  408: { type: 'timeout_error', message: 'The request timed out.' },
  409: { type: 'conflict_error', message: 'The request conflicts with another.' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum allowed number of bytes.' },
  422: { type: 'invalid_request_error', message: 'Invalid request.' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
  503: { type: 'overloaded_error', message: 'Overloaded' },
  504: { type: 'timeout_error', message: 'The request timed out.' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
};
const ANTHROPIC_OTHER: Named = { type: 'api_error', message: 'Internal server error' };
const ANTHROPIC_SPENT: Named = { type: 'billing_error', message: 'You have reached your specified API usage limits.' };

interface OpenaiErrorBody {
  readonly error: { message: string; type: string; param: string | null; code: string | null };
}

export function openaiErrorBody({ status, options }: Failure): OpenaiErrorBody {
  const named = isSpent(options) ? OUT_OF_QUOTA : (OPENAI[status] ?? OPENAI_OTHER);
  return {
    error: {
      message: options.message ?? named.message,
      type: options.type ?? named.type,
      param: options.param ?? null,
      code: options.code ?? named.code ?? null,
    },
  };
}

export function openaiError(failure: Failure): WireError {
  return { body: openaiErrorBody(failure), headers: retryHeaders(failure) };
}

/** The body in the shape of the server's vendor. */
export function chatError(failure: Failure, _request: ModelRequest, { vendor }: ProtocolOptions): WireError {
  const { error } = openaiErrorBody(failure);
  return { body: shaped(failure, error, vendor), headers: retryHeaders(failure) };
}

function shaped(
  { status, options }: Failure,
  error: OpenaiErrorBody['error'],
  vendor: ProtocolOptions['vendor'],
): unknown {
  const { message, type, param } = error;
  switch (vendor) {
    case 'openrouter':
      return { error: { code: status, message, metadata: { provider_name: 'Fake', raw: message } }, user_id: 'user_1' };
    case 'mistral':
      return status === 422
        ? { detail: [{ loc: ['body', param ?? 'messages'], msg: message, type: 'value_error' }] }
        : { object: 'error', message, type, param, code: options.code ?? null, raw_status_code: status };
    case 'vllm':
      return { error: { message, type, param, code: status } };
    case 'llamacpp':
      return { error: { code: status, message, type: llamaType(status, error.type) } };
    case 'xai':
      return { code: error.code ?? type, error: message };
    case 'google':
      return [googleError(status, options)];
    default:
      return { error };
  }
}

/** The error of a stream that began well. OpenRouter writes it into a chunk that looks like any other. */
export function chatErrorFrame(
  { status, content }: { readonly status: ErrorStatus; readonly content: Failure['options'] },
  turn: PlannedTurn,
  options: ProtocolOptions,
): WireFrame[] {
  const failure: Failure = { status, options: content };
  const { body } = chatError(failure, turn.request, options);
  if (options.vendor !== 'openrouter') return [{ data: body as object }];
  const choice = { index: 0, delta: { content: '' }, finish_reason: 'error' };
  const { message } = openaiErrorBody(failure).error;
  const id = `gen-${turn.request.index + 1}`;
  const chunk = { id, object: 'chat.completion.chunk', model: turn.model, choices: [choice] };
  return [{ data: { ...chunk, error: { code: status, message } } }];
}

export function anthropicError(failure: Failure, request: ModelRequest, options: ProtocolOptions): WireError {
  // llama.cpp answers in OpenAI's shape on all its surfaces.
  if (options.vendor === 'llamacpp') return chatError(failure, request, options);
  const { message, type } = failure.options;
  const named = isSpent(failure.options) ? ANTHROPIC_SPENT : (ANTHROPIC[failure.status] ?? ANTHROPIC_OTHER);
  const id = madeId('req_011', 21, request.index);
  return {
    body: { type: 'error', error: { type: type ?? named.type, message: message ?? named.message }, request_id: id },
    headers: { 'request-id': id, ...retryHeaders(failure) },
  };
}

export function ollamaError({ status, options }: Failure, request: ModelRequest, _options: ProtocolOptions): WireError {
  const model = JSON.stringify(request.model ?? '');
  const known: Partial<Record<ErrorStatus, string>> = {
    401: 'unauthorized',
    404: `model ${model} not found, try pulling it first`,
    503: 'server busy, please try again. maximum pending requests exceeded',
  };
  const message = options.message ?? known[status] ?? googleError(status).error.message;
  return { body: { error: message }, headers: retryHeaders({ status, options }) };
}

function llamaType(status: ErrorStatus, type: string): string {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  return status === 503 ? 'unavailable_error' : type;
}

function isSpent({ quotaId, limit }: Failure['options']): boolean {
  return quotaId === PER_DAY_QUOTA || limit === 0;
}

/** Google says in the body when to come back, the others in a header. */
function retryHeaders({ options }: Failure): Readonly<Record<string, string>> {
  const { retryDelay, retryAfter } = options;
  if (retryAfter !== undefined || retryDelay === undefined) return {};
  return { 'retry-after': String(Number.parseFloat(retryDelay)) };
}

/**
 * Error bodies as the service writes them: one JSON object with code, status name, message and typed details. Data
 * only, independent of any socket.
 */

export interface GoogleError {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly details?: readonly object[];
  };
}

/** The statuses a script can answer with, and the service's names and messages for them. */
export const ERROR_STATUSES = {
  400: { status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  401: { status: 'UNAUTHENTICATED', message: 'Request had invalid authentication credentials.' },
  402: { status: 'FAILED_PRECONDITION', message: 'Billing is not enabled.' },
  403: { status: 'PERMISSION_DENIED', message: 'The caller does not have permission.' },
  404: { status: 'NOT_FOUND', message: 'The model is not found for this API version.' },
  408: { status: 'DEADLINE_EXCEEDED', message: 'The request timed out.' },
  409: { status: 'ABORTED', message: 'The operation was aborted.' },
  413: { status: 'INVALID_ARGUMENT', message: 'Request payload size exceeds the limit.' },
  422: { status: 'INVALID_ARGUMENT', message: 'The request cannot be processed.' },
  429: { status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted (e.g. check quota).' },
  499: { status: 'CANCELLED', message: 'The operation was cancelled.' },
  500: { status: 'INTERNAL', message: 'An internal error has occurred.' },
  501: { status: 'UNIMPLEMENTED', message: 'The operation is not implemented.' },
  502: { status: 'UNAVAILABLE', message: 'Bad gateway.' },
  503: { status: 'UNAVAILABLE', message: 'The model is overloaded.' },
  504: { status: 'DEADLINE_EXCEEDED', message: 'The request timed out.' },
  529: { status: 'UNAVAILABLE', message: 'The service is overloaded.' },
} as const;

export type ErrorStatus = keyof typeof ERROR_STATUSES;

export interface ErrorContent {
  readonly message?: string;
  /** google.rpc.RetryInfo, for example `34.07s`. */
  readonly retryDelay?: string;
  /** google.rpc.QuotaFailure, for example `PER_DAY_QUOTA`. */
  readonly quotaId?: string;
  /** google.rpc.ErrorInfo. */
  readonly errorInfo?: ErrorInfo;
  /** A quota of this size, named in the message only, as for a model the project has no access to. */
  readonly limit?: number;
  /** More details, verbatim. */
  readonly details?: readonly object[];
}

export interface ErrorInfo {
  readonly reason: string;
  readonly domain?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A quota that recovers within a minute. */
export const PER_MINUTE_QUOTA = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier';
/** A quota that is exhausted for today. */
export const PER_DAY_QUOTA = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';

const API_DOMAIN = 'googleapis.com';
const QUOTA_METRIC = 'generativelanguage.googleapis.com/generate_content_requests';

export function googleError(code: ErrorStatus, content: ErrorContent = {}): GoogleError {
  const known = ERROR_STATUSES[code];
  const limited =
    content.limit === undefined
      ? known.message
      : `You exceeded your current quota. * Quota exceeded for metric: ${QUOTA_METRIC}, limit: ${content.limit}`;
  const details = errorDetails(content);
  return {
    error: {
      code,
      message: content.message ?? limited,
      status: known.status,
      ...(details.length > 0 && { details }),
    },
  };
}

function errorDetails(content: ErrorContent): object[] {
  const details: object[] = [];
  if (content.quotaId !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaMetric: QUOTA_METRIC, quotaId: content.quotaId }],
    });
  }
  if (content.errorInfo) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: API_DOMAIN, ...content.errorInfo });
  }
  if (content.retryDelay !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: content.retryDelay });
  }
  return [...details, ...(content.details ?? [])];
}

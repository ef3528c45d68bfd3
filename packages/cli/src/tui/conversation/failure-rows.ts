/** Renders a failed request: who refused or failed, and below it the service's own words. Pure. */

import type { StructuredError } from '@castor/core';
import { sanitize, sanitizeLine } from '../../sanitize.ts';
import { expandTabs, proseWidth, wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';

export interface Failure {
  readonly error: StructuredError;
  /** The model that was asked. */
  readonly model: string | undefined;
}

/** What the model or its service did, by the reason. */
const DEEDS: Partial<Record<NonNullable<StructuredError['reason']>, string>> = {
  unauthorized: 'refused the key',
  invalid_request: 'refused the request',
  context_overflow: 'refused the request',
  forbidden: 'refused the request',
  not_found: 'is unknown to its service',
  quota: 'refused the request: the quota is used up',
  rate_limited: 'refused the request: too many at the moment',
  server: 'failed',
  network: 'was not reached',
  timeout: 'did not answer in time',
};

/** Undefined where it is no failure of a request. */
export function renderFailure(
  { error, model }: Failure,
  { styles, width }: { styles: Styles; width: number },
): string[] | undefined {
  // A session's file may name any reason.
  const deed = error.reason && Object.hasOwn(DEEDS, error.reason) ? DEEDS[error.reason] : undefined;
  if (deed === undefined) return undefined;
  const { status, attempts = 1 } = error;
  const facts = [...(status === undefined ? [] : [status]), ...(attempts > 1 ? [`after ${attempts} attempts`] : [])];
  const head = `${sanitizeLine(model ?? 'The service')} ${deed}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
  const words = sanitize(expandTabs(error.message)).trim();
  if (styles.isSpoken) return [`Error: ${head}.`, ...(words === '' ? [] : words.split('\n'))];
  const room = { width: proseWidth(width), rest: '  ' };
  return [
    ...wrapRows(styles.error(head), { ...room, first: styles.error('✗ ') }),
    ...(words === '' ? [] : wrapRows(styles.primary(words), { ...room, first: '  ' })),
  ];
}

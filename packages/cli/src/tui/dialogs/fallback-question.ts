/** Asks whether another model may answer when a model has no quota left. */

import type { FallbackIntent, FallbackQuestion } from '@castor/core';
import { sanitize } from '../../sanitize.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';

export function askAboutFallback(
  { failedModel, fallbackModel, message }: FallbackQuestion,
  host: DialogHost,
  signal: AbortSignal,
): Promise<FallbackIntent | undefined> {
  return host.choose<FallbackIntent>(
    {
      title: `${sanitize(failedModel)} has no quota left.`,
      body: ({ width, styles }) => wrapRows(styles.secondary(sanitize(message)), { width: width - 4 }).slice(0, 6),
      options: [
        { label: `Use ${sanitize(fallbackModel)} for this request`, value: 'retry_once' },
        { label: `Use ${sanitize(fallbackModel)} from now on`, value: 'retry_always' },
        { label: 'Stop, and try again later', value: 'retry_later' },
      ],
      escape: 'retry_later',
      escapes: 'stops',
    },
    signal,
  );
}

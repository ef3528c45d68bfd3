/** Draws the row that says what is under way; nothing while the session is idle. */

import { StreamingState } from '@castor/core';
import { use } from 'react';
import { StreamingContext } from '../contexts/streaming-context.tsx';
import type { Styles } from '../theme/styles.ts';
import { Rows } from './rows.tsx';
import { renderStatus } from './status-row.ts';
import type { StatusState } from './status-row.ts';

export interface LoadingIndicatorProps {
  readonly status: StatusState | undefined;
  readonly styles: Styles;
  readonly width: number;
}

export function LoadingIndicator({ status, styles, width }: LoadingIndicatorProps) {
  const isIdle = use(StreamingContext) === StreamingState.Idle;
  return status && !isIdle ? <Rows rows={[renderStatus(status, { styles, width })]} /> : null;
}

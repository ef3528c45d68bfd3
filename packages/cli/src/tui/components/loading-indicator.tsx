/** Draws the line above the composer while the agent is busy; an empty one when it is idle. */

import { use } from 'react';
import { StreamingState } from '@castor/core';
import { StreamingContext } from '../contexts/streaming-context.tsx';
import { Rows } from './rows.tsx';

export function LoadingIndicator({ rows }: { rows: readonly string[] }) {
  const isIdle = use(StreamingContext) === StreamingState.Idle;
  return <Rows rows={isIdle ? rows.map(() => '') : rows} />;
}

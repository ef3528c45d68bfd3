/**
 * Draws the changing part of the transcript, by its type, in the rows the layout assigns. Final items are text in the
 * scrollback and no longer components.
 */

import { Box } from 'ink';
import type { MessageType } from '@castor/core';
import { Rows } from './rows.tsx';

export interface HistoryItemDisplayProps {
  readonly type: MessageType;
  readonly rows: readonly string[];
}

export function HistoryItemDisplay({ type, rows }: HistoryItemDisplayProps) {
  if (rows.length === 0) return null;
  return (
    <Box flexDirection="column" flexShrink={0} aria-label={type}>
      <Rows rows={rows} />
    </Box>
  );
}

/** Draws finished rows, one under the other. */

import { Box, Text } from 'ink';
import { withoutFill } from '../text/row-width.ts';

export function Rows({ rows }: { rows: readonly string[] }) {
  if (rows.length === 0) return null;
  return (
    <Box flexDirection="column" flexShrink={0}>
      {rows.map((row, index) => (
        // The position is the identity: a row has no other.
        <Text key={index} wrap="truncate">
          {row === '' ? ' ' : withoutFill(row)}
        </Text>
      ))}
    </Box>
  );
}

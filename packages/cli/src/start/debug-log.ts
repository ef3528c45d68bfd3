/** Connects the runtime's debug log to what a surface can show, when the user debugs the run. */

import { debugLogger } from '@castor/core';
import type { DebugLevel } from '@castor/core';
import { isDebug } from '../debug-mode.ts';
import type { Start } from './start.ts';

/** `levels`: the ones the surface has room for. */
export function openDebugLog(
  { args, environment }: Pick<Start, 'args' | 'environment'>,
  levels: readonly DebugLevel[],
  write: (line: string) => void,
): void {
  if (!isDebug(args, environment)) return;
  debugLogger.connect((level, message) => {
    if (levels.includes(level)) write(`debug: ${message}`);
  });
}

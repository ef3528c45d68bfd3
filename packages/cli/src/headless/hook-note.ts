/** What a hook says to the person, on stderr in every format: stdout belongs to the answer. */

import type { HookMessageEvent } from '@castor/core';
import type { Output } from '../output.ts';

export function noteHookMessage(output: Output, { level, message }: Omit<HookMessageEvent, 'type'>): void {
  output.note(level === 'warning' ? `castor: warning: ${message}` : `Hook system message: ${message}`);
}

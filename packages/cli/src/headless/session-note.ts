/** Reports events between prompts on stderr in every format: stdout belongs to the answer. */

import type { SessionEvent } from '@castor/core';
import type { Output } from '../output.ts';

export function noteSessionEvent(output: Output, event: SessionEvent): void {
  switch (event.type) {
    case 'hook_message':
      output.note(event.level === 'warning' ? warning(event.message) : `Hook system message: ${event.message}`);
      return;
    case 'notice':
      output.note(event.level === 'warning' ? warning(event.message) : `castor: ${event.message}`);
      return;
    case 'background_ended':
      if (event.message !== undefined) output.note(`castor: ${event.message}`);
      return;
    case 'mode_changed':
    case 'tools_changed':
      return;
  }
}

function warning(message: string): string {
  return `castor: warning: ${message}`;
}

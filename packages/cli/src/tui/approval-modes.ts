/** The order in which the user cycles through approval modes. Pure. */

import type { ApprovalMode } from '@castor/core';

/** Plan mode does not start in the middle of a request, nor where it is disabled. */
export function nextMode(mode: ApprovalMode, skipsPlan: boolean): ApprovalMode {
  switch (mode) {
    case 'default':
      return 'autoEdit';
    case 'autoEdit':
      return skipsPlan ? 'default' : 'plan';
    case 'plan':
      return 'default';
    case 'yolo':
      return 'autoEdit';
  }
}

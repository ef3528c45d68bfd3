/** The approval modes as users know them, and the order in which they cycle through them. Pure. */

import type { ApprovalMode } from '@castor/core';

/** Empty: every call is decided on as usual. */
export const MODE_NAMES: Readonly<Record<ApprovalMode, string>> = {
  default: '',
  autoEdit: 'accepting edits',
  yolo: 'YOLO',
  plan: 'plan',
};

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

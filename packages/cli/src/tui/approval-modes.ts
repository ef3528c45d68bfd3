/** Which approval mode follows which, when a person steps through them. Pure. */

import type { ApprovalMode } from '@castor/core';

/** Plan mode is not begun in the middle of a request, nor where it is switched off. */
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

/** Selects from the settings which answers the user is offered before a call. Pure. */

import type { Start } from '../../start/start.ts';
import type { ApprovalOptions } from '../dialogs/approval.ts';

type Choices = Pick<ApprovalOptions, 'allowsAlways' | 'allowsPermanent' | 'proposesPermanent'>;

export function approvalChoices(start: Start | undefined): Choices {
  const { disableAlwaysAllow, enablePermanentToolApproval, autoAddToPolicyByDefault } = start?.settings.security ?? {};
  const allowsAlways = disableAlwaysAllow !== true;
  const allowsPermanent = allowsAlways && enablePermanentToolApproval === true;
  return {
    allowsAlways,
    allowsPermanent,
    proposesPermanent: allowsPermanent && autoAddToPolicyByDefault === true && start?.trustedFolder === true,
  };
}

/** Opens the audit log of the process, for agents of any surface and for commands of `castor`. */

import { openAudit } from '@castor/core/program';
import type { Audit, Settings } from '@castor/core/program';
import { beforeProcessEnds } from '../process-end.ts';

let opened: Promise<Audit> | undefined;

/** One for the process, however many sessions it has; undefined where it is off. Throws AuditError. */
export function openAuditFor(
  { home, settings }: { home: string; settings: Settings },
  onProblem: (message: string) => void,
): Promise<Audit | undefined> {
  const { enabled, required } = settings.castor.audit;
  if (!enabled && !required) return Promise.resolve(undefined);
  if (opened) return opened;
  const opening = openAudit({ home, isRequired: required, onProblem });
  beforeProcessEnds(async () => (await opening).close());
  opened = opening;
  return opening;
}

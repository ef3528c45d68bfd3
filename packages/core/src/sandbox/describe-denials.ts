/** Words the denials of a sandbox for the model, each with how the user could allow it. Pure. */

import type { Denial } from './find-denials.ts';

/** Undefined where nothing was denied. */
export function describeDenials(denials: readonly Denial[], networkProblem?: string): string | undefined {
  if (denials.length === 0) return undefined;
  const lines = denials.map((denial) => {
    if (denial.kind === 'host') {
      const port = denial.port > 0 && denial.port !== 443 && denial.port !== 80 ? `:${denial.port}` : '';
      const denied = `The sandbox did not let the command reach ${denial.host}${port}`;
      if (denial.isFinal) return `${denied}: ${denial.why}. It cannot be allowed inside the sandbox.`;
      return `${denied}. The user can allow it: castor sandbox allow ${denial.host}${port}`;
    }
    const verb = denial.kind === 'write' ? 'write' : 'read';
    return `The sandbox did not let the command ${verb} ${denial.path}. The user can allow it: castor sandbox allow --${verb} ${denial.offer}`;
  });
  if (networkProblem !== undefined) lines.push(networkProblem);
  return lines.join('\n');
}

/** Words the denials of a sandbox for the model, each with how the user could allow it. Pure. */

import type { CommandEnd, Denial } from './find-denials.ts';

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

/** What browsers and programs for containers print when the kernel refuses them a namespace, which the sandbox always does. */
const NAMESPACE_ERROR =
  /Failed to move to new namespace|No usable sandbox!|unshare failed: (?:No space left on device|Operation not permitted)|bwrap: (?:No permissions to create|Creating) new namespace|cannot clone: (?:No space left on device|Operation not permitted)/;

/** Why a program failed that makes sandboxes of its own; undefined for every other one. */
export function describeRefusedNamespace({ output, exitCode }: CommandEnd): string | undefined {
  if (exitCode === 0 || !NAMESPACE_ERROR.test(output)) return undefined;
  return 'The sandbox lets no program make namespaces of its own, as browsers and containers do. Start a browser without its own sandbox (Chromium: --no-sandbox; Playwright: chromiumSandbox: false), or ask to run this command outside.';
}

/**
 * The default policy of an agent: it allows reading and searching and asks about everything else, which denies the call
 * where no user answers (docs/decisions/0028). Also exports the policy that allows everything.
 */

import { READING_KINDS } from '../policy/reading-tools.ts';
import type { PolicyPort, PolicyQuestion } from '../scheduler/ports.ts';

/** An approval covers one call: "always" needs rules, which a `PolicyAdapter` has. */
export function createReadingPolicy({ interactive }: { interactive: boolean }): PolicyPort {
  return {
    canAsk: interactive,
    async check({ toolName, kind }: PolicyQuestion) {
      // Never by name: a caller's own tool may have the name of a built-in one and change anything.
      if (READING_KINDS.includes(kind)) return { decision: 'allow' };
      if (interactive) return { decision: 'ask_user' };
      const denyMessage = `${toolName} needs an approval, and no user can be asked in this run: the agent has no policy, so it may read and search only.`;
      return { decision: 'deny', unanswerable: true, denyMessage };
    },
    remember: async () => undefined,
  };
}

/** Allows every call. Only for tools that may do whatever a model requests. */
export const ALLOW_EVERYTHING: PolicyPort = {
  check: async () => ({ decision: 'allow' }),
  remember: async () => undefined,
};

/** The keyring of the system as the store of sign-ins to MCP servers. A keyring that does not answer soon is none. */

import type { OpenKeyring } from '@castor/core/program';
import { openKeyring } from './keyring.ts';

/** A keyring that asks the user to unlock it may not hold up a run. */
const PROBE_LIMIT_MS = 2_000;

export function createOpenKeyring(environment: Readonly<Record<string, string | undefined>>): OpenKeyring {
  return async (service) => {
    const { promise: elapsed, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), PROBE_LIMIT_MS);
    const store = await Promise.race([openKeyring(environment), elapsed]);
    clearTimeout(timer);
    return (
      store && {
        get: (account) => store.read(service, account),
        set: (account, secret) => store.write(service, account, secret),
        delete: (account) => store.remove(service, account),
      }
    );
  };
}

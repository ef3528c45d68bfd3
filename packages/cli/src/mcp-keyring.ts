/** The keyring of the system as the store of sign-ins to MCP servers, opened once. */

import type { OpenKeyring, SecretStore } from '@castor/core/program';
import { openKeyring } from './keyring.ts';

export function createOpenKeyring(environment: Readonly<Record<string, string | undefined>>): OpenKeyring {
  let opening: Promise<SecretStore | undefined> | undefined;
  return async (service) => {
    const store = await (opening ??= openKeyring(environment));
    return (
      store && {
        get: (account) => store.read(service, account),
        set: (account, secret) => store.write(service, account, secret),
        delete: (account) => store.remove(service, account),
      }
    );
  };
}

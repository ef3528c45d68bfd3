/** The keyring of the system, for secrets by service and account. Loaded on use; absent where the module or its service is. */

import type { SecretStore } from '@castor/core/program';

/** Undefined where there is none, or a variable of Gemini CLI prefers files. */
export async function openKeyring(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SecretStore | undefined> {
  if (environment['GEMINI_FORCE_FILE_STORAGE'] === 'true') return undefined;
  const module = await import('@napi-rs/keyring').catch(() => undefined);
  if (!module) return undefined;
  // The kernel's keyring would forget a secret with the next boot.
  const open = (service: string, account: string) =>
    new module.AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  try {
    await open('castor', 'probe').getPassword();
  } catch {
    // Locked, missing or forbidden.
    return undefined;
  }
  return {
    read: async (service, account) => (await open(service, account).getPassword()) ?? undefined,
    write: (service, account, value) => open(service, account).setPassword(value),
    async remove(service, account) {
      await open(service, account).deletePassword();
    },
  };
}

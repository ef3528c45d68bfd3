/** Keyring: the port to the keychain of the system, which a program may provide. Types only. */

/** Secrets of one service by account. Every method may reject: a keyring can be locked. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  delete(account: string): Promise<void>;
}

/** Undefined where the system has none that answers. */
export type OpenKeyring = (service: string) => Promise<Keyring | undefined>;

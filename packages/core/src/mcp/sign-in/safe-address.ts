/** Decides which addresses may receive a credential: https, and http on this machine. Pure. */

import { cleanLine } from '../clean-text.ts';
import { SignInError } from './sign-in-error.ts';

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function mayCarrySecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/**
 * An address that a document, a header or a setting names. A server elsewhere may not send Castor to this machine.
 * Throws a SignInError for an address that is invalid or may not receive a credential.
 */
export function toSafeAddress(text: unknown, { what, server }: { what: string; server: URL }): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  const shown = cleanLine(typeof text === 'string' ? text : (JSON.stringify(text) ?? 'none'), 200);
  if (url === null) throw new SignInError('setup', `${what} is not a valid address: ${shown}.`);
  if (!mayCarrySecrets(url)) {
    throw new SignInError('setup', `${what} is ${shown}. Castor sends credentials over https only.`);
  }
  if (url.protocol === 'http:' && !isLoopback(server)) {
    throw new SignInError('setup', `${what} is on this machine (${shown}), but ${server.host} is not.`);
  }
  return url;
}

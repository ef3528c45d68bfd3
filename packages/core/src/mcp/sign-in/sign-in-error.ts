/** SignInError: why a sign-in to an MCP server failed, as sentences for the user, and what kind of failure it is. */

/**
 * `setup`: the configuration or the metadata of the server must change. `denied`: the user or the authorization server
 * said no. `expired`: only a new sign-in helps. `unreachable`: another attempt may succeed.
 */
export type SignInFailure = 'setup' | 'denied' | 'expired' | 'unreachable';

export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly kind: SignInFailure;

  constructor(kind: SignInFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * One authorization request: its address with PKCE (S256) and a state of its own, and the check of the answer that the
 * browser brings back. An answer with another state or from another issuer is rejected.
 */

import { builtin } from '../../util/builtin-modules.ts';
import { cleanLine } from '../clean-text.ts';
import type { Discovery } from './discover.ts';
import { SignInError } from './sign-in-error.ts';

export interface AuthorizationQuestion {
  discovery: Discovery;
  clientId: string;
  redirectUri: string;
  audiences: readonly string[];
}

export class AuthorizationRequest {
  readonly url: URL;
  readonly verifier: string;
  private readonly state: string;
  private readonly discovery: Discovery;

  constructor({ discovery, clientId, redirectUri, audiences }: AuthorizationQuestion) {
    this.discovery = discovery;
    this.verifier = builtin.crypto.randomBytes(64).toString('base64url');
    this.state = builtin.crypto.randomBytes(16).toString('base64url');
    const challenge = builtin.crypto.createHash('sha256').update(this.verifier).digest('base64url');
    const url = new URL(discovery.authorizationUrl);
    const parameters = {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      state: this.state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(discovery.scopes.length > 0 && { scope: discovery.scopes.join(' ') }),
      ...(audiences.length > 0 && { audience: audiences.join(' ') }),
      resource: discovery.resource,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    this.url = url;
  }

  /** The code of an answer. Throws a SignInError for one that is not the answer to this request. */
  readCode(answer: URLSearchParams): string {
    if (answer.get('state') !== this.state) {
      throw new SignInError(
        'denied',
        'The answer of the browser belongs to another sign-in (its state differs). Try again.',
      );
    }
    const iss = answer.get('iss');
    const { issuer, answersNameIssuer } = this.discovery;
    if (iss !== null) this.checkIssuer(iss);
    const error = answer.get('error');
    if (error !== null) {
      const words = [error, answer.get('error_description')].filter((each) => each !== null).join(': ');
      throw new SignInError('denied', `The authorization server refused the sign-in (${cleanLine(words, 300)}).`);
    }
    const code = answer.get('code');
    if (code === null || code === '')
      throw new SignInError('denied', 'The answer of the browser has no code. Try again.');
    if (iss === null && issuer !== undefined && answersNameIssuer) {
      throw new SignInError(
        'denied',
        `The answer of the browser names no issuer; expected ${issuer}. Nothing is stored.`,
      );
    }
    return code;
  }

  /** RFC 9207: an answer of another authorization server may carry a code that is not for this one. */
  private checkIssuer(iss: string): void {
    const { issuer } = this.discovery;
    if (issuer === undefined || iss === issuer || iss === `${issuer}/`) return;
    const from = cleanLine(iss, 200);
    throw new SignInError(
      'denied',
      `The answer of the browser is from ${from}; expected ${issuer}. Nothing is stored.`,
    );
  }
}
